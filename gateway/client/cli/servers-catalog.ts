// The server catalogue on the command line: search it, show one entry, and what an entry would run.
import type { ListedServer, ServerPackage, ShownServer } from '../../contract/admin/server-catalog.ts'
import { localName, offeredOf } from '../../contract/catalog-program.ts'
import { commandLine } from '../../contract/local-servers.ts'
import { type Context, table } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'

const PROOF: Readonly<Record<ListedServer['publisher']['proof'], string>> = {
  github: 'account at GitHub, proved to the registry',
  domain: 'domain, proved to the registry',
  none: 'not proved',
}
const SCRIPTS: Readonly<Record<ShownServer['installScripts'][number], string>> = {
  none: 'no install script',
  not_run: 'has an install script, which is not run',
  unknown: 'its registry did not say whether it has an install script',
}

const day = (iso: string | null): string => iso?.slice(0, 10) ?? 'unknown'
const packageText = ({ kind, identifier, version }: ServerPackage): string =>
  `${kind} ${identifier}${version === null ? '' : ` ${version}`}`

function warnOf({ warn }: Context, { url, readAt, problem }: ShownServer['source']): void {
  if (problem !== null) warn(`${url} cannot be read (${problem}): this is from the cache, as of ${readAt}`)
}

export async function search(context: Context): Promise<void> {
  const { api, maybe, text, tell, warn } = context
  const cursor = text('cursor')
  const query = { search: maybe(0) ?? '', ...(cursor === undefined ? {} : { cursor }) }
  const page = await api.serverCatalog.search({ query })
  warnOf(context, page.source)
  const rows = page.items.map((entry) => ({
    name: entry.name,
    version: entry.version,
    published: day(entry.publishedAt),
    package: entry.packages[0] === undefined ? 'remote' : packageText(entry.packages[0]),
    description: entry.description.slice(0, 80),
  }))
  tell(page, table(rows, ['name', 'version', 'published', 'package', 'description']))
  if (page.nextCursor !== undefined) warn(`There is more: --cursor ${page.nextCursor}`)
}

function lines({ entry, installScripts }: ShownServer): string[] {
  const offered = offeredOf(entry)
  return [
    `${entry.name} ${entry.version}${entry.status === 'active' ? '' : ` (${entry.status})`}`,
    ...(entry.description === '' ? [] : [entry.description]),
    `  publisher  ${entry.publisher.name} (${PROOF[entry.publisher.proof]})`,
    `  published  ${day(entry.publishedAt)}, updated ${day(entry.updatedAt)}`,
    ...(entry.repository === null ? [] : [`  repository ${entry.repository}`]),
    ...entry.packages.flatMap((one, at) => [
      `  package    ${packageText(one)}: ${SCRIPTS[installScripts[at] ?? 'unknown']}`,
      ...one.env.map(
        ({ name, required, secret, value }) =>
          `  variable   ${name}${required ? ', required' : ''}${secret ? ', secret' : ''}${value === null ? '' : ` = ${JSON.stringify(value)}`}`,
      ),
    ]),
    ...entry.remotes.map(({ transport, url }) => `  remote     ${url} (${transport})`),
    ...(typeof offered === 'string'
      ? [`It cannot be added as a local server: ${offered}`]
      : [
          `  command    ${JSON.stringify(commandLine(offered.program)).slice(1, -1)}`,
          ...(offered.missingArgs.length > 0 ? [`  arguments  you give ${offered.missingArgs.join(', ')}`] : []),
          `  sandbox    ${offered.program.sandbox}`,
          `Add it: gantry servers add ${localName(entry.name)} --catalog ${entry.name}`,
        ]),
  ]
}

export async function show(context: Context): Promise<ExitCode> {
  const shown = await context.api.serverCatalog.get({ query: { name: context.arg(0) } })
  warnOf(context, shown.source)
  context.tell(shown, lines(shown).join('\n'))
  return EXIT.ok
}

/** What the file would have for an entry of the catalogue, before it is shown and agreed to. */
export async function entryOfCatalog(context: Context, name: string, extra: readonly string[]): Promise<object> {
  const { api, text } = context
  const shown = await api.serverCatalog.get({ query: { name } })
  for (const line of lines(shown)) context.warn(line)
  const offered = offeredOf(shown.entry)
  if (typeof offered === 'string') throw new UsageError(`${name} cannot be added: ${offered}`)
  const { program, missingArgs } = offered
  if (missingArgs.length > 0 && extra.length === 0)
    throw new UsageError(`${name} needs ${missingArgs.join(', ')}: give them after --`)
  const listed = (option: string): readonly string[] => text(option)?.split(',').filter(Boolean) ?? []
  return { ...program, args: [...program.args, ...extra], hosts: listed('hosts'), folders: listed('folders') }
}
