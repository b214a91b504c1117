// What a registry of MCP servers answers (API v0.1, server.json of 2025-12-11) as entries of the catalogue: every text is foreign.
import { z } from 'zod'
import type { ListedServer, ServerPackage, ServerVariable } from '../../contract/admin/server-catalog.ts'
import { cleanMetadata, hidesText } from '../../text/clean.ts'

const MOST_LISTED = 50
const text = (most: number) => z.string().max(most)
/** Used as it is or not at all: a name that hides a character is no name. */
const Name = text(512).refine((name) => !hidesText(name) && !name.includes('\0'), 'hides characters')

const Value = z.looseObject({
  value: text(4_096).optional(),
  default: text(4_096).optional(),
  isRequired: z.boolean().optional(),
  variables: z.record(z.string(), z.unknown()).optional(),
})
const Argument = Value.extend({
  type: z.string().optional(),
  name: Name.optional(),
  valueHint: text(200).optional(),
})
const Variable = Value.extend({
  name: Name,
  description: text(4_096).optional(),
  isSecret: z.boolean().optional(),
})
const Package = z.looseObject({
  registryType: text(40),
  registryBaseUrl: text(2_048).optional(),
  identifier: Name,
  version: Name.optional(),
  fileSha256: text(64).optional(),
  transport: z.looseObject({ type: text(40) }).optional(),
  runtimeArguments: z.array(Argument).max(MOST_LISTED).optional(),
  packageArguments: z.array(Argument).max(MOST_LISTED).optional(),
  environmentVariables: z.array(Variable).max(MOST_LISTED).optional(),
})
const Server = z.looseObject({
  name: Name,
  title: text(512).optional(),
  description: text(16_384).optional(),
  version: text(255),
  repository: z.looseObject({ url: text(2_048).optional() }).optional(),
  packages: z.array(z.unknown()).max(MOST_LISTED).optional(),
  remotes: z
    .array(z.looseObject({ type: text(40), url: text(2_048) }))
    .max(MOST_LISTED)
    .optional(),
})
const OFFICIAL = 'io.modelcontextprotocol.registry/official'
const Official = z.looseObject({
  status: text(40).optional(),
  publishedAt: text(64).optional(),
  updatedAt: text(64).optional(),
})
const Listed = z.looseObject({ server: Server, _meta: z.record(z.string(), z.unknown()).optional() })
const List = z.looseObject({
  servers: z.array(z.unknown()).nullable(),
  metadata: z.looseObject({ nextCursor: z.string().max(512).nullish() }).optional(),
})

const USUAL: Readonly<Record<string, readonly string[]>> = {
  npm: ['https://registry.npmjs.org'],
  pypi: ['https://pypi.org', 'https://pypi.org/simple'],
}
const KINDS = { npm: 'npm', pypi: 'pypi', oci: 'oci', mcpb: 'mcpb' } as const
const isKind = (kind: string): kind is keyof typeof KINDS => Object.hasOwn(KINDS, kind)

/** Undefined where a person has to complete it. */
const valueOf = ({ value, default: usual, variables }: z.infer<typeof Value>): string | undefined =>
  variables !== undefined && Object.keys(variables).length > 0 ? undefined : (value ?? usual)

function argumentsOf(given: readonly z.infer<typeof Argument>[]): { args: string[]; missing: string[] } {
  const args: string[] = []
  const missing: string[] = []
  for (const each of given) {
    const value = valueOf(each)
    const isNamed = each.type === 'named' && each.name !== undefined
    const isSwitch = isNamed && each.value === undefined && each.default === undefined
    if (isNamed && (isSwitch ? each.isRequired && each.valueHint === undefined : value !== undefined))
      args.push(each.name ?? '', ...(value === undefined ? [] : [value]))
    else if (!isNamed && value !== undefined) args.push(value)
    else if (each.isRequired) missing.push(cleanMetadata(each.name ?? each.valueHint ?? 'a value', 200))
  }
  return { args, missing }
}

const variableOf = (given: z.infer<typeof Variable>): ServerVariable => ({
  name: given.name,
  description: given.description === undefined ? null : cleanMetadata(given.description, 500),
  required: given.isRequired ?? false,
  secret: given.isSecret ?? false,
  value: valueOf(given) ?? null,
})

function packageOf(value: unknown): ServerPackage[] {
  const { success, data } = Package.safeParse(value)
  if (!success) return []
  const base = data.registryBaseUrl?.replace(/\/$/, '')
  const { args, missing } = argumentsOf(data.packageArguments ?? [])
  return [
    {
      kind: isKind(data.registryType) ? data.registryType : 'other',
      identifier: data.identifier,
      version: data.version ?? null,
      registry: base === undefined || USUAL[data.registryType]?.includes(base) !== false ? null : cleanMetadata(base),
      transport: data.transport?.type ?? 'stdio',
      runnerArgs: (data.runtimeArguments ?? []).map((each) =>
        cleanMetadata(each.name ?? valueOf(each) ?? 'a value', 200),
      ),
      args,
      missingArgs: missing,
      env: (data.environmentVariables ?? []).map(variableOf),
      sha256: /^[0-9a-f]{64}$/i.test(data.fileSha256 ?? '') ? (data.fileSha256?.toLowerCase() ?? null) : null,
    },
  ]
}

const GITHUB = /^io\.github\.([^/]+)\//
const DOMAIN = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)\//i

/** The registry accepts a name only from who proved its namespace: a sign-in at GitHub, or a key at the domain. */
function publisherOf(name: string): ListedServer['publisher'] {
  const [, account] = GITHUB.exec(name) ?? []
  if (account !== undefined) return { name: account, proof: 'github' }
  const [, reversed] = DOMAIN.exec(name) ?? []
  return reversed === undefined
    ? { name: name.split('/')[0] ?? name, proof: 'none' }
    : { name: reversed.split('.').reverse().join('.'), proof: 'domain' }
}

const isoOf = (given: string | undefined): string | null =>
  given === undefined || Number.isNaN(Date.parse(given)) ? null : new Date(given).toISOString()

const webUrl = (given: string | undefined): string | null =>
  given !== undefined && URL.canParse(given) && new URL(given).protocol === 'https:' ? new URL(given).href : null

/** Undefined for an entry that is not read: the others of its page are. */
export function entryIn(value: unknown): ListedServer | undefined {
  const { success, data } = Listed.safeParse(value)
  if (!success) return undefined
  const { server } = data
  const { data: official = {} } = Official.safeParse(data._meta?.[OFFICIAL])
  return {
    name: server.name,
    title: server.title === undefined ? null : cleanMetadata(server.title, 200),
    description: cleanMetadata(server.description ?? '', 1_000),
    version: cleanMetadata(server.version, 255),
    status: cleanMetadata(official.status ?? 'active', 40),
    publisher: publisherOf(server.name),
    publishedAt: isoOf(official.publishedAt),
    updatedAt: isoOf(official.updatedAt),
    repository: webUrl(server.repository?.url),
    packages: (server.packages ?? []).flatMap(packageOf),
    remotes: (server.remotes ?? []).flatMap(({ type, url }) => {
      const web = webUrl(url)
      return web === null ? [] : [{ transport: cleanMetadata(type, 40), url: web }]
    }),
  }
}

/** Undefined where it is no list of servers. */
export function listIn(value: unknown): { entries: ListedServer[]; nextCursor: string | null } | undefined {
  const { success, data } = List.safeParse(value)
  if (!success) return undefined
  const entries = (data.servers ?? []).slice(0, 100).flatMap((each) => entryIn(each) ?? [])
  // An empty cursor means the last page.
  return { entries, nextCursor: data.metadata?.nextCursor || null }
}
