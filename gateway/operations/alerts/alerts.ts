// Alert rules: created with the address of their webhook vetted and pinned, changed, removed, and tried. Contract 7.7, 10.6.
import { type AlertChange, type AlertInput, type AlertRule, thresholdProblem } from '../../contract/admin/alerts.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn, type Page } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Webhooks } from '../../live/webhooks.ts'
import type { Outbound } from '../../net/outbound.ts'
import { type Changes, difference, type Revision, requireRevision } from '../../records/changes.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import {
  type AlertRow,
  alertById,
  alertByName,
  alertsBefore,
  deleteAlert,
  insertAlert,
  noteDelivery,
  updateAlert,
} from '../../storage/alerts.ts'
import type { Database } from '../../storage/database.ts'
import { beforeId, type Paging, pageById } from '../../storage/page.ts'
import type { Query } from '../../storage/schema.ts'
import type { ByActor } from '../backends/backends.ts'
import { addressesOf, alertOf, columnsOf, deliveryText, hookOf, settingsOf } from './alert-rows.ts'

type Parts = {
  readonly database: Pick<Database, 'query'>
  readonly changes: Changes
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly outbound: Pick<Outbound, 'pin'>
  readonly webhooks: Pick<Webhooks, 'deliver'>
  readonly timeoutMs: number
  readonly clock: { now(): number }
}
export type Alerts = ReturnType<typeof createAlerts>

const notFound = (): GatewayError => new GatewayError('ALERT_NOT_FOUND', 'There is no such alert rule')

async function required(query: Query, actor: Actor, given: string): Promise<AlertRow> {
  const id = idIn(given)
  const row = id === undefined ? undefined : await alertById(query, id)
  if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw notFound()
  return row
}

/** Documents know a rule by its name. Names are of the whole gateway: a team learns that one is taken, and not by whom. */
async function requireFree(query: Query, name: string): Promise<void> {
  if (await alertByName(query, name))
    throw new GatewayError('ALREADY_EXISTS', `There is an alert rule "${name}" already`)
}

function requireThreshold({ eventType, threshold }: Pick<AlertInput, 'eventType' | 'threshold'>): void {
  const message = thresholdProblem(eventType, threshold)
  if (message !== undefined)
    throw new GatewayError('VALIDATION_ERROR', `threshold ${message}`, { fields: [{ path: 'threshold', message }] })
}

export function createAlerts({ database, changes, registry, outbound, webhooks, timeoutMs, clock }: Parts) {
  const { query } = database
  const at = (): string => new Date(clock.now()).toISOString()
  const vetted = async (url: string): Promise<readonly string[]> => (await outbound.pin(url, 'webhookUrl')).addresses

  /** A rule for a backend that is not there would be silent for ever. */
  function requireClient(actor: Actor, client: string | null): void {
    if (client === null) return
    const backend = registry.known(client)
    if (backend === undefined || !mayTouch(actor, backend))
      throw new GatewayError('CLIENT_NOT_FOUND', `There is no backend "${client}"`)
  }

  async function read(id: number): Promise<AlertRule> {
    const row = await alertById(query, id)
    if (row === undefined) throw notFound()
    return alertOf(row)
  }

  return {
    async list({ teamId }: Actor, { limit, cursor }: Paging): Promise<Page<AlertRule>> {
      const rows = await alertsBefore(query, { before: beforeId(cursor), teamId, limit: limit + 1 })
      return pageById(rows.map(alertOf), limit)
    },

    get: async (actor: Actor, id: string): Promise<AlertRule> => alertOf(await required(query, actor, id)),

    async create(by: ByActor, { name, ...settings }: AlertInput): Promise<AlertRule> {
      requireClient(by.actor, settings.client)
      const addresses = await vetted(settings.webhookUrl)
      const id = await changes(by, async (tx, audit) => {
        await requireFree(tx, name)
        const created = at()
        const made = await insertAlert(tx, {
          name,
          ...columnsOf(settings, addresses),
          team_id: by.actor.teamId,
          revision: 1,
          created_at: created,
          updated_at: created,
          created_by: by.actor.name,
        })
        await audit('alert.create', name, { after: settings })
        return made
      })
      return read(id)
    },

    async update(by: ByActor, given: string, change: AlertChange, expected: readonly Revision[]): Promise<AlertRule> {
      // Asked first, so that nobody has an address vetted for a rule that is none of theirs.
      await required(query, by.actor, given)
      const fresh = change.webhookUrl === undefined ? undefined : await vetted(change.webhookUrl)
      const id = await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        const before = { name: row.name, ...settingsOf(row) }
        const wanted = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
        const after = { ...before, ...wanted }
        if (after.eventType !== before.eventType)
          throw new GatewayError('IMMUTABLE_FIELD', 'The event of a rule stays; make another rule for another event')
        requireThreshold(after)
        if (after.client !== before.client) requireClient(by.actor, after.client)
        if (after.name !== before.name) await requireFree(tx, after.name)
        const different = difference(before, after)
        // The same address given again is pinned anew.
        const addresses = fresh ?? addressesOf(row)
        if (!different && JSON.stringify(addresses) === row.addresses) return row.id
        await updateAlert(tx, row.id, { name: after.name, ...columnsOf(after, addresses), updated_at: at() })
        await audit('alert.update', after.name, different ?? { repinned: true })
        return row.id
      })
      return read(id)
    },

    async delete(by: ByActor, given: string, expected: readonly Revision[]): Promise<void> {
      await changes(by, async (tx, audit) => {
        const row = await required(tx, by.actor, given)
        requireRevision(row.revision, expected)
        await deleteAlert(tx, row.id)
        await audit('alert.delete', row.name, { before: settingsOf(row) })
      })
    },

    /** What it would be sent, but for what happened. */
    async test(by: ByActor, given: string): Promise<{ status: 'delivered'; httpStatus: number; durationMs: number }> {
      const row = await required(query, by.actor, given)
      const hook = hookOf(row, timeoutMs, { test: true, detail: { test: true } })
      const { durationMs, ...ended } = await webhooks.deliver(hook, addressesOf(row))
      const { ok, httpStatus, error } = ended
      await changes(by, async (tx, audit) => {
        await noteDelivery(tx, row.id, deliveryText({ ...ended, durationMs }, clock.now()))
        await audit('alert.test', row.name, { ok, httpStatus })
      })
      if (ok && httpStatus !== null) return { status: 'delivered', httpStatus, durationMs }
      throw new GatewayError('WEBHOOK_FAILED', `The webhook did not take the test: ${error}`, {
        details: { httpStatus, reason: error },
      })
    },
  }
}
