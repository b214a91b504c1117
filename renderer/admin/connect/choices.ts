// What a client can be connected to, bundles first. Pure.
type Named = { readonly name: string }
export type Choice = {
  readonly value: string
  readonly label: string
  readonly about: string
  readonly scope: 'client' | 'bundle' | 'system'
  readonly name: string
}

const SYSTEM: Choice = {
  value: 'system',
  label: 'The gateway itself',
  about: 'Tools that manage this gateway, for a key with a role',
  scope: 'system',
  name: '',
}

export function choicesOf(bundles: readonly Named[], clients: readonly Named[]): readonly Choice[] {
  const of =
    (scope: 'client' | 'bundle', about: string) =>
    (named: Named): Choice => ({
      value: `${scope}:${named.name}`,
      label: named.name,
      about,
      scope,
      name: named.name,
    })
  return [...bundles.map(of('bundle', 'Bundle')), ...clients.map(of('client', 'All tools of one backend')), SYSTEM]
}

export function chosenOf(choices: readonly Choice[], value: string | undefined): Choice {
  return choices.find((choice) => choice.value === value) ?? choices[0] ?? SYSTEM
}
