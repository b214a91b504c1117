// The other servers of a backend, set by an administrator: its canary or failover, and its pool. Contract 7.2, 9.1, 9.2.

import {
  type Canary,
  type CanaryInput,
  type Lb,
  type LbInput,
  type LbTarget,
  type LbTargetInput,
  MOST_LB_TARGETS,
} from '../../contract/admin/targets.ts'
import { GatewayError } from '../../contract/error.ts'
import { idIn } from '../../contract/page.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { type Audit, difference, type Revision, requireRevision } from '../../records/changes.ts'
import type { Backend } from '../../registry/backend.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { type BackendRow, backendByName, updateBackend } from '../../storage/backends.ts'
import {
  deleteLbTarget,
  insertLbTarget,
  type LbTargetRow,
  lbTargetsOf,
  updateLbTarget,
} from '../../storage/lb-targets.ts'
import type { Tx } from '../../storage/schema.ts'
import { type Binding, bindingFor, requireAdminToKeep } from './credential-binding.ts'
import type { Presenter } from './present.ts'
import {
  columnsOf,
  putCanary,
  putPool,
  requireDistinct,
  sameServer,
  storedCanary,
  storedLb,
  targetIn,
  vetServer,
  writeLb,
} from './target-rows.ts'

type TargetSettingsDeps = Pick<Base, 'database' | 'changes' | 'outbound' | 'clock'> & {
  readonly registry: LiveRegistry
  readonly present: Pick<Presenter, 'canary' | 'lb'>
}
type Expected = readonly Revision[]
/** Accepted from admins: the stored credential goes to these servers as well. */
type KeepCredential = { readonly keepCredential?: boolean | undefined }
export type TargetSettings = ReturnType<typeof createTargetSettings>

const inputIn = <T extends KeepCredential>({ keepCredential = false, ...input }: T) => ({ input, keepCredential })

type Warned = { readonly warnings?: string[] }
const report = (warnings: readonly string[]): Warned => (warnings.length === 0 ? {} : { warnings: [...warnings] })

const noClient = (): GatewayError => new GatewayError('CLIENT_NOT_FOUND', 'Client not found')
const noTarget = (): GatewayError => new GatewayError('TARGET_NOT_FOUND', 'The pool has no such server')
const unset = (): GatewayError => new GatewayError('NOT_CONFIGURED', 'Nothing is configured here')

function requireRest({ kind }: BackendRow): void {
  if (kind !== 'rest')
    throw new GatewayError('NOT_REST', `Only a REST backend can have other servers; this one is of kind "${kind}"`)
}

/** A server of a pool has the revision of its pool. */
const requirePool = (row: BackendRow, expected: Expected): void =>
  requireRevision(storedLb(row)?.revision ?? 0, expected)

export function createTargetSettings({ database, changes, registry, outbound, present, clock }: TargetSettingsDeps) {
  const at = (): string => new Date(clock.now()).toISOString()

  function known(actor: Actor, name: string): Backend {
    const backend = registry.known(name)
    if (backend === undefined || !mayTouch(actor, backend)) throw noClient()
    return backend
  }

  /** Before the network is asked about an address. */
  async function requireRestBackend({ actor }: By, name: string): Promise<void> {
    const row = await backendByName(database.query, name)
    if (row === undefined || !mayTouch(actor, { teamId: row.team_id })) throw noClient()
    requireRest(row)
  }

  /** What is true in the transaction decides. */
  async function changing<T>(
    by: By,
    name: string,
    work: (tx: Tx, row: BackendRow, audit: Audit) => Promise<T>,
  ): Promise<T> {
    const done = await changes(by, async (tx, audit) => {
      const row = await backendByName(tx, name)
      if (row === undefined || !mayTouch(by.actor, { teamId: row.team_id })) throw noClient()
      return work(tx, row, audit)
    })
    await registry.reload(name, 'changed')
    return done
  }

  async function targetRow(tx: Tx, { id }: BackendRow, given: string): Promise<LbTargetRow> {
    const wanted = idIn(given)
    const found = (await lbTargetsOf(tx, id)).find((row) => row.id === wanted)
    if (found === undefined) throw noTarget()
    return found
  }

  /** Written with the change of the servers; what it says is part of that change. */
  async function bind(tx: Tx, row: BackendRow, urls: readonly string[], keep: boolean | undefined): Promise<Binding> {
    const binding = bindingFor(row, urls, keep)
    if (binding.confirmed) await updateBackend(tx, row.id, { ...binding.columns, updated_at: at() })
    return binding
  }

  const shown = (actor: Actor, name: string, id: number): LbTarget => {
    const target = present.lb(known(actor, name))?.targets.find((each) => each.id === id)
    if (target === undefined) throw noTarget()
    return target
  }

  const getCanary = (actor: Actor, name: string): { canary: Canary | null } => ({
    canary: present.canary(known(actor, name)),
  })
  const getLb = (actor: Actor, name: string): { lb: Lb | null } => ({ lb: present.lb(known(actor, name)) })

  return {
    getCanary,
    getLb,

    async setCanary(
      by: By,
      name: string,
      change: (CanaryInput & KeepCredential) | { readonly canary: null },
      expected: Expected,
    ) {
      const { input, keepCredential } = 'canary' in change ? { input: null, keepCredential: false } : inputIn(change)
      requireAdminToKeep(by.actor, keepCredential)
      await requireRestBackend(by, name)
      const vetted = input && {
        ...input,
        addresses: await vetServer(outbound, input.secondaryBaseUrl, 'secondaryBaseUrl'),
      }
      const { warnings } = await changing(by, name, async (tx, row, audit) => {
        requireRevision(storedCanary(row)?.revision ?? 0, expected)
        const binding = await bind(tx, row, input ? [input.secondaryBaseUrl] : [], keepCredential)
        const changed = await putCanary(tx, row, vetted, at())
        if (changed || binding.confirmed)
          await audit(vetted ? 'client.canary.set' : 'client.canary.clear', name, { ...changed, ...binding.detail })
        return binding
      })
      return { ...getCanary(by.actor, name), ...report(warnings) }
    },

    clearCanary: (by: By, name: string, expected: Expected): Promise<void> =>
      changing(by, name, async (tx, row, audit) => {
        const stored = storedCanary(row)
        if (stored === undefined) throw unset()
        requireRevision(stored.revision, expected)
        const changed = await putCanary(tx, row, null, at())
        if (changed) await audit('client.canary.clear', name, changed)
      }),

    async setLb(by: By, name: string, change: (LbInput & KeepCredential) | { readonly lb: null }, expected: Expected) {
      const { input, keepCredential } = 'lb' in change ? { input: null, keepCredential: false } : inputIn(change)
      requireAdminToKeep(by.actor, keepCredential)
      await requireRestBackend(by, name)
      const upstreams = input?.upstreams
      requireDistinct(upstreams?.map(({ baseUrl }) => baseUrl) ?? [])
      const vetted =
        upstreams &&
        (await Promise.all(
          upstreams.map(async (target, index) => ({
            ...target,
            addresses: await vetServer(outbound, target.baseUrl, `upstreams.${index}.baseUrl`),
          })),
        ))
      const { warnings } = await changing(by, name, async (tx, row, audit) => {
        requirePool(row, expected)
        const stays = async () => (input && keepCredential ? await lbTargetsOf(tx, row.id) : [])
        const urls = upstreams?.map(({ baseUrl }) => baseUrl) ?? (await stays()).map(({ base_url }) => base_url)
        const binding = await bind(tx, row, urls, keepCredential)
        const changed = await putPool(tx, row, input && { ...input, upstreams: vetted }, at())
        if (changed || binding.confirmed)
          await audit(input ? 'client.lb.set' : 'client.lb.clear', name, { ...changed, ...binding.detail })
        return binding
      })
      return { ...getLb(by.actor, name), ...report(warnings) }
    },

    clearLb: (by: By, name: string, expected: Expected): Promise<void> =>
      changing(by, name, async (tx, row, audit) => {
        const stored = storedLb(row)
        if (stored === undefined) throw unset()
        requireRevision(stored.revision, expected)
        const changed = await putPool(tx, row, null, at())
        if (changed) await audit('client.lb.clear', name, changed)
      }),

    async addUpstream(
      by: By,
      name: string,
      { keepCredential = false, ...input }: LbTargetInput & KeepCredential,
      expected: Expected,
    ): Promise<LbTarget & Warned> {
      requireAdminToKeep(by.actor, keepCredential)
      await requireRestBackend(by, name)
      const target = { ...input, addresses: await vetServer(outbound, input.baseUrl, 'baseUrl') }
      const { id, warnings } = await changing(by, name, async (tx, row, audit) => {
        requirePool(row, expected)
        const rows = await lbTargetsOf(tx, row.id)
        if (rows.some(({ base_url }) => sameServer(base_url, input.baseUrl)))
          throw new GatewayError('ALREADY_EXISTS', 'The pool has this server already')
        if (rows.length >= MOST_LB_TARGETS)
          throw new GatewayError('LIMIT_REACHED', `A pool has at most ${MOST_LB_TARGETS} servers: remove one first`)
        const made = await insertLbTarget(tx, { backend_id: row.id, ...columnsOf(target) })
        await writeLb(tx, row, undefined, at())
        const binding = await bind(tx, row, [input.baseUrl], keepCredential)
        await audit('client.lb.upstream.add', name, { id: made, ...target, ...binding.detail })
        return { id: made, warnings: binding.warnings }
      })
      return { ...shown(by.actor, name, id), ...report(warnings) }
    },

    async updateUpstream(
      by: By,
      name: string,
      given: string,
      change: { readonly weight?: number | undefined; readonly enabled?: boolean | undefined } & KeepCredential,
      expected: Expected,
    ): Promise<LbTarget> {
      requireAdminToKeep(by.actor, change.keepCredential)
      const id = await changing(by, name, async (tx, row, audit) => {
        const found = await targetRow(tx, row, given)
        requirePool(row, expected)
        const before = targetIn(found)
        const after = { ...before, weight: change.weight ?? before.weight, enabled: change.enabled ?? before.enabled }
        const changed = difference({ ...before }, { ...after })
        const binding = await bind(tx, row, change.keepCredential ? [before.baseUrl] : [], change.keepCredential)
        if (changed) {
          await updateLbTarget(tx, found.id, columnsOf(after))
          await writeLb(tx, row, undefined, at())
        }
        if (changed || binding.confirmed)
          await audit('client.lb.upstream.update', name, { id: found.id, ...changed, ...binding.detail })
        return found.id
      })
      return shown(by.actor, name, id)
    },

    removeUpstream: (by: By, name: string, given: string, expected: Expected): Promise<void> =>
      changing(by, name, async (tx, row, audit) => {
        const found = await targetRow(tx, row, given)
        requirePool(row, expected)
        await deleteLbTarget(tx, found.id)
        await writeLb(tx, row, undefined, at())
        await audit('client.lb.upstream.remove', name, { id: found.id, ...targetIn(found) })
      }),
  }
}
