// The other servers of a backend as they are written: vetted before the transaction, compared and stored within it.

import type { CanaryInput, LbInput, LbTargetInput } from '../../contract/admin/targets.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Outbound } from '../../net/outbound.ts'
import { parseHttpUrl } from '../../net/pin.ts'
import { difference } from '../../records/changes.ts'
import { type BackendRow, updateBackend } from '../../storage/backends.ts'
import { fromText, jsonText } from '../../storage/json-text.ts'
import {
  deleteLbTarget,
  deleteLbTargets,
  insertLbTarget,
  type LbTargetRow,
  lbTargetsOf,
  updateLbTarget,
} from '../../storage/lb-targets.ts'
import type { Tx } from '../../storage/schema.ts'
import type { StoredCanary, StoredLb } from '../../storage/stored.ts'

type Row = Pick<BackendRow, 'id' | 'canary' | 'lb'>
export type Vetted = CanaryInput & Pick<StoredCanary, 'addresses'>
export type VettedTarget = LbTargetInput & Pick<StoredCanary, 'addresses'>
export type VettedPool = Omit<LbInput, 'upstreams'> & { readonly upstreams?: readonly VettedTarget[] | undefined }
type Changed = ReturnType<typeof difference>

export const storedCanary = ({ canary }: Pick<Row, 'canary'>): StoredCanary | undefined => fromText(canary) ?? undefined
export const storedLb = ({ lb }: Pick<Row, 'lb'>): StoredLb | undefined => fromText(lb) ?? undefined

/** What is set by its first server. */
const FIRST_POOL: StoredLb = { strategy: 'round-robin', primaryWeight: 1, enabled: true, revision: 0 }

/** With or without a slash at its end it is the same server. */
export const sameServer = (a: string, b: string): boolean =>
  new URL(a).href.replace(/\/$/, '') === new URL(b).href.replace(/\/$/, '')

/** Where a server is. Constant parameters, and keys among them, are those of the backend itself. */
export async function vetServer(
  outbound: Pick<Outbound, 'pin'>,
  url: string,
  field: string,
): Promise<readonly string[]> {
  if (parseHttpUrl(url, field).search !== '') {
    const message = 'must not have a query: every server of a backend is sent the parameters of its own address'
    throw new GatewayError('INVALID_URL', `${field} ${message}`, { fields: [{ path: field, message }] })
  }
  return (await outbound.pin(url, field)).addresses
}

export function requireDistinct(urls: readonly string[]): void {
  const twice = urls.find((url, at) => urls.slice(0, at).some((other) => sameServer(url, other)))
  if (twice !== undefined) throw new GatewayError('ALREADY_EXISTS', `The pool names ${twice} twice`)
}

/** What changed; undefined when it is as it was. */
export async function putCanary(tx: Tx, row: Row, wanted: Vetted | null, at: string): Promise<Changed> {
  const stored = storedCanary(row)
  const changed = wanted
    ? difference(stored ?? {}, { ...wanted })
    : stored && difference({ canary: report(stored) }, { canary: null })
  if (!changed) return undefined
  const next: StoredCanary | null = wanted && { ...wanted, updatedAt: at, revision: (stored?.revision ?? 0) + 1 }
  await updateBackend(tx, row.id, { canary: next && jsonText(next), updated_at: at })
  return changed
}

const report = ({ updatedAt: _at, revision: _revision, ...canary }: StoredCanary) => canary

export async function putPool(tx: Tx, row: Row, wanted: VettedPool | null, at: string): Promise<Changed> {
  const rows = await lbTargetsOf(tx, row.id)
  const stored = storedLb(row)
  const before = stored && settingsOf(stored, rows.map(targetIn))
  if (wanted === null) {
    if (stored === undefined) return undefined
    await deleteLbTargets(tx, row.id)
    await updateBackend(tx, row.id, { lb: null, updated_at: at })
    return difference({ lb: before }, { lb: null })
  }
  const after = settingsOf(wanted, wanted.upstreams ?? rows.map(targetIn))
  const changed = difference(before ?? {}, after)
  if (!changed) return undefined
  if (wanted.upstreams) await replaceTargets(tx, row.id, rows, wanted.upstreams)
  await writeLb(tx, row, wanted, at)
  return changed
}

/** The revision of the pool moves with every change of one of its servers. */
export async function writeLb(
  tx: Tx,
  row: Row,
  given: Omit<StoredLb, 'revision'> | undefined,
  at: string,
): Promise<void> {
  const stored = storedLb(row) ?? FIRST_POOL
  const { strategy, primaryWeight, enabled } = given ?? stored
  const next: StoredLb = { strategy, primaryWeight, enabled, revision: stored.revision + 1 }
  await updateBackend(tx, row.id, { lb: jsonText(next), updated_at: at })
}

/** A server that stays keeps its number, and what is known of it. */
async function replaceTargets(
  tx: Tx,
  backendId: number,
  rows: readonly LbTargetRow[],
  wanted: readonly VettedTarget[],
): Promise<void> {
  const of = (url: string): LbTargetRow | undefined => rows.find(({ base_url }) => sameServer(base_url, url))
  const kept = new Set(wanted.map(({ baseUrl }) => of(baseUrl)?.id))
  for (const { id } of rows) if (!kept.has(id)) await deleteLbTarget(tx, id)
  for (const target of wanted) {
    const known = of(target.baseUrl)
    if (known) await updateLbTarget(tx, known.id, columnsOf(target))
    else await insertLbTarget(tx, { backend_id: backendId, ...columnsOf(target) })
  }
}

export const columnsOf = ({ baseUrl, addresses, weight, enabled }: VettedTarget) =>
  ({
    base_url: baseUrl,
    addresses: jsonText(addresses),
    weight,
    enabled: enabled ? 1 : 0,
  }) as const

export const targetIn = (row: LbTargetRow): VettedTarget => ({
  baseUrl: row.base_url,
  weight: row.weight,
  enabled: row.enabled === 1,
  addresses: fromText(row.addresses),
})

function settingsOf(
  { strategy, primaryWeight, enabled }: Omit<StoredLb, 'revision'>,
  upstreams: readonly VettedTarget[],
) {
  const inOrder = [...upstreams].sort((a, b) => (a.baseUrl < b.baseUrl ? -1 : 1))
  return {
    strategy,
    primaryWeight,
    enabled,
    upstreams: inOrder.map(({ baseUrl, weight, enabled, addresses }) => ({ baseUrl, weight, enabled, addresses })),
  }
}
