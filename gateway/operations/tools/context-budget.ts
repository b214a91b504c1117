// The budget of a tool's answers, and the model that sums them up: who may set it, its address vetted, its key sealed. Contract 8.11.
import type { ContextBudget, KeptBudget } from '../../contract/admin/shaping-features.ts'
import { GatewayError } from '../../contract/error.ts'
import { type Actor, mayUse } from '../../contract/role.ts'
import type { Outbound } from '../../net/outbound.ts'
import { budgetRef } from '../../registry/credentials.ts'
import type { SecretBox } from '../../secrets/box.ts'

/** What a feature may need of the world before it is stored. */
export type World = {
  readonly box: Pick<SecretBox, 'seal'>
  readonly outbound: Pick<Outbound, 'pin' | 'pinSocket'>
  readonly settings: { readonly MAX_RESPONSE_BYTES: number }
}
export type Place = { readonly client: string; readonly tool: string }

type Model = NonNullable<KeptBudget['llm']>

/** In place of a sealed key, which is never empty: the one that is kept goes. */
const REMOVED = ''

const sameModel = (a: Omit<Model, 'sealedKey'>, b: Omit<Model, 'sealedKey'>): boolean =>
  a.provider === b.provider && a.baseUrl === b.baseUrl && a.model === b.model

/** Where answers are sent to, and with which key, is for admins; the bytes are not. */
export function requireAdminForModel(
  actor: Actor,
  known: KeptBudget | undefined,
  wanted: ContextBudget | null | undefined,
): void {
  if (wanted === undefined || mayUse(actor, 'admin')) return
  const [before, after] = [known?.llm, wanted?.llm]
  const same = before && after ? sameModel(before, after) && after.apiKey === undefined : before === after
  if (!same)
    throw new GatewayError('FORBIDDEN', 'Only an admin may set, change or remove the model of a context budget')
}

export async function readyBudget(
  { llm, ...budget }: ContextBudget,
  { client, tool }: Place,
  { box, outbound, settings: { MAX_RESPONSE_BYTES: most } }: World,
): Promise<KeptBudget> {
  if (budget.maxResponseBytes > most) {
    const [path, message] = ['contextBudget.maxResponseBytes', `must be at most ${most}, which no answer exceeds`]
    throw new GatewayError('VALIDATION_ERROR', `${path} ${message}`, { fields: [{ path, message }] })
  }
  if (llm === undefined) return budget
  const { provider, baseUrl, model, apiKey } = llm
  // Only looked at: where it is is found out when it is asked.
  await outbound.pin(baseUrl, 'contextBudget.llm.baseUrl')
  const asked = { provider, baseUrl, model }
  if (apiKey === undefined) return { ...budget, llm: asked }
  const sealedKey = apiKey === null ? REMOVED : await box.seal(apiKey, budgetRef(client, tool))
  return { ...budget, llm: { ...asked, sealedKey } }
}

/** A key goes to the server it was given for, and to no other. */
export const isForKey = (known: Pick<Model, 'baseUrl'>, baseUrl: string): boolean =>
  new URL(known.baseUrl).origin === new URL(baseUrl).origin

/** An absent key stays while it is for the same server. Only what is stored comes out of this. */
export function keptBudget(known: KeptBudget | undefined, { llm, ...budget }: KeptBudget): KeptBudget {
  if (llm === undefined) return budget
  const { provider, baseUrl, model } = llm
  const before = known?.llm && isForKey(known.llm, baseUrl) ? known.llm.sealedKey : undefined
  const { sealedKey = before } = llm
  const key = sealedKey === undefined || sealedKey === REMOVED ? {} : { sealedKey }
  return { ...budget, llm: { provider, baseUrl, model, ...key } }
}

const withModel = (budget: KeptBudget, text: (isSet: boolean) => object): object => {
  if (budget.llm === undefined) return budget
  const { sealedKey, ...model } = budget.llm
  return { ...budget, llm: { ...model, ...text(sealedKey !== undefined) } }
}

export const shownBudget = (budget: KeptBudget): object => withModel(budget, (apiKeySet) => ({ apiKeySet }))
export const auditedBudget = (budget: KeptBudget): object =>
  withModel(budget, (isSet) => (isSet ? { apiKey: '[set]' } : {}))
export const writtenBudget = (budget: KeptBudget, { client, tool }: Place): object =>
  withModel(budget, (isSet) => (isSet ? { apiKey: { $secret: budgetRef(client, tool) } } : {}))
