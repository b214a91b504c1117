// The states of a connection to a backend, in words and colours.
import type { ClientConnection } from '#contract'
import { t } from '../../language/language.ts'
import type { Tone } from '../../ui/Badge.tsx'
import { formatMoment } from '../../ui/format.ts'

type Shown = Pick<ClientConnection, 'state' | 'retryingSince' | 'lastError' | 'expiresAt'>

const STATES: Readonly<Record<ClientConnection['state'], readonly [Tone, string]>> = {
  connected: ['ok', t('Connected')],
  refreshing: ['info', t('Refreshing')],
  retrying: ['warn', t('Retrying')],
  reconnect: ['bad', t('Reconnect needed')],
  revoked: ['neutral', t('Disconnected')],
}

export const stateOf = (connection: Shown | null): readonly [Tone, string] =>
  connection === null ? ['neutral', t('No connection yet')] : STATES[connection.state]

/** What a person can know of it beside its state. */
export function aboutState(connection: Shown | null): string {
  if (connection === null) return t('Calls of this backend are refused until you connect.')
  const { state, retryingSince, lastError, expiresAt } = connection
  if (state === 'retrying')
    return t('The provider has not answered since {time}. The token works until it ends.', {
      time: retryingSince === null ? '–' : formatMoment(retryingSince),
    })
  if (state === 'reconnect') return t('The provider ended it: {reason}.', { reason: lastError ?? t('no reason given') })
  if (state === 'revoked') return t('Nothing is called as you any more.')
  return expiresAt === null
    ? t('The token has no end.')
    : t('Refreshed before {time}.', { time: formatMoment(expiresAt) })
}
