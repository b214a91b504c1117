// WebSocket targets of a document into their table.
import type { ConfigDoc } from '../../contract/config-document.ts'
import { addressesOf, type WsTargets } from '../../registry/ws-targets.ts'
import { backendByName } from '../../storage/backends.ts'
import { wsTargetRows } from '../../storage/ws-targets.ts'
import { columnsOf } from '../backends/ws-targets.ts'
import { type Applying, fresh, isPresent } from './applying.ts'
import type { Ready } from './ready.ts'

export type WsTargetsLive = Pick<WsTargets, 'reload'>

export async function putWsTargets(
  applying: Applying,
  live: WsTargetsLive,
  vetted: Ready['vettedSockets'],
  targets: ConfigDoc['wsProxyTargets'] = [],
): Promise<void> {
  const { tx, at, skip, later } = applying
  for (const { name, ...settings } of targets) {
    if (isPresent(applying, 'wsProxyTargets', { name, ...settings })) continue
    const row = await wsTargetRows.byName(tx, name)
    // What was moved between the vetting and now is not what was vetted.
    const addresses = vetted.get(name) ?? (row?.url === settings.backendWsUrl ? addressesOf(row) : 'its address moved')
    if (typeof addresses === 'string') {
      skip('wsProxyTargets', name, addresses)
      continue
    }
    if (row) await wsTargetRows.update(tx, row.id, { ...columnsOf(settings, addresses), updated_at: at })
    else if (await backendByName(tx, name)) {
      skip('wsProxyTargets', name, 'a backend has this name')
      continue
    } else await wsTargetRows.insert(tx, { ...fresh(applying), name, ...columnsOf(settings, addresses) })
    later(() => live.reload(name))
  }
}

export async function dropWsTargets(
  { tx, later }: Applying,
  live: WsTargetsLive,
  targets: NonNullable<ConfigDoc['wsProxyTargets']>,
): Promise<void> {
  const kept = new Set(targets.map(({ name }) => name))
  for (const { id, name } of await wsTargetRows.all(tx)) {
    if (kept.has(name)) continue
    await wsTargetRows.delete(tx, id)
    later(() => live.reload(name))
  }
}
