// The live line inside the desktop window: main relays the gateway's events and says whether it runs.
import { EVENT_TOPICS } from '#contract'
import type { DesktopBridge } from './desktop.ts'
import type { StreamNeeds, StreamState } from './events.ts'

const STATES = { starting: 'connecting', running: 'live', stopped: 'lost' } as const satisfies Record<
  string,
  StreamState
>

/** Returns what stops it. */
export function followDesktop(
  desktop: Pick<DesktopBridge, 'gatewayStatus' | 'subscribe'>,
  { onEvent, onState }: Pick<StreamNeeds, 'onEvent' | 'onState'>,
): () => void {
  let stopped = false
  let told = false
  const leave = [
    desktop.subscribe('gateway:changed', (status) => {
      told = true
      onState(stateOf(status))
    }),
    ...EVENT_TOPICS.map((topic) => desktop.subscribe(topic, (data) => onEvent({ topic, data }))),
  ]
  desktop.gatewayStatus().then(
    // A change that came in the meantime is newer than the answer.
    (status) => stopped || told || onState(stateOf(status)),
    () => stopped || told || onState('lost'),
  )
  return () => {
    stopped = true
    for (const stop of leave) stop()
  }
}

/** What main says of the gateway; a word this page does not know is no sign of life. */
function stateOf(status: unknown): StreamState {
  const known = Object.entries(STATES).find(
    ([state]) => typeof status === 'object' && status !== null && 'state' in status && status.state === state,
  )
  return known?.[1] ?? 'lost'
}
