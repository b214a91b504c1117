// The calls that are under way in an editor, in the order in which they came: whose turn it is, and who waits.
import { useState } from 'react'
import { INSPECTION } from '#pcg-catalog'
import { type StudioEvent, useEditorEvents } from '../editor/queries.ts'

export type RunningCall = Pick<
  Extract<StudioEvent, { type: 'call.started' }>,
  'requestId' | 'tool' | 'actor' | 'source'
>

/** Nobody's call is told for ever: one whose end was not heard makes room for newer ones. */
const MOST = 64

export function withEvent(calls: readonly RunningCall[], event: StudioEvent): readonly RunningCall[] {
  switch (event.type) {
    case 'call.started': {
      const { requestId, tool, actor, source } = event
      // Looks have a lane of their own: they hold up nobody.
      return Object.hasOwn(INSPECTION, tool) ? calls : [...calls, { requestId, tool, actor, source }].slice(-MOST)
    }
    case 'call.finished':
      return calls.some(({ requestId }) => requestId === event.requestId)
        ? calls.filter(({ requestId }) => requestId !== event.requestId)
        : calls
    case 'editor.status':
      return event.status === 'connected' || event.status === 'busy' ? calls : []
    case 'graph.changed':
    case 'generation':
    case 'level.changed':
    case 'log':
      return calls
  }
}

export function useRunningCalls(editor: string): readonly RunningCall[] {
  const [calls, setCalls] = useState<readonly RunningCall[]>([])
  useEditorEvents(editor, (event) => setCalls((before) => withEvent(before, event)))
  return calls
}
