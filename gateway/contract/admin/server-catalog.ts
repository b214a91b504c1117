// The catalogue of MCP servers: what a registry lists, read by the gateway. An entry is text; nothing here starts a program.
import { z } from 'zod'
import { Iso, page } from '../page.ts'
import { routes } from '../route.ts'

export const PACKAGE_KINDS = ['npm', 'pypi', 'oci', 'mcpb', 'other'] as const
export const PROOFS = ['github', 'domain', 'none'] as const
export const INSTALL_SCRIPTS = ['none', 'not_run', 'unknown'] as const

export const ServerVariable = z.object({
  name: z.string(),
  description: z.string().nullable(),
  required: z.boolean(),
  secret: z.boolean(),
  value: z.string().nullable().describe('what the publisher sets, or the default'),
})
export type ServerVariable = z.infer<typeof ServerVariable>

export const ServerPackage = z.object({
  kind: z.enum(PACKAGE_KINDS),
  identifier: z.string(),
  version: z.string().nullable(),
  registry: z.string().nullable().describe('where it is, if not in the usual registry of its kind'),
  transport: z.string(),
  runnerArgs: z.array(z.string()).describe('for the package runner or the engine'),
  args: z.array(z.string()).describe('those with a value'),
  missingArgs: z.array(z.string()).describe('names of required arguments without a value'),
  env: z.array(ServerVariable),
  sha256: z.string().nullable(),
})
export type ServerPackage = z.infer<typeof ServerPackage>

export const ListedServer = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  version: z.string(),
  status: z.string().describe('active, deprecated or deleted'),
  publisher: z.object({
    name: z.string(),
    proof: z.enum(PROOFS).describe('what the registry makes a publisher prove for a name like this one'),
  }),
  publishedAt: Iso.nullable(),
  updatedAt: Iso.nullable(),
  repository: z.string().nullable(),
  packages: z.array(ServerPackage),
  remotes: z.array(z.object({ transport: z.string(), url: z.string() })),
})
export type ListedServer = z.infer<typeof ListedServer>

const Source = z.object({
  url: z.string(),
  readAt: Iso.describe('when the registry gave this'),
  problem: z.string().nullable().describe('why this is from the cache: the registry did not answer'),
})

export const CatalogPage = page(ListedServer).extend({ source: Source })
export type CatalogPage = z.infer<typeof CatalogPage>

export const ShownServer = z.object({
  entry: ListedServer,
  source: Source,
  installScripts: z
    .array(z.enum(INSTALL_SCRIPTS))
    .describe('of each package: none; has one, which is not run; or the registry of the package did not say'),
})
export type ShownServer = z.infer<typeof ShownServer>

const errors = ['DISCOVERY_ERROR', 'NOT_CONFIGURED'] as const

export const serverCatalog = routes({
  search: {
    method: 'GET',
    path: '/admin-api/server-catalog',
    access: 'superadmin',
    summary: 'Search the registry of MCP servers; from the cache while the registry does not answer',
    query: z.strictObject({
      search: z.string().trim().max(200).default(''),
      cursor: z.string().min(1).max(512).optional(),
    }),
    reply: CatalogPage,
    errors,
  },
  get: {
    method: 'GET',
    path: '/admin-api/server-catalog/entry',
    access: 'superadmin',
    summary: 'Show an entry of the registry of MCP servers, and whether its packages have install scripts',
    query: z.strictObject({ name: z.string().min(3).max(200) }),
    reply: ShownServer,
    errors: ['CATALOG_ENTRY_NOT_FOUND', ...errors],
  },
})

/** What the desktop window asks of the main process, which shows the whole command and asks the person. */
export const AddServer = z.strictObject({
  name: z.string().min(3).max(200).describe('of the entry in the catalogue'),
  hosts: z.array(z.string().min(1).max(255)).max(100),
})
export type AddServer = z.infer<typeof AddServer>

const declined = z.object({ answer: z.literal('declined') })
const fault = z.object({ answer: z.literal('fault'), message: z.string() })

export const AddServerAnswer = z.discriminatedUnion('answer', [
  z.object({ answer: z.literal('added'), name: z.string() }),
  declined,
  fault,
])
export type AddServerAnswer = z.infer<typeof AddServerAnswer>

/** Of one start in its sandbox, which the person was asked for. */
export const ServerToolsAnswer = z.discriminatedUnion('answer', [
  z.object({
    answer: z.literal('listed'),
    tools: z.array(z.object({ name: z.string(), description: z.string() })),
  }),
  declined,
  fault,
])
export type ServerToolsAnswer = z.infer<typeof ServerToolsAnswer>
