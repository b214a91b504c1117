// The context budgets of a document: a model's key becomes the one that is stored already, or what the environment holds. Contract 12.

import { ContextBudget, type KeptBudget } from '../../contract/admin/shaping-features.ts'
import type { ConfigBudget, ConfigTool } from '../../contract/config-document.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Base } from '../../records/base.ts'
import { budgetRef } from '../../registry/credentials.ts'
import type { Loaded } from '../../settings/load.ts'
import type { ToolRecord } from '../../storage/backends.ts'
import { isForKey, type Place, readyBudget, type World } from '../tools/context-budget.ts'
import { configOf } from '../tools/tool-config.ts'

/** What is to be stored; without a budget the feature stays as it is. */
export type ReadyBudget = {
  readonly budget?: KeptBudget
  /** The place that has no key yet. */
  readonly needs?: string
  readonly skipped?: string
  /** The name of the variable, when what it holds is not what is stored. */
  readonly renewed?: unknown
}
export type ReadyBudgets = ReadonlyMap<string, ReadyBudget>

type BudgetReaderDeps = World &
  Pick<Base, 'box'> & {
    readonly envSecrets: Loaded['envSecrets']
  }

/** What its key is to be, once more is known than a document says. */
type Key = { readonly given?: string; readonly sealed?: string } | ReadyBudget

export function createBudgetReader(parts: BudgetReaderDeps) {
  const { envSecrets, box } = parts

  async function keyOf(
    place: Place,
    apiKey: NonNullable<ConfigBudget['llm']>['apiKey'],
    baseUrl: string,
    before: KeptBudget['llm'],
  ): Promise<Key> {
    const ref = budgetRef(place.client, place.tool)
    if (apiKey === undefined) return {}
    const known = before?.sealedKey
    if ('$secret' in apiKey) {
      const kept = before && isForKey(before, baseUrl) ? known : undefined
      return apiKey.$secret === ref && kept !== undefined ? { sealed: kept } : { needs: apiKey.$secret }
    }
    const given = envSecrets.get(apiKey.$env)?.text
    if (!given) return { needs: ref, skipped: `${apiKey.$env} is not set in the environment of the gateway` }
    // Sealed again only when it differs: an import that changes nothing writes nothing.
    const same = known !== undefined && box.configured && (await box.open(known, ref).catch(() => undefined)) === given
    return same ? { sealed: known } : { given }
  }

  async function read(
    place: Place,
    { llm, ...budget }: ConfigBudget,
    known: KeptBudget | undefined,
  ): Promise<ReadyBudget> {
    if (llm === undefined) return { budget: await readyBudget(budget, place, parts) }
    const { apiKey, ...model } = llm
    const key = await keyOf(place, apiKey, model.baseUrl, known?.llm)
    if ('needs' in key) return key
    const { given, sealed } = { given: undefined, sealed: undefined, ...key }
    const asked = ContextBudget.safeParse({
      ...budget,
      llm: { ...model, ...(given !== undefined && { apiKey: given }) },
    })
    if (!asked.success)
      throw new GatewayError('IMPORT_ERROR', `${budgetRef(place.client, place.tool)}: the key cannot be used`)
    const ready = await readyBudget(asked.data, place, parts)
    if (ready.llm && sealed !== undefined) return { budget: { ...ready, llm: { ...ready.llm, sealedKey: sealed } } }
    return { budget: ready, ...(given !== undefined && known?.llm?.sealedKey !== undefined && { renewed: { apiKey } }) }
  }

  return async (client: string, tools: readonly ConfigTool[], rows: readonly ToolRecord[]): Promise<ReadyBudgets> => {
    const found = new Map<string, ReadyBudget>()
    for (const { name, contextBudget } of tools) {
      if (!contextBudget) continue
      const row = rows.find((each) => each.name === name)
      try {
        found.set(name, await read({ client, tool: name }, contextBudget, row && configOf(row.config).contextBudget))
      } catch (error) {
        if (!(error instanceof GatewayError) || error.code === 'IMPORT_ERROR') throw error
        // No key to seal it with, or an address that may not be asked: the rest of the document is unaffected.
        found.set(name, { skipped: error.message })
      }
    }
    return found
  }
}
