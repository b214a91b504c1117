// Live events of the signed-in page: state for the shell, events for queries and pages.
import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { create } from 'zustand'
import type { EventTopic } from '#contract'
import { askAgain } from './ask-again.ts'
import { desktopBridge } from './desktop.ts'
import { followDesktop } from './desktop-events.ts'
import { openEvents, takeAhead, waitOrWake } from './event-source.ts'
import { followEvents, type LiveEvent, type StreamState } from './events.ts'
import { createInvalidator } from './invalidation.ts'
import { sessionIsOver } from './session.ts'

type Listener = (event: LiveEvent) => void
const listeners = new Map<EventTopic, Set<Listener>>()

export const useLiveState = create<{ readonly state: StreamState }>(() => ({ state: 'connecting' }))

/** Calls back for each event of a topic while the component is mounted. */
export function useTopic(topic: EventTopic, listener: Listener): void {
  const call = useEffectEvent(listener)
  useEffect(() => {
    const own: Listener = (event) => call(event)
    const all = listeners.get(topic) ?? new Set()
    listeners.set(topic, all.add(own))
    return () => void all.delete(own)
  }, [topic])
}

/** Returns a function that disconnects. */
export function goLive(queries: QueryClient): () => void {
  const invalidator = createInvalidator((key) => askAgain(queries, [key]))
  const onEvent: Listener = (event) => {
    invalidator.note(event.topic)
    for (const listener of listeners.get(event.topic) ?? []) listener(event)
  }
  const desktop = desktopBridge()
  let ahead = desktop ? undefined : takeAhead()
  let missed = ahead === undefined
  const onState = (state: StreamState): void => {
    const before = useLiveState.getState().state
    useLiveState.setState({ state })
    if (state === 'lost') missed = true
    // Events were missed while disconnected, also at a start whose lists may have been read before the connection.
    if (state === 'live' && before !== 'live' && missed) askAgain(queries)
  }
  const hangUp = desktop
    ? followDesktop(desktop, { onEvent, onState })
    : followEvents({
        async open(signal) {
          const opened = ahead?.(signal)
          ahead = undefined
          return opened ?? openEvents(signal, () => sessionIsOver(queries))
        },
        onEvent,
        onState,
        onGoodbye: () => void queries.invalidateQueries({ queryKey: ['me'] }),
        wait: waitOrWake,
        random: Math.random,
        seen: () => document.visibilityState === 'visible',
      })
  return () => {
    hangUp()
    invalidator.stop()
  }
}
