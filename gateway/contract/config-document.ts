// The configuration as one document: versioned, by natural names, without ids and without secrets. Contract 12.
import { z } from 'zod'
import { AlertInput } from './admin/alerts.ts'
import { BudgetInput } from './admin/budgets.ts'
import { CatalogInput, SLUG } from './admin/catalog.ts'
import { ClientGuards } from './admin/clients.ts'
import { CompositeInput } from './admin/composites.ts'
import { ConsumerInput } from './admin/consumers.ts'
import { identityWith } from './admin/identity.ts'
import { ConfigMonitor } from './admin/monitor-feature.ts'
import { PolicyInput } from './admin/policies.ts'
import { cronProblem, ScheduleInput, targetProblem } from './admin/schedules.ts'
import { budgetWith, SummaryModel } from './admin/shaping-features.ts'
import { CanaryInput, LbInput } from './admin/targets.ts'
import { TeamInput } from './admin/teams.ts'
import { FEATURES, type FeatureName } from './admin/tool-features.ts'
import { ApprovalCfg, Guardrails, RedactPaths } from './admin/tool-guards.ts'
import { OverridesPatch } from './admin/tools.ts'
import { WsTargetInput } from './admin/ws-targets.ts'
import { BackendName, HttpUrl, LIST_MODES, MOST_BUNDLE_TOOLS, Name, Tag, ToolName, ToolRef } from './names.ts'
import { RegistrationPayload } from './registration.ts'

export const CONFIG_KIND = 'gantry.config'
export const CONFIG_VERSION = 1

/** What stands at the top of a document. */
export const DOCUMENT_SECTIONS = [
  'clients',
  'bundles',
  'composites',
  'alertRules',
  'consumers',
  'schedules',
  'budgets',
  'guardPolicies',
  'teams',
  'catalogEntries',
  'wsProxyTargets',
] as const
export type DocumentSection = (typeof DOCUMENT_SECTIONS)[number]

/** What an import counts: tools stand inside their backends, and are counted by themselves. */
export const SECTIONS = [...DOCUMENT_SECTIONS, 'tools'] as const
export type Section = (typeof SECTIONS)[number]

/** The secret that is stored already, by the name of its place. */
export const SecretRef = z.strictObject({ $secret: z.string().min(1).max(256) })
/** A secret that the gateway finds in its own environment. */
export const EnvRef = z.strictObject({
  $env: z.string().regex(/^GANTRY_SECRET_[A-Z0-9_]{1,100}$/, 'must name a variable that starts with GANTRY_SECRET_'),
})
export type EnvRef = z.infer<typeof EnvRef>

const BY_REFERENCE =
  'must be {"$secret": "…"}, or a credential whose secret values are {"$env": "GANTRY_SECRET_…"}; secrets do not stand in a document'
const WrittenOrEnv = z.union([EnvRef, z.string().min(1).max(8192)])

const UpstreamAuth = z.union(
  [
    SecretRef,
    z.strictObject({ type: z.literal('bearer'), token: EnvRef }),
    z.strictObject({ type: z.literal('basic'), username: WrittenOrEnv, password: EnvRef }),
    z.strictObject({ type: z.literal('header'), headerName: z.string().min(1).max(256), value: EnvRef }),
    z.strictObject({ type: z.literal('query'), paramName: z.string().min(1).max(128), value: EnvRef }),
  ],
  BY_REFERENCE,
)
export type ConfigUpstreamAuth = z.infer<typeof UpstreamAuth>

const OAuth = z.strictObject({
  tokenUrl: HttpUrl,
  clientId: z.string().min(1).max(256),
  clientSecret: z.union([SecretRef, EnvRef], BY_REFERENCE),
  scope: z.string().max(2048).nullable().default(null),
  audience: z.string().max(2048).nullable().default(null),
  authStyle: z.enum(['body', 'basic']).default('body'),
})
export type ConfigOAuth = z.infer<typeof OAuth>

/** Whom a backend is called as. Never the connections of people. */
const ConfigIdentity = identityWith(z.union([SecretRef, EnvRef], BY_REFERENCE))
export type ConfigIdentity = z.infer<typeof ConfigIdentity>

export const ConfigGuards = z.strictObject({
  rateLimitPerMin: z.number().int().min(1).max(1_000_000_000).nullable().optional(),
  rateLimitScope: z.enum(['tool', 'principal']).optional(),
  timeoutMs: z.number().int().min(1).max(600_000).nullable().optional(),
  allowedKeyHashes: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of a key, in hex'))
    .max(400)
    .optional(),
})

export type ConfigGuards = z.infer<typeof ConfigGuards>

const ConfigBudget = budgetWith(
  SummaryModel.omit({ apiKey: true, apiKeySet: true }).extend({
    apiKey: z.union([SecretRef, EnvRef], BY_REFERENCE).optional(),
  }),
)
export type ConfigBudget = z.infer<typeof ConfigBudget>

const Tags = z.array(Tag).max(20)

const configFeatures = Object.fromEntries(
  Object.entries(FEATURES).map(([name, feature]) => [name, feature.nullable().optional()]),
) as { [K in FeatureName]: z.ZodOptional<z.ZodNullable<(typeof FEATURES)[K]>> } // each stands under its own name

export const ConfigTool = z.strictObject({
  name: ToolName,
  tags: Tags.optional(),
  enabled: z.boolean().optional(),
  guards: ConfigGuards.nullable().optional(),
  overrides: OverridesPatch.nullable().optional(),
  sensitive: z.boolean().nullable().optional(),
  redactPaths: RedactPaths.nullable().optional(),
  guardrails: Guardrails.nullable().optional(),
  approval: ApprovalCfg.nullable().optional(),
  listOutputSchema: z.boolean().nullable().optional(),
  ...configFeatures,
  contextBudget: ConfigBudget.nullable().optional(),
  monitor: ConfigMonitor.nullable().optional(),
})
export type ConfigTool = z.infer<typeof ConfigTool>

const ConfigClient = z.strictObject({
  name: BackendName,
  enabled: z.boolean().optional(),
  team: z.string().min(1).max(63).nullable().optional(),
  tags: Tags.optional(),
  guards: ClientGuards.nullable().optional(),
  registration: RegistrationPayload.strict().nullable().optional(),
  canary: CanaryInput.nullable().optional(),
  lb: LbInput.nullable().optional(),
  oauth: OAuth.nullable().optional(),
  upstreamAuth: UpstreamAuth.nullable().optional(),
  identity: ConfigIdentity.nullable().optional(),
  tools: z.array(ConfigTool).optional(),
})
export type ConfigClient = z.infer<typeof ConfigClient>

const ConfigBundle = z.strictObject({
  name: Name,
  description: z.string().max(1024).nullable().optional(),
  enabled: z.boolean().optional(),
  listMode: z.enum(LIST_MODES).optional(),
  tools: z.array(ToolRef).max(MOST_BUNDLE_TOOLS).optional(),
  composites: z.array(z.string().min(1).max(64)).max(100).optional(),
})
export type ConfigBundle = z.infer<typeof ConfigBundle>

const ConfigSchedule = ScheduleInput.superRefine((schedule, context) => {
  const wrong = { cron: cronProblem(schedule), toolName: targetProblem(schedule) }
  for (const [path, message] of Object.entries(wrong))
    if (message !== undefined) context.addIssue({ code: 'custom', path: [path], message })
})

const Sections = z.strictObject({
  clients: z.array(ConfigClient),
  bundles: z.array(ConfigBundle),
  composites: z.array(CompositeInput.extend({ name: Name })),
  alertRules: z.array(AlertInput),
  consumers: z.array(ConsumerInput),
  schedules: z.array(ConfigSchedule),
  budgets: z.array(BudgetInput),
  guardPolicies: z.array(PolicyInput),
  teams: z.array(TeamInput),
  catalogEntries: z.array(CatalogInput.extend({ slug: z.string().regex(SLUG, `must match ${SLUG.source}`) })),
  wsProxyTargets: z.array(WsTargetInput.extend({ name: Name })),
})

/** A section that is absent is one the document says nothing about. */
export const ConfigDoc = Sections.partial()
  .extend({ kind: z.literal(CONFIG_KIND).default(CONFIG_KIND), version: z.literal(CONFIG_VERSION) })
  .meta({ title: 'Configuration of a Gantry gateway' })
export type ConfigDoc = z.infer<typeof ConfigDoc>

type Item = Readonly<Record<string, unknown>>

/** By what an item of a section is called. A schedule has no name: it is what it does, and when. */
export function nameOf(section: DocumentSection, item: Item): string {
  if (section === 'schedules')
    return ['clientName', 'toolName', 'action', 'cron', 'timezone'].flatMap((key) => item[key] ?? []).join(' ')
  const name = item[section === 'catalogEntries' ? 'slug' : 'name']
  return typeof name === 'string' ? name : ''
}

/** Each item under a name that no other has: schedules may be twins, and are counted then. Everything else is refused twice. */
export function named<T extends Item>(section: DocumentSection, items: readonly T[]): (readonly [string, T])[] {
  const times = new Map<string, number>()
  return items.map((item) => {
    const name = nameOf(section, item)
    const time = (times.get(name) ?? 0) + 1
    times.set(name, time)
    return [section === 'schedules' && time > 1 ? `${name} #${time}` : name, item]
  })
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Keys in order at every level; lists stay as they are, for the order of most of them means something. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .sort(([a], [b]) => order(a, b))
      .map(([key, each]) => [key, sortedKeys(each)]),
  )
}

const byName = <T extends { readonly name: string }>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => order(a.name, b.name))

const byUrl = <T extends { readonly baseUrl: string }>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => order(a.baseUrl, b.baseUrl))

/** Lists whose order means nothing, by natural name. */
export function sortedLists(doc: ConfigDoc): ConfigDoc {
  const { clients, bundles, ...rest } = doc
  const others = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      Array.isArray(value)
        ? sortedByName<Item>(key as DocumentSection, value) // nothing else of a document is a list
        : value,
    ]),
  ) as Omit<ConfigDoc, 'clients' | 'bundles'> // the same keys with the same items
  return {
    ...others,
    ...(clients && {
      clients: byName(clients).map((client) => ({
        ...client,
        ...(client.tags && { tags: [...new Set(client.tags)].sort(order) }),
        ...(client.lb?.upstreams && {
          lb: { ...client.lb, upstreams: byUrl(client.lb.upstreams) },
        }),
        ...(client.tools && { tools: byName(client.tools).map(sortedTool) }),
      })),
    }),
    ...(bundles && { bundles: byName(bundles).map(sortedBundle) }),
  }
}

/** Items that differ only in other fields. */
export const sortedByName = <T extends Item>(section: DocumentSection, items: readonly T[]): T[] =>
  [...items].sort(
    (a, b) =>
      order(nameOf(section, a), nameOf(section, b)) ||
      order(JSON.stringify(sortedKeys(a)), JSON.stringify(sortedKeys(b))),
  )

const sortedTool = ({ tags, guards, ...tool }: ConfigTool): ConfigTool => ({
  ...tool,
  ...(tags && { tags: [...new Set(tags)].sort(order) }),
  ...(guards !== undefined && {
    guards: guards?.allowedKeyHashes
      ? { ...guards, allowedKeyHashes: [...new Set(guards.allowedKeyHashes)].sort(order) }
      : guards,
  }),
})

const sortedBundle = ({ tools, composites, ...bundle }: ConfigBundle): ConfigBundle => ({
  ...bundle,
  ...(tools && { tools: [...tools].sort((a, b) => order(a.client, b.client) || order(a.tool, b.tool)) }),
  ...(composites && { composites: [...composites].sort(order) }),
})

/** The bytes of a document: two exports of one configuration are the same. */
export const configText = (doc: ConfigDoc): string => `${JSON.stringify(sortedKeys(sortedLists(doc)), null, 2)}\n`

/** One item in the order of documents, for telling whether two are the same. */
export const itemText = (section: DocumentSection, item: object): string =>
  JSON.stringify(sortedKeys(sortedLists({ kind: CONFIG_KIND, version: CONFIG_VERSION, [section]: [item] })))

/** The published schema, for editors and for checks without a gateway. */
export const configSchema = (): Record<string, unknown> =>
  z.toJSONSchema(ConfigDoc, { io: 'input', unrepresentable: 'any' })
