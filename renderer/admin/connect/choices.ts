// The endpoints to connect to, bundles first. Pure.
import type { KeyRecord } from '#contract'
import { t } from '../../language/language.ts'

type KeyScopes = NonNullable<KeyRecord['scopes']>
type Named = { readonly name: string }
export type Choice = {
  /** The URL form: `bundle:dev`, `client:shop`, `tool:shop/buy`, `system`. */
  readonly value: string
  readonly label: string
  readonly about: string
  /** The endpoint that serves it: a tool is served by its backend. */
  readonly scope: 'client' | 'bundle' | 'system'
  readonly name: string
  /** Only this tool of the backend. */
  readonly tool?: string
}

export const SYSTEM: Choice = {
  value: 'system',
  label: t('The gateway itself'),
  about: t('Tools that manage this gateway; needs a key with a role'),
  scope: 'system',
  name: '',
}
const ABOUT = { bundle: t('Bundle'), client: t('All tools of one backend') } as const

const choiceOf = (scope: keyof typeof ABOUT, name: string): Choice => ({
  value: `${scope}:${name}`,
  label: name,
  about: ABOUT[scope],
  scope,
  name,
})

export const toolChoice = (client: string, tool: string): Choice => ({
  ...choiceOf('client', client),
  value: `tool:${client}/${tool}`,
  label: tool,
  about: t('One tool of {client}', { client }),
  tool,
})

/** What a key for it may reach; the gateway itself needs a key with a role, which is made elsewhere. */
export function scopesFor({ scope, name, tool }: Choice): KeyScopes | undefined {
  if (scope === 'system') return undefined
  if (tool !== undefined) return { tools: [`${name}__${tool}`] }
  return scope === 'bundle' ? { bundles: [name] } : { clients: [name] }
}

export const choicesOf = (bundles: readonly Named[], clients: readonly Named[]): readonly Choice[] => [
  ...bundles.map(({ name }) => choiceOf('bundle', name)),
  ...clients.map(({ name }) => choiceOf('client', name)),
  SYSTEM,
]

/** The choice in the URL, listed or not: the gateway reports a missing record. */
export function chosenOf(value: string | undefined): Choice | undefined {
  if (value === SYSTEM.value) return SYSTEM
  const [, client, tool] = /^tool:([^/]+)\/(.+)$/s.exec(value ?? '') ?? []
  if (client && tool) return toolChoice(client, tool)
  const [, scope, name] = /^(bundle|client):(.+)$/s.exec(value ?? '') ?? []
  return name && (scope === 'bundle' || scope === 'client') ? choiceOf(scope, name) : undefined
}
