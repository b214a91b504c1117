// Bundles and composites of a document into their tables: of what they name, what is there.
import type { ConfigBundle, ConfigDoc } from '../../contract/config-document.ts'
import type { ToolRef } from '../../contract/names.ts'
import { mayTouch } from '../../contract/role.ts'
import type { Audit } from '../../records/changes.ts'
import { bundleOf, type CompositeStep, compositeOf } from '../../registry/curated.ts'
import { bundleRow, bundleRows, deleteBundle, insertBundle, updateBundle } from '../../storage/bundles.ts'
import {
  compositeRow,
  compositeRows,
  deleteComposite,
  insertComposite,
  updateComposite,
} from '../../storage/composites.ts'
import type { Tx } from '../../storage/schema.ts'
import { checkCompositeName, checkSchema, checkSteps } from '../curation/composites.ts'
import { type Applying, attempt, fresh, isPresent } from './applying.ts'

/** A tool by `client__tool`, and the team of its backend. */
export type Reach = ReadonlyMap<string, { readonly teamId: number | null }>

export type CurationLive = {
  readonly withdraw: (tx: Tx, audit: Audit, bundle: { readonly id: number; readonly name: string }) => Promise<number[]>
  readonly withdrawn: (keys: readonly number[]) => Promise<void>
}

const keyOf = ({ client, tool }: ToolRef): string => `${client}__${tool}`
const refOf = ({ targetClient, targetTool }: CompositeStep): ToolRef => ({ client: targetClient, tool: targetTool })

/** Every tool that is there, in one reading. */
export async function readReach(tx: Tx): Promise<Reach> {
  const rows = await tx
    .selectFrom('tools')
    .innerJoin('backends', 'backends.id', 'tools.backend_id')
    .select(['backends.name as client', 'backends.team_id as teamId', 'tools.name as tool'])
    .where('tools.missing_since', 'is', null)
    .execute()
  return new Map(rows.map(({ teamId, ...ref }) => [keyOf(ref), { teamId }]))
}

const reaches = (reach: Reach, teamId: number | null, ref: ToolRef): boolean => {
  const found = reach.get(keyOf(ref))
  return found !== undefined && mayTouch({ teamId }, found)
}

/** A composite is whole or not at all: without one of its steps it would do something else. */
export async function putComposites(
  applying: Applying,
  reach: Reach,
  composites: ConfigDoc['composites'] = [],
): Promise<void> {
  const { tx, skip, by, at } = applying
  for (const { name, ...given } of composites) {
    const row = await compositeRow(tx, name)
    const known = row && compositeOf(row)
    const teamId = known ? known.teamId : by.actor.teamId
    const keeps = new Set((known?.steps ?? []).map((step) => keyOf(refOf(step))))
    const absent = given.steps.map(refOf).filter((ref) => !reaches(reach, teamId, ref) && !keeps.has(keyOf(ref)))
    if (absent.length > 0) {
      skip('composites', name, `there is no tool ${absent.map(keyOf).join(', ')} here`)
      continue
    }
    await attempt(
      () => {
        checkCompositeName(name)
        checkSchema(given.inputSchema)
        checkSteps(given)
      },
      `composites.${name}`,
      [],
      () => undefined,
    )
    if (isPresent(applying, 'composites', { name, ...given })) continue
    const columns = {
      description: given.description,
      enabled: given.enabled ? (1 as const) : (0 as const),
      input_schema: JSON.stringify(given.inputSchema),
      steps: JSON.stringify(given.steps),
      output: given.output === null ? null : JSON.stringify(given.output),
      updated_at: at,
    }
    if (row) await updateComposite(tx, row.id, columns)
    else await insertComposite(tx, { ...fresh(applying), ...columns, name })
  }
}

export async function dropComposites(
  { tx }: Applying,
  composites: NonNullable<ConfigDoc['composites']>,
): Promise<void> {
  const kept = new Set(composites.map(({ name }) => name))
  const gone = (await compositeRows(tx)).filter(({ name }) => !kept.has(name))
  for (const { id } of gone) await deleteComposite(tx, id)
  const names = new Set(gone.map(({ name }) => name))
  for (const row of await bundleRows(tx)) {
    const { composites: listed } = bundleOf(row)
    const left = listed.filter((name) => !names.has(name))
    if (left.length < listed.length) await updateBundle(tx, row.id, { composites: JSON.stringify(left) })
  }
}

export async function putBundles(applying: Applying, reach: Reach, bundles: ConfigDoc['bundles'] = []): Promise<void> {
  const { tx, by, at } = applying
  const composites = new Map((await compositeRows(tx)).map((row) => [row.name, { teamId: row.team_id }]))
  for (const given of bundles) {
    const { name } = given
    const row = await bundleRow(tx, name)
    const known = row && bundleOf(row)
    const teamId = known ? known.teamId : by.actor.teamId
    const wanted = {
      name,
      description: given.description === undefined ? (known?.description ?? null) : given.description,
      enabled: given.enabled ?? known?.enabled ?? true,
      ...members(applying, given, teamId, known, reach, composites),
    }
    if (isPresent(applying, 'bundles', wanted)) continue
    const columns = {
      description: wanted.description,
      enabled: wanted.enabled ? (1 as const) : (0 as const),
      tools: JSON.stringify(wanted.tools),
      composites: JSON.stringify(wanted.composites),
      updated_at: at,
    }
    if (row) await updateBundle(tx, row.id, columns)
    else await insertBundle(tx, { ...fresh(applying), ...columns, name })
  }
}

/** What is not here is left out and told, but for what the bundle has already: that may be missing for a while. */
function members(
  { skip }: Applying,
  given: ConfigBundle,
  teamId: number | null,
  known: { readonly tools: readonly ToolRef[]; readonly composites: readonly string[] } | undefined,
  reach: Reach,
  composites: ReadonlyMap<string, { readonly teamId: number | null }>,
): { readonly tools: readonly ToolRef[]; readonly composites: readonly string[] } {
  const kept = new Set(known?.tools.map(keyOf))
  const tools = (given.tools ?? known?.tools ?? []).filter((ref) => {
    const stays = kept.has(keyOf(ref)) || reaches(reach, teamId, ref)
    if (!stays) skip('bundles', given.name, `there is no tool ${keyOf(ref)} here; the bundle goes without it`)
    return stays
  })
  const listed = (given.composites ?? known?.composites ?? []).filter((name) => {
    const found = composites.get(name)
    const stays = found !== undefined && mayTouch({ teamId }, found)
    if (!stays) skip('bundles', given.name, `there is no composite ${name} here; the bundle goes without it`)
    return stays
  })
  return { tools: uniqueRefs(tools), composites: [...new Set(listed)] }
}

const uniqueRefs = (refs: readonly ToolRef[]): ToolRef[] => [...new Map(refs.map((ref) => [keyOf(ref), ref])).values()]

export async function dropBundles(
  { tx, audit, later }: Applying,
  live: CurationLive,
  bundles: NonNullable<ConfigDoc['bundles']>,
): Promise<void> {
  const kept = new Set(bundles.map(({ name }) => name))
  for (const row of await bundleRows(tx)) {
    if (kept.has(row.name)) continue
    const ended = await live.withdraw(tx, audit, row)
    await deleteBundle(tx, row.id)
    later(() => live.withdrawn(ended))
  }
}
