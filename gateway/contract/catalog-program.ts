// The local server that an entry of the catalogue would be: its command, variables and sandbox, or the reason against it. Pure; nothing is run.
import type { ListedServer, ServerPackage } from './admin/server-catalog.ts'
import { LocalServerEntry } from './local-servers.ts'
import { packageIn } from './package-command.ts'

/** As a person agrees to it and the file has it. */
export type CatalogProgram = {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly sandbox: 'os' | 'container'
}

/** A program, with the required arguments that a person has to give; or a sentence on why it cannot be added. */
export type Offered = { readonly program: CatalogProgram; readonly missingArgs: readonly string[] } | string

const USELESS = new Set(['-y', '--yes'])

function commandOf({ kind, identifier, version }: ServerPackage): Pick<CatalogProgram, 'command' | 'args'> | string {
  const spec = version === null ? identifier : `${identifier}@${version}`
  switch (kind) {
    case 'npm':
      return { command: 'npx', args: ['-y', spec] }
    case 'pypi':
      return { command: 'uvx', args: [spec] }
    case 'oci':
      return identifier.includes('@sha256:')
        ? { command: identifier, args: [] }
        : 'the image has no digest: gantry servers add <name> --entry {"command":"image:tag","sandbox":"container"} finds it'
    case 'mcpb':
      return 'it is a bundle (.mcpb): download it, and add it with gantry servers add --bundle'
    case 'other':
      return 'packages of this kind are not supported'
  }
}

/** What is not what a person would expect of the command alone. */
function surprise({ registry, transport, runnerArgs }: ServerPackage): string | undefined {
  if (registry !== null)
    return `it is in the registry ${registry}, and packages come from the registry of your npm or uv`
  if (transport !== 'stdio') return `it speaks ${transport}, not stdio`
  const option = runnerArgs.find((each) => !USELESS.has(each))
  return option === undefined ? undefined : `it asks for ${option} of its runner or engine`
}

export function programOf(given: ServerPackage): Offered {
  const reason = surprise(given)
  if (reason !== undefined) return reason
  const started = commandOf(given)
  if (typeof started === 'string') return started
  // A required variable without a value is set as a secret: a missing one refuses the start and is named.
  const fixed = given.env.filter(({ secret, value }) => !secret && value !== null)
  const asked = given.env.filter((each) => each.secret || (each.required && each.value === null))
  const names = (those: typeof fixed) => those.map(({ name }) => name)
  // Those that make a program load code are refused, also with a value of the publisher.
  const judged = LocalServerEntry.shape.secrets.safeParse(names([...fixed, ...asked]))
  if (!judged.success) return `its variables cannot be used: ${judged.error.issues[0]?.message ?? ''}`
  const program: CatalogProgram = {
    command: started.command,
    args: [...started.args, ...given.args],
    env: Object.fromEntries(fixed.map(({ name, value }) => [name, value ?? ''])),
    secrets: names(asked),
    sandbox: given.kind === 'oci' ? 'container' : 'os',
  }
  const wanted = packageIn(program)
  if (given.kind !== 'oci' && typeof wanted !== 'object') return wanted ?? 'it names no package'
  return { program, missingArgs: given.missingArgs }
}

/** The first package that can be added; otherwise why the first one cannot. */
export function offeredOf({ packages, remotes }: ListedServer): Offered {
  const all = packages.map(programOf)
  return (
    all.find((each) => typeof each !== 'string') ??
    all[0] ??
    (remotes.length > 0 ? 'it runs elsewhere: add its URL as a backend' : 'it has no package')
  )
}

/** A name for the file, from the last part of the registry's. */
export const localName = (name: string): string =>
  (name.split('/').at(-1) ?? name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63) || 'server'
