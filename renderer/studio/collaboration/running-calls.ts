// Running and waiting calls of an editor, in order of arrival.
import { useState } from 'react'
import { INSPECTION } from '#pcg-catalog'
import { type StudioEvent, useEditorEvents } from '../editor/queries.ts'

export type RunningCall = Pick<
  Extract<StudioEvent, { type: 'call.started' }>,
  'requestId' | 'tool' | 'actor' | 'program' | 'source'
>

/** The limit of listed calls: one whose end event was missed is dropped for newer ones. */
const MOST = 64

export function withEvent(calls: readonly RunningCall[], event: StudioEvent): readonly RunningCall[] {
  switch (event.type) {
    case 'call.started': {
      const { requestId, tool, actor, program, source } = event
      // Inspections run in their own lane and block no other call.
      return Object.hasOwn(INSPECTION, tool)
        ? calls
        : [...calls, { requestId, tool, actor, program, source }].slice(-MOST)
    }
    case 'call.finished':
      return calls.some(({ requestId }) => requestId === event.requestId)
        ? calls.filter(({ requestId }) => requestId !== event.requestId)
        : calls
    case 'editor.status':
      return event.status === 'connected' || event.status === 'busy' ? calls : []
    case 'editor.activity':
    case 'leases.changed':
    case 'graph.changed':
    case 'generation':
    case 'level.changed':
    case 'transfer':
    case 'log':
      return calls
  }
}

export function useRunningCalls(editor: string): readonly RunningCall[] {
  const [calls, setCalls] = useState<readonly RunningCall[]>([])
  useEditorEvents(editor, (event) => setCalls((before) => withEvent(before, event)))
  return calls
}
