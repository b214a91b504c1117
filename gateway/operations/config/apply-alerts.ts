// Alert rules of a document: the addresses of their webhooks vetted where they are new or moved, then into their table.
import type { ConfigDoc } from '../../contract/config-document.ts'
import type { Outbound } from '../../net/outbound.ts'
import { alertRows } from '../../storage/alerts.ts'
import { backendByName } from '../../storage/backends.ts'
import type { Query } from '../../storage/schema.ts'
import { addressesOf, columnsOf } from '../alerts/alert-rows.ts'
import { type Applying, fresh, isPresent } from './applying.ts'
import { orWhy, type Vetted } from './tool-sockets.ts'

type Rules = NonNullable<ConfigDoc['alertRules']>

/** Those that stay where they are are not among them. */
export async function vetHooks(
  query: Query,
  outbound: Pick<Outbound, 'pin'>,
  { alertRules = [] }: ConfigDoc,
): Promise<Vetted<readonly string[]>> {
  const vetted = new Map<string, readonly string[] | string>()
  for (const { name, webhookUrl } of alertRules) {
    if ((await alertRows.byName(query, name))?.webhook_url === webhookUrl) continue
    const pin = await orWhy(outbound.pin(webhookUrl, 'webhookUrl'))
    vetted.set(name, typeof pin === 'string' ? pin : pin.addresses)
  }
  return vetted
}

export async function putAlerts(
  applying: Applying,
  vetted: Vetted<readonly string[]>,
  rules: Rules = [],
): Promise<void> {
  const { tx, at, skip } = applying
  for (const { name, ...settings } of rules) {
    if (isPresent(applying, 'alertRules', { name, ...settings })) continue
    const row = await alertRows.byName(tx, name)
    // What was moved between the vetting and now is not what was vetted.
    const addresses =
      vetted.get(name) ?? (row?.webhook_url === settings.webhookUrl ? addressesOf(row) : 'its address moved')
    if (typeof addresses === 'string') skip('alertRules', name, addresses)
    else if (settings.client !== null && !(await backendByName(tx, settings.client)))
      skip('alertRules', name, `there is no backend "${settings.client}"`)
    else if (row?.event_type === settings.eventType)
      await alertRows.update(tx, row.id, { ...columnsOf(settings, addresses), updated_at: at })
    else {
      // The event of a rule stays: one of another event is another rule of that name.
      if (row) await alertRows.delete(tx, row.id)
      await alertRows.insert(tx, { ...fresh(applying), name, ...columnsOf(settings, addresses) })
    }
  }
}
