// WebSocket targets of a document into their table.
import type { ConfigDoc } from '../../contract/config-document.ts'
import { addressesOf, type WsTargets } from '../../registry/ws-targets.ts'
import { backendByName } from '../../storage/backends.ts'
import { wsTargetRows } from '../../storage/ws-targets.ts'
import { columnsOf } from '../backends/ws-targets.ts'
import { type Applying, dropOthers, isPresent, namesOf, put } from './applying.ts'
import type { Ready } from './ready.ts'

export type WsTargetsLive = Pick<WsTargets, 'reload'>

export async function putWsTargets(
  applying: Applying,
  live: WsTargetsLive,
  vetted: Ready['vettedSockets'],
  targets: ConfigDoc['wsProxyTargets'] = [],
): Promise<void> {
  const { tx, skip, later } = applying
  for (const { name, ...settings } of targets) {
    if (isPresent(applying, 'wsProxyTargets', { name, ...settings })) continue
    const row = await wsTargetRows.byName(tx, name)
    // What was moved between the vetting and now is not what was vetted.
    const addresses = vetted.get(name) ?? (row?.url === settings.backendWsUrl ? addressesOf(row) : 'its address moved')
    if (typeof addresses === 'string') {
      skip('wsProxyTargets', name, addresses)
      continue
    }
    if (!row && (await backendByName(tx, name))) {
      skip('wsProxyTargets', name, 'a backend has this name')
      continue
    }
    await put(applying, wsTargetRows, { name }, columnsOf(settings, addresses))
    later(() => live.reload(name))
  }
}

export const dropWsTargets = (
  applying: Applying,
  live: WsTargetsLive,
  targets: NonNullable<ConfigDoc['wsProxyTargets']>,
): Promise<void> =>
  dropOthers(applying, wsTargetRows, namesOf(targets), async ({ name }) => applying.later(() => live.reload(name)))
