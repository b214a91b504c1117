// An alert rule as it is stored and as it is shown.

import type { AlertEvent, AlertInput, AlertRule } from '../../contract/admin/alerts.ts'
import type { Delivery, Hook } from '../../live/webhooks.ts'
import { ownerOf } from '../../records/owned.ts'
import type { AlertRow } from '../../storage/alerts.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'

/** What of a row any actor set. */
export const settingsOf = (row: AlertRow): Omit<AlertInput, 'name'> => ({
  eventType: row.event_type as AlertEvent, // written by `columnsOf`
  webhookUrl: row.webhook_url,
  enabled: row.enabled === 1,
  threshold: row.threshold,
  minCalls: row.min_calls,
  client: row.client,
})

/** A rule that is switched off reports nothing: what it reported is over. */
export const columnsOf = (settings: Omit<AlertInput, 'name'>, addresses: readonly string[]) =>
  ({
    event_type: settings.eventType,
    webhook_url: settings.webhookUrl,
    addresses: jsonText(addresses),
    enabled: settings.enabled ? 1 : 0,
    threshold: settings.threshold,
    min_calls: settings.minCalls,
    client: settings.client,
    ...(settings.enabled ? {} : { state: 'ok', affected: jsonText([]) }),
  }) as const

/** Where its webhook was vetted to lead. */
export const addressesOf = ({ addresses }: Pick<AlertRow, 'addresses'>): readonly string[] => fromText(addresses)

/** What a rule reported last: backends, or tools as `client__tool`. */
export const affectedOf = ({ affected }: Pick<AlertRow, 'affected'>): readonly string[] => fromText(affected)

export const alertOf = (row: AlertRow): AlertRule => ({
  id: row.id,
  name: row.name,
  ...settingsOf(row),
  state: row.state === 'firing' ? 'firing' : 'ok',
  lastFiredAt: row.last_fired_at,
  lastDelivery: fromText(row.last_delivery),
  ...ownerOf(row),
})

export const deliveryText = ({ ok, httpStatus, error }: Delivery, atMs: number) =>
  jsonText({ at: new Date(atMs).toISOString(), ok, httpStatus, error })

export const hookOf = (row: AlertRow, timeoutMs: number, fields: Hook['fields']): Hook => ({
  sink: 'alert',
  url: row.webhook_url,
  timeoutMs,
  event: row.event_type,
  fields: { rule: row.name, ruleId: row.id, ...fields },
})
