// Bundles and composites of a document into their tables: of what they name, what is there.

import type { ConfigBundle, ConfigDoc } from '../../contract/config-document.ts'
import type { ToolRef } from '../../contract/names.ts'
import { mayTouch } from '../../contract/role.ts'
import type { Audit } from '../../records/changes.ts'
import { bundleOf, type CompositeStep, compositeOf } from '../../registry/curated.ts'
import { bundleRows } from '../../storage/bundles.ts'
import { compositeRows } from '../../storage/composites.ts'
import { jsonText } from '../../storage/json-text.ts'
import type { Tx } from '../../storage/schema.ts'
import { bundleColumns, requireBundleSize } from '../curation/bundles.ts'
import { checkCompositeName, checkSchema, checkSteps, compositeColumns } from '../curation/composites.ts'
import { authored } from '../curation/scripts.ts'
import { type Applying, attempt, dropOthers, isPresent, namesOf, put } from './applying.ts'

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
  scripts: ReadonlyMap<string, string>,
  composites: ConfigDoc['composites'] = [],
): Promise<void> {
  const { tx, skip, by } = applying
  for (const { name, ...given } of composites) {
    const row = await compositeRows.byName(tx, name)
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
        if (given.script?.outputSchema) checkSchema(given.script.outputSchema, 'script.outputSchema')
        checkSteps(given)
      },
      `composites.${name}`,
      [],
      () => undefined,
    )
    if (isPresent(applying, 'composites', { name, ...given })) continue
    // The actor of the import is the author: no document proves an approval.
    const settled = authored(given, by.actor.name, known)
    await put(applying, compositeRows, { name }, compositeColumns(settled, by.actor.name, scripts.get(name)))
  }
}

export async function dropComposites(
  { tx }: Applying,
  composites: NonNullable<ConfigDoc['composites']>,
): Promise<void> {
  const kept = namesOf(composites)
  const gone = (await compositeRows.all(tx)).filter(({ name }) => !kept.has(name))
  for (const { id } of gone) await compositeRows.delete(tx, id)
  const names = new Set(gone.map(({ name }) => name))
  for (const row of await bundleRows.all(tx)) {
    const { composites: listed } = bundleOf(row)
    const left = listed.filter((name) => !names.has(name))
    if (left.length < listed.length) await bundleRows.update(tx, row.id, { composites: jsonText(left) })
  }
}

export async function putBundles(
  applying: Applying,
  reach: Reach,
  maxTools: number,
  bundles: ConfigDoc['bundles'] = [],
): Promise<void> {
  const { tx, by } = applying
  const composites = new Map((await compositeRows.all(tx)).map((row) => [row.name, { teamId: row.team_id }]))
  for (const given of bundles) {
    const { name } = given
    const row = await bundleRows.byName(tx, name)
    const known = row && bundleOf(row)
    const teamId = known ? known.teamId : by.actor.teamId
    const wanted = {
      name,
      description: given.description === undefined ? (known?.description ?? null) : given.description,
      enabled: given.enabled ?? known?.enabled ?? true,
      listMode: given.listMode ?? known?.listMode ?? 'full',
      ...members(applying, given, teamId, known, reach, composites),
    }
    if (isPresent(applying, 'bundles', wanted)) continue
    await attempt(
      () => requireBundleSize(wanted.tools, maxTools),
      `bundles/${name}`,
      [],
      () => undefined,
    )
    await put(applying, bundleRows, { name }, bundleColumns(wanted))
  }
}

/** What does not exist here is left out and reported, except what the bundle has already: that may be missing for a while. */
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

export const dropBundles = (
  applying: Applying,
  live: CurationLive,
  bundles: NonNullable<ConfigDoc['bundles']>,
): Promise<void> =>
  dropOthers(applying, bundleRows, namesOf(bundles), async (row) => {
    const ended = await live.withdraw(applying.tx, applying.audit, row)
    applying.later(() => live.withdrawn(ended))
  })
