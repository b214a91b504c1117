// What the tray says: the gateway's state, what waits for a person, and the ways in and out. Pure.
import type { GatewayStatus } from '#channels'

export type TrayRow =
  | { readonly label: string; readonly enabled: false }
  | { readonly label: string; readonly does: 'open' | 'pause' | 'resume' | 'approvals' | 'quit' }
  | 'separator'

/** Of the renderer: where calls that wait are decided. */
export const APPROVALS_PAGE = '/approvals'

const STATES: Readonly<Record<GatewayStatus['state'], string>> = {
  starting: 'Starting…',
  running: 'Running',
  paused: 'Paused',
  safe: 'Safe mode',
  locked: 'Waiting for the passphrase',
  stopped: 'Stopped',
}

export const trayTitle = ({ state, url }: GatewayStatus): string =>
  `Gantry: ${STATES[state]}${url === null ? '' : ` on ${new URL(url).host}`}`

export function trayRows(status: GatewayStatus, pendingApprovals: number): readonly TrayRow[] {
  const { state } = status
  return [
    { label: trayTitle(status), enabled: false },
    ...(pendingApprovals > 0
      ? [{ label: `${pendingApprovals} waiting for approval…`, does: 'approvals' } as const]
      : []),
    'separator',
    { label: 'Open Gantry', does: 'open' },
    ...(state === 'running' ? [{ label: 'Pause: serve no agents', does: 'pause' } as const] : []),
    ...(state === 'paused' || state === 'safe' ? [{ label: 'Resume', does: 'resume' } as const] : []),
    ...(state === 'stopped' ? [{ label: 'Start the gateway', does: 'resume' } as const] : []),
    'separator',
    { label: 'Quit Gantry', does: 'quit' },
  ]
}
