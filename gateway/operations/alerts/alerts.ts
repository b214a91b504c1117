// Alert rules: created with the address of their webhook vetted and pinned, changed, removed, and tried. Contract 7.7, 10.6.

import { type AlertInput, thresholdProblem } from '../../contract/admin/alerts.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Webhooks } from '../../live/webhooks.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { createOwned, type RecordBase } from '../../records/owned.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { alertRows, noteDelivery } from '../../storage/alerts.ts'
import { addressesOf, alertOf, columnsOf, deliveryText, hookOf, settingsOf } from './alert-rows.ts'

type AlertsDeps = RecordBase &
  Pick<Base, 'outbound'> & {
    readonly registry: Pick<LiveRegistry, 'known'>
    readonly webhooks: Pick<Webhooks, 'deliver'>
    readonly timeoutMs: number
  }

function requireThreshold({ eventType, threshold }: Pick<AlertInput, 'eventType' | 'threshold'>): void {
  const message = thresholdProblem(eventType, threshold)
  if (message !== undefined)
    throw new GatewayError('VALIDATION_ERROR', `threshold ${message}`, { fields: [{ path: 'threshold', message }] })
}

export function createAlerts({ registry, outbound, webhooks, timeoutMs, ...base }: AlertsDeps) {
  const {
    database: { query },
    changes,
    clock,
  } = base

  /** A rule for a backend that does not exist would never fire. */
  function requireClient(actor: Actor, client: string | null): void {
    if (client === null) return
    const backend = registry.known(client)
    if (backend === undefined || !mayTouch(actor, backend))
      throw new GatewayError('CLIENT_NOT_FOUND', `There is no backend "${client}"`)
  }

  const owned = createOwned(
    {
      rows: alertRows,
      noun: 'alert',
      key: 'id',
      order: 'newest',
      notFound: () => new GatewayError('ALERT_NOT_FOUND', 'There is no such alert rule'),
      // Documents refer to a rule by its name.
      taken: (name) => new GatewayError('ALREADY_EXISTS', `There is an alert rule "${name}" already`),
      settingsOf: (row): AlertInput => ({ name: row.name, ...settingsOf(row) }),
      prepare: async ({ webhookUrl }) =>
        webhookUrl === undefined ? undefined : (await outbound.pin(webhookUrl, 'webhookUrl')).addresses,
      columnsOf: (settings, { row, prepared }) => columnsOf(settings, prepared ?? (row ? addressesOf(row) : [])),
      present: alertOf,
      check(after, actor, before) {
        if (before && after.eventType !== before.settings.eventType)
          throw new GatewayError('IMMUTABLE_FIELD', 'The event of a rule stays; make another rule for another event')
        requireThreshold(after)
        if (after.client !== before?.settings.client) requireClient(actor, after.client)
        return after
      },
    },
    base,
  )

  return {
    ...owned,

    /** Delivers the payload of the rule, marked as a test. */
    async test(by: By, given: string): Promise<{ status: 'delivered'; httpStatus: number; durationMs: number }> {
      const row = await owned.required(query, by.actor, given)
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
