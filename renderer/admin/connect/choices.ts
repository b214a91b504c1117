// The endpoints to connect to, bundles first. Pure.
type Named = { readonly name: string }
export type Choice = {
  /** The URL form: `bundle:dev`, `client:shop`, `system`. */
  readonly value: string
  readonly label: string
  readonly about: string
  readonly scope: 'client' | 'bundle' | 'system'
  readonly name: string
}

export const SYSTEM: Choice = {
  value: 'system',
  label: 'The gateway itself',
  about: 'Tools that manage this gateway; needs a key with a role',
  scope: 'system',
  name: '',
}
const ABOUT = { bundle: 'Bundle', client: 'All tools of one backend' } as const

const choiceOf = (scope: keyof typeof ABOUT, name: string): Choice => ({
  value: `${scope}:${name}`,
  label: name,
  about: ABOUT[scope],
  scope,
  name,
})

export const choicesOf = (bundles: readonly Named[], clients: readonly Named[]): readonly Choice[] => [
  ...bundles.map(({ name }) => choiceOf('bundle', name)),
  ...clients.map(({ name }) => choiceOf('client', name)),
  SYSTEM,
]

/** The choice in the URL, listed or not: the gateway reports a missing record. */
export function chosenOf(value: string | undefined): Choice | undefined {
  if (value === SYSTEM.value) return SYSTEM
  const [, scope, name] = /^(bundle|client):(.+)$/s.exec(value ?? '') ?? []
  return name && (scope === 'bundle' || scope === 'client') ? choiceOf(scope, name) : undefined
}
