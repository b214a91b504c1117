// Imports a document in one transaction, registrations included, and reports the difference. Contract 12, 10.10.

import {
  type Counts,
  countItems,
  type DiffEntry,
  diffConfigs,
  type Items,
  itemsOf,
} from '../../contract/config-diff.ts'
import { type ConfigDoc, DOCUMENT_SECTIONS, named, SECTIONS, type Section } from '../../contract/config-document.ts'
import type { ParsedConfig, Skipped } from '../../contract/config-parse.ts'
import { withoutItems } from '../../contract/config-selection.ts'
import { type Weakening, weakenings } from '../../contract/config-weakening.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Defaults } from '../../contract/weaker.ts'
import type { MonitorStates } from '../../live/monitor-states.ts'
import type { Base } from '../../records/base.ts'
import type { Audit, By } from '../../records/changes.ts'
import type { Curated } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { alertRows } from '../../storage/alerts.ts'
import { catalogRows } from '../../storage/catalog.ts'
import { policyRows } from '../../storage/policies.ts'
import type { Tx } from '../../storage/schema.ts'
import { bindImported } from '../backends/credential-binding.ts'
import {
  type AccessLive,
  dropConsumers,
  dropTeams,
  putBudgets,
  putCatalog,
  putConsumers,
  putPolicies,
  putTeams,
} from './apply-access.ts'
import { putAlerts } from './apply-alerts.ts'
import { putClients } from './apply-clients.ts'
import {
  type CurationLive,
  dropBundles,
  dropComposites,
  putBundles,
  putComposites,
  readReach,
} from './apply-curation.ts'
import { dropSchedules, putSchedules } from './apply-schedules.ts'
import { dropWsTargets, putWsTargets, type WsTargetsLive } from './apply-ws-targets.ts'
import { type Applying, dropOthers, hashOf, type Mode, namesOf } from './applying.ts'
import { readConfig } from './read.ts'
import type { createReadying, Ready } from './ready.ts'
import { keepSnapshot, type SnapshotKind } from './snapshots.ts'

export type ImportResult = {
  readonly dryRun: boolean
  readonly mode: Mode
  readonly applied: Record<Section, Counts>
  readonly skipped: Skipped[]
  readonly changes: DiffEntry[]
  readonly needsSecret: string[]
  /** Credentials that an address of the document does not receive. */
  readonly warnings?: string[]
  /** What is weaker than before, which asks for a confirmation. */
  readonly weakened: Weakening[]
}
export type Imported = ImportResult & { readonly snapshotId: number | null }
export type ImportOptions = {
  readonly mode: Mode
  readonly dryRun: boolean
  readonly registerClients: boolean
  readonly keepCredential?: boolean | undefined
  readonly confirm?: boolean | undefined
  /** Items that stay as they are, by their pointers. */
  readonly leaveOut?: readonly string[] | undefined
  /** The hash of the configuration the caller last saw. */
  readonly expected?: string | undefined
  /** What the import is in the log, and the snapshot taken before it. */
  readonly as: { readonly action: 'config.import' | 'config.snapshot.rollback'; readonly target: string }
  readonly snapshot: { readonly kind: SnapshotKind; readonly label: string }
}

type ImportDeps = Pick<Base, 'database' | 'changes' | 'clock'> & {
  readonly registry: Pick<LiveRegistry, 'reload' | 'get'>
  readonly curated: Pick<Curated, 'reloadBundle' | 'reloadComposite'>
  readonly breakers: { of(backend: NonNullable<ReturnType<LiveRegistry['get']>>): unknown }
  readonly ready: ReturnType<typeof createReadying>
  readonly access: AccessLive
  readonly revoke: Applying['revoke']
  readonly curation: CurationLive
  readonly wsTargets: WsTargetsLive
  readonly monitors: Pick<MonitorStates, 'refresh'>
  readonly settings: Defaults & { readonly MAX_TOOLS_PER_BUNDLE: number }
}

/** Carries the result out of a transaction that is undone. */
class Undone extends Error {
  readonly result: Imported
  constructor(result: Imported) {
    super('a dry run')
    this.result = result
  }
}

const MOST_TOLD = 200

export function createImport({ database, changes, registry, curated, breakers, ready, ...parts }: ImportDeps) {
  /** Everything, in an order in which nothing names what does not exist yet. */
  async function applyAll(applying: Applying, doc: ConfigDoc, found: Ready, touched: Set<string>) {
    const { tx, mode, skip } = applying
    await putTeams(applying, doc.teams)
    await putConsumers(applying, parts.access, doc.consumers)
    await putPolicies(applying, doc.guardPolicies)
    await putBudgets(applying, parts.access, doc.budgets)
    const entries = doc.catalogEntries?.filter(({ slug }) => {
      const why = found.unvetted.get(slug)
      if (why !== undefined) skip('catalogEntries', slug, why)
      return why === undefined
    })
    await putCatalog(applying, entries)
    await putClients(applying, doc.clients ?? [], found.clients, touched)
    await putWsTargets(applying, parts.wsTargets, found.vettedSockets, doc.wsProxyTargets)
    await putAlerts(applying, found.vettedHooks, doc.alertRules)
    await putSchedules(applying, doc.schedules)
    const reach = await readReach(tx)
    await putComposites(applying, reach, found.scripts, doc.composites)
    if (mode === 'replace' && doc.composites) await dropComposites(applying, doc.composites)
    await putBundles(applying, reach, parts.settings.MAX_TOOLS_PER_BUNDLE, doc.bundles)
    if (mode === 'merge') return
    if (doc.bundles) await dropBundles(applying, parts.curation, doc.bundles)
    if (doc.wsProxyTargets) await dropWsTargets(applying, parts.wsTargets, doc.wsProxyTargets)
    if (doc.alertRules) await dropOthers(applying, alertRows, namesOf(doc.alertRules))
    if (doc.schedules) await dropSchedules(applying, doc.schedules)
    if (doc.consumers) await dropConsumers(applying, parts.access, doc.consumers)
    if (doc.guardPolicies) await dropOthers(applying, policyRows, namesOf(doc.guardPolicies))
    if (doc.catalogEntries) await dropOthers(applying, catalogRows, new Set(doc.catalogEntries.map(({ slug }) => slug)))
    if (doc.teams) await dropTeams(applying, doc.teams)
  }

  /** After the commit: what the tables say is what calls meet. */
  async function settle(
    entries: readonly DiffEntry[],
    { found: { registrations }, touched }: Pick<Task, 'found' | 'touched'>,
  ): Promise<void> {
    const named = (section: string): Set<string> =>
      new Set(entries.flatMap(({ path }) => (path.startsWith(`/${section}/`) ? [path.split('/')[2] ?? ''] : [])))
    for (const name of new Set([...registrations.keys(), ...named('clients'), ...touched])) {
      await registry.reload(name, registrations.has(name) ? 'registered' : 'changed')
      const backend = registry.get(name)
      if (backend) breakers.of(backend)
    }
    if (named('clients').size > 0) await parts.monitors.refresh()
    for (const name of named('composites')) await curated.reloadComposite(name)
    for (const name of named('bundles')) await curated.reloadBundle(name)
  }

  /** Items that are left out may be named as they are now: a concurrent change of the configuration ends the import. */
  async function chosen(parsed: ParsedConfig, wanted: ImportOptions) {
    const { leaveOut = [], mode } = wanted
    if (leaveOut.length === 0) return { parsed, wanted }
    const present = await readConfig(database.query)
    const expected = wanted.expected ?? (mode === 'replace' ? hashOf(present) : undefined)
    return {
      parsed: { ...parsed, doc: withoutItems(parsed.doc, present, leaveOut, mode) },
      wanted: { ...wanted, expected },
    }
  }

  async function write(tx: Tx, audit: Audit, task: Task): Promise<Imported> {
    const { by, parsed, wanted, found, skipped, later, touched } = task
    const before = await readConfig(tx)
    requireHash(before, wanted.expected)
    for (const registering of found.registrations.values()) await registering(tx, audit)
    const at = new Date(parts.clock.now()).toISOString()
    const snapshotId = wanted.dryRun ? null : await keepSnapshot(tx, { ...wanted.snapshot, doc: before, at, by })
    const skip = (type: string, id: string, reason: string) => void skipped.push({ type, id, reason })
    const present = itemsOf(before)
    await applyAll(
      { tx, audit, by, at, mode: wanted.mode, present, skip, later, revoke: parts.revoke },
      parsed.doc,
      found,
      touched,
    )
    const names = (parsed.doc.clients ?? []).map(({ name }) => name)
    const { warnings, detached } = await bindImported(tx, names, wanted.keepCredential ?? false, touched)
    const after = await readConfig(tx)
    const result: Imported = {
      dryRun: wanted.dryRun,
      mode: wanted.mode,
      applied: countItems(present, itemsOf(after), askedOf(parsed.doc, present, wanted.mode)),
      skipped,
      changes: [...diffConfigs(before, after), ...renewals(found)],
      needsSecret: [...found.clients.values()].flatMap(({ upstreamAuth, oauth, identity, budgets }) =>
        [upstreamAuth, oauth, identity, ...(budgets?.values() ?? [])].flatMap((ready) => ready?.needs ?? []),
      ),
      snapshotId,
      ...(warnings.length > 0 && { warnings }),
      weakened: weakenings(before, after, parts.settings),
    }
    if (wanted.dryRun) throw new Undone(result)
    requireConfirmed(result, wanted)
    const paths = result.changes.map(({ path }) => path)
    await audit(wanted.as.action, wanted.as.target, {
      mode: wanted.mode,
      snapshotId,
      changed: paths.length,
      paths: paths.slice(0, MOST_TOLD),
      skipped: skipped.length,
      ...(result.weakened.length > 0 && { weakened: result.weakened.slice(0, MOST_TOLD).map(({ path }) => path) }),
      ...(Object.keys(detached).length > 0 && { credentials: detached }),
    })
    return result
  }

  return async function run(by: By, given: ParsedConfig, asked: ImportOptions): Promise<Imported> {
    const { parsed, wanted } = await chosen(given, asked)
    if (wanted.expected !== undefined) requireHash(await readConfig(database.query), wanted.expected)
    const found = await ready(by, parsed.doc, wanted)
    const works: (() => Promise<void> | void)[] = []
    const task: Task = {
      by,
      parsed,
      wanted,
      found,
      skipped: [...parsed.skipped, ...unusable(found)],
      later: (work) => void works.push(work),
      touched: new Set(),
    }
    try {
      const result = await changes(by, (tx, audit) => write(tx, audit, task))
      for (const work of works) await work()
      await settle(result.changes, task)
      return result
    } catch (error) {
      if (error instanceof Undone) return error.result
      throw error
    }
  }
}

type Task = {
  readonly by: By
  readonly parsed: ParsedConfig
  readonly wanted: ImportOptions
  readonly found: Ready
  readonly skipped: Skipped[]
  readonly later: Applying['later']
  /** Backends whose live state is stale once it is committed. */
  readonly touched: Set<string>
}

function requireHash(doc: ConfigDoc, expected: string | undefined): void {
  if (expected === undefined || expected === '*' || expected === hashOf(doc)) return
  throw new GatewayError('PRECONDITION_FAILED', 'The configuration changed since you read it; read it again', {
    details: { currentHash: hashOf(doc) },
  })
}

function requireConfirmed({ weakened }: ImportResult, { confirm }: ImportOptions): void {
  if (weakened.length === 0 || confirm) return
  const count = weakened.length === 1 ? '1 setting' : `${weakened.length} settings`
  throw new GatewayError(
    'CONFIRMATION_REQUIRED',
    `This weakens ${count}: look at the list and repeat the request with "confirm": true`,
    { details: { weakened: weakened.slice(0, MOST_TOLD), total: weakened.length } },
  )
}

/** Everything the document contains; with `replace` also what its sections do not name. */
function askedOf(doc: ConfigDoc, present: Items, mode: Mode): Record<Section, ReadonlySet<string>> {
  const asked = Object.fromEntries(
    SECTIONS.map((section) => [
      section,
      new Set(mode === 'replace' && section !== 'tools' ? present[section].keys() : []),
    ]),
  ) as Record<Section, Set<string>> // one per section, by the line above
  for (const section of DOCUMENT_SECTIONS) {
    if (doc[section] === undefined) asked[section].clear()
    for (const [name] of named<Readonly<Record<string, unknown>>>(section, doc[section] ?? [])) asked[section].add(name)
  }
  for (const { name, tools } of doc.clients ?? []) {
    for (const tool of tools ?? []) asked.tools.add(`${name}/${tool.name}`)
    if (mode === 'replace' && tools)
      for (const key of present.tools.keys()) if (key.startsWith(`${name}/`)) asked.tools.add(key)
  }
  return asked
}

/** A secret that became another one looks the same in both documents. */
function renewals({ clients, registrations }: Ready): DiffEntry[] {
  return [...clients].flatMap(([name, { upstreamAuth, oauth, identity, budgets }]) => {
    if (registrations.has(name)) return []
    const ofTools = [...(budgets ?? [])].map(([tool, budget]) => [`tools/${tool}/contextBudget`, budget] as const)
    return [...Object.entries({ upstreamAuth, oauth, identity }), ...ofTools].flatMap(([key, secret]): DiffEntry[] =>
      secret?.renewed === undefined
        ? []
        : [{ path: `/clients/${name}/${key}/secret`, kind: 'changed', before: null, after: secret.renewed }],
    )
  })
}

const unusable = ({ clients }: Ready): Skipped[] =>
  [...clients].flatMap(([id, { upstreamAuth, oauth, identity, budgets, sockets }]) => [
    ...[upstreamAuth?.skipped, oauth?.skipped, identity?.skipped].flatMap((reason) =>
      reason ? [{ type: 'clients', id, reason }] : [],
    ),
    ...[...(budgets ?? [])].flatMap(([tool, { skipped: reason }]) =>
      reason ? [{ type: 'tools', id: `${id}__${tool}`, reason }] : [],
    ),
    ...[...(sockets ?? [])].flatMap(([tool, reason]) =>
      typeof reason === 'string' ? [{ type: 'tools', id: `${id}__${tool}`, reason }] : [],
    ),
  ])
