// What the tray says: the gateway's state, what waits for a person, and the ways in and out. Pure.
import type { GatewayStatus } from '#channels'
import { plural, t, word } from './language.ts'

export type TrayRow =
  | { readonly label: string; readonly enabled: false }
  | { readonly label: string; readonly does: 'open' | 'connections' | 'pause' | 'resume' | 'approvals' | 'quit' }
  | 'separator'

/** Of the renderer: where calls that wait are decided. */
export const APPROVALS_PAGE = '/approvals'
/** In a browser, where a person signs in: the window is no person. */
export const CONNECTIONS_PATH = '/admin/connections'

const STATES: Readonly<Record<GatewayStatus['state'], string>> = {
  starting: word('Starting…'),
  running: word('Running'),
  paused: word('Paused'),
  safe: word('Safe mode'),
  locked: word('Waiting for the passphrase'),
  stopped: word('Stopped'),
}

export const trayTitle = ({ state, url }: GatewayStatus): string =>
  url === null
    ? t('Gantry: {state}', { state: t(STATES[state]) })
    : t('Gantry: {state} on {host}', { state: t(STATES[state]), host: new URL(url).host })

export function trayRows(status: GatewayStatus, pendingApprovals: number): readonly TrayRow[] {
  const { state } = status
  return [
    { label: trayTitle(status), enabled: false },
    ...(pendingApprovals > 0
      ? [
          {
            label: plural(pendingApprovals, '{count} call waits for approval…', '{count} calls wait for approval…'),
            does: 'approvals',
          } as const,
        ]
      : []),
    'separator',
    { label: t('Open Gantry'), does: 'open' },
    ...(state === 'running' ? [{ label: t('My connections…'), does: 'connections' } as const] : []),
    ...(state === 'running' ? [{ label: t('Pause: serve no agents'), does: 'pause' } as const] : []),
    ...(state === 'paused' || state === 'safe' ? [{ label: t('Resume'), does: 'resume' } as const] : []),
    ...(state === 'stopped' ? [{ label: t('Start the gateway'), does: 'resume' } as const] : []),
    'separator',
    { label: t('Quit Gantry'), does: 'quit' },
  ]
}
