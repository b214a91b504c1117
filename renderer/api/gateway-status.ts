// The status of the desktop's gateway; undefined in a browser.
import { create } from 'zustand'
import type { GatewayStatus } from '#channels'
import type { DesktopBridge } from './desktop.ts'

const STATES: readonly GatewayStatus['state'][] = ['starting', 'running', 'paused', 'safe', 'locked', 'stopped']

export const useGatewayStatus = create<{ readonly status: GatewayStatus | null }>(() => ({ status: null }))

/** Returns a function that ends it. */
export function watchGateway(desktop: Pick<DesktopBridge, 'gatewayStatus' | 'subscribe'>): () => void {
  let received = false
  const leave = desktop.subscribe('gateway:changed', (data) => {
    received = true
    useGatewayStatus.setState({ status: statusIn(data) ?? null })
  })
  desktop.gatewayStatus().then(
    // A status received in the meantime is newer than this answer.
    (status) => received || useGatewayStatus.setState({ status }),
    // Without an answer there is no status; live events report the disconnect.
    () => undefined,
  )
  return leave
}

/** The status of the gateway from main; undefined for an unknown one. */
export function statusIn(data: unknown): GatewayStatus | undefined {
  if (typeof data !== 'object' || data === null || !('state' in data)) return undefined
  const state = STATES.find((each) => each === data.state)
  if (state === undefined) return undefined
  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return {
    state,
    url: textOf('url' in data ? data.url : null),
    reason: textOf('reason' in data ? data.reason : null),
    movedFrom: textOf('movedFrom' in data ? data.movedFrom : null),
  }
}
