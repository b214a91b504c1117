// Live events in the desktop window: main relays the gateway's events and its status.
import { EVENT_TOPICS } from '#contract'
import type { DesktopBridge } from './desktop.ts'
import type { StreamNeeds, StreamState } from './events.ts'
import { statusIn } from './gateway-status.ts'

// Paused and in safe mode it still serves the window.
const STATES = {
  starting: 'connecting',
  running: 'live',
  paused: 'live',
  safe: 'live',
  locked: 'lost',
  stopped: 'lost',
} as const

/** Returns a function that stops it. */
export function followDesktop(
  desktop: Pick<DesktopBridge, 'gatewayStatus' | 'subscribe'>,
  { onEvent, onState }: Pick<StreamNeeds, 'onEvent' | 'onState'>,
): () => void {
  let stopped = false
  let received = false
  const leave = [
    desktop.subscribe('gateway:changed', (status) => {
      received = true
      onState(stateOf(status))
    }),
    ...EVENT_TOPICS.map((topic) => desktop.subscribe(topic, (data) => onEvent({ topic, data }))),
  ]
  desktop.gatewayStatus().then(
    // A status received in the meantime is newer than this answer.
    (status) => stopped || received || onState(stateOf(status)),
    () => stopped || received || onState('lost'),
  )
  return () => {
    stopped = true
    for (const stop of leave) stop()
  }
}

/** An unknown status counts as disconnected. */
function stateOf(data: unknown): StreamState {
  const status = statusIn(data)
  return status ? STATES[status.state] : 'lost'
}
