// Provides the gestures of the open graph to the studio's components.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useCallback, useMemo } from 'react'
import { ApiError } from '#contract'
import { meQuery } from '../api/session.ts'
import { notifyError } from '../ui/notify.ts'
import { createGestures, type Gesture, type Gestures, type Making } from './editor/gestures.ts'
import { rememberedSteps } from './editor/remembered-steps.ts'
import { useCapability } from './editor/use-capability.ts'
import { dragUnderWay } from './panels/controls/live-drag.ts'

const Here = createContext<Gestures | null>(null)
export const GesturesProvider = Here.Provider

export function useMakeGestures(editor: string, graph: string): Gestures {
  const queries = useQueryClient()
  return useMemo(() => gesturesOf(queries, editor, graph), [queries, editor, graph])
}

/** The steps of a graph survive opening another one, and a reload. */
const known = new WeakMap<QueryClient, Map<string, Gestures>>()
export function gesturesOf(queries: QueryClient, editor: string, graph: string): Gestures {
  const graphs = known.get(queries) ?? new Map<string, Gestures>()
  known.set(queries, graphs)
  const who = queries.getQueryData(meQuery.queryKey)?.user?.username ?? ''
  const key = `${who}\n${editor}\n${graph}`
  const gestures = graphs.get(key) ?? createGestures(queries, editor, graph, rememberedSteps(who, editor, graph))
  graphs.set(key, gestures)
  return gestures
}

/** Gestures that show their failures; callers need not catch. */
export function useGestures(): {
  readonly gestures: Gestures
  /** Why editing is unavailable; null if it is available. */
  readonly locked: string | null
  /** Returns whether something was done. */
  perform(gesture: Gesture | Making): Promise<boolean>
} {
  const gestures = use(Here)
  if (!gestures) throw new Error('useGestures is for components of an open graph')
  const locked = useCapability(gestures.editor, 'edit')
  // Stable across renders, because a drag renders many times a second.
  const perform = useCallback(
    async (gesture: Gesture | Making) =>
      locked === null
        ? gestures.perform(ofDrag(gesture)).catch(report)
        : report(new ApiError(409, { code: 'EDITOR_UNAVAILABLE', message: locked, request_id: '' })),
    [gestures, locked],
  )
  return { gestures, locked, perform }
}

/** Marks a gesture of a drag, so that all of them are one step. */
function ofDrag(gesture: Gesture | Making): Gesture | Making {
  const merge = dragUnderWay()
  return typeof gesture === 'function' || merge === null ? gesture : { ...gesture, merge }
}

function report(error: unknown): boolean {
  notifyError(error)
  return false
}
