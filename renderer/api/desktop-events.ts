// The live line inside the desktop window: main relays the gateway's events and says whether it runs.
import { EVENT_TOPICS } from '#contract'
import type { DesktopBridge } from './desktop.ts'
import type { StreamNeeds, StreamState } from './events.ts'

const STATES: Readonly<Record<'starting' | 'running' | 'stopped', StreamState>> = {
  starting: 'connecting',
  running: 'live',
  stopped: 'lost',
}

/** Returns what stops it. */
export function followDesktop(
  desktop: Pick<DesktopBridge, 'gatewayStatus' | 'subscribe'>,
  { onEvent, onState }: Pick<StreamNeeds, 'onEvent' | 'onState'>,
): () => void {
  let stopped = false
  let told = false
  const leave = [
    desktop.subscribe('gateway:changed', ({ state }) => {
      told = true
      onState(STATES[state])
    }),
    desktop.subscribe('admin:event', ({ topic, data }) => {
      const known = EVENT_TOPICS.find((each) => each === topic)
      if (known) onEvent({ topic: known, data })
    }),
  ]
  desktop.gatewayStatus().then(
    // A change that came in the meantime is newer than the answer.
    ({ state }) => stopped || told || onState(STATES[state]),
    () => stopped || told || onState('lost'),
  )
  return () => {
    stopped = true
    for (const stop of leave) stop()
  }
}
