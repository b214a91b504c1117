// What of a new configuration is weaker than of the old one: every field of a document has a row, and says when it is or that it never is. Contract 10.10, security case ST-12.
import type { AlertInput } from './admin/alerts.ts'
import type { CatalogInput } from './admin/catalog.ts'
import type { ClientGuards } from './admin/clients.ts'
import type { CompositeInput } from './admin/composites.ts'
import type { ConsumerInput } from './admin/consumers.ts'
import type { PolicyInput } from './admin/policies.ts'
import type { ScheduleInput } from './admin/schedules.ts'
import type { Cache, Capture, Coalesce, QuarantinePolicy } from './admin/tool-features.ts'
import type { ApprovalCfg, Guardrails } from './admin/tool-guards.ts'
import type { WsTargetInput } from './admin/ws-targets.ts'
import { itemsOf, pointer, pointerPart } from './config-diff.ts'
import {
  type ConfigBundle,
  type ConfigClient,
  type ConfigDoc,
  type ConfigGuards,
  type ConfigTool,
  SECTIONS,
  type Section,
} from './config-document.ts'
import type { RegistrationPayload } from './registration.ts'
import {
  allows,
  atLeast,
  denies,
  fieldsIn,
  grants,
  handed,
  limit,
  listIn,
  opens,
  protects,
  type Rule,
  type Rules,
  ranked,
  setting,
} from './weaker.ts'

export type Weakening = {
  /** A JSON pointer in which items of lists stand by their names. */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
  readonly reason: string
}

type Fields = Readonly<Record<string, unknown>>
type Inner = {
  readonly rules: Readonly<Record<string, Row>>
  /** Whether the fields count: one that is switched off is as good as absent. */
  readonly counts: (fields: Fields) => boolean
  /** What an absent object means, where that is not the default of each field. */
  readonly absent?: Fields
}
/** A field of fields. */
const inner = (rules: Inner['rules'], counts: Inner['counts'] = () => true, absent?: Fields): Inner => ({
  rules,
  counts,
  ...(absent && { absent }),
})
/** Null: no value of it is weaker than another. */
type Row = Rule | Inner | null
type Table<T> = { readonly [K in keyof Required<T>]: Row }

const enabled = ({ enabled: on }: Fields): boolean => on !== false
const required = (fields: Fields): boolean => fields.required !== false

const GUARDS: Rules<ConfigGuards> = {
  rateLimitPerMin: limit('rate limit'),
  rateLimitScope: ranked('rate limit scope', ['principal', 'tool'], 'tool'),
  timeoutMs: limit('timeout'),
  allowedKeyHashes: allows('key allow-list'),
}

const GUARDRAILS: Rules<Guardrails> = {
  denyPatterns: denies('deny pattern'),
  blockSecrets: protects('blocking of secrets'),
  scanResponses: protects('scan of answers'),
}

const APPROVAL: Rules<ApprovalCfg> = {
  required: protects('approval', true),
  levels: atLeast('number of approvers'),
  approvers: allows('list of approvers'),
  ttlMs: limit('waiting time of an approval'),
  useTtlMs: limit('lifetime of an approval'),
}

const QUARANTINE: Rules<QuarantinePolicy> = {
  enabled: protects('quarantine policy', true),
  consecutiveThreshold: limit('hits before a quarantine'),
  action: ranked('quarantine action', ['observe', 'force_approval', 'block'], 'block'),
  recoveryMode: ranked('end of a quarantine', ['auto', 'manual'], 'manual'),
  cooldownMs: atLeast('duration of a quarantine'),
}

const SHARED = ranked('scope of kept answers', ['shared', 'principal'], 'principal')
const CACHE: Rules<Cache> = { enabled: null, ttlSeconds: null, scope: SHARED, maxEntryBytes: null }
const COALESCE: Rules<Coalesce> = { enabled: null, scope: SHARED }
const CAPTURE: Rules<Capture> = {
  enabled: null,
  args: ranked('capture of arguments', ['redacted', 'none'], 'none'),
  preview: null,
  maxBodyBytes: null,
}

const responseOps = (value: unknown): readonly unknown[] => listIn(fieldsIn(value).response)
const removals = (value: unknown): readonly unknown[] =>
  enabled(fieldsIn(value)) ? responseOps(value).filter((op) => fieldsIn(op).op === 'remove') : []

export const TOOL_RULES: Table<ConfigTool> = {
  name: null,
  tags: null,
  enabled: opens('tool'),
  guards: inner(GUARDS),
  overrides: null,
  sensitive: ranked('sensitivity', [false, null, true], null),
  redactPaths: denies('redaction'),
  guardrails: inner(GUARDRAILS),
  approval: inner(APPROVAL, required, { required: false }),
  listOutputSchema: null,
  quarantinePolicy: inner(QUARANTINE, enabled, { enabled: false }),
  mock: null,
  cache: inner(CACHE, enabled),
  coalesce: inner(COALESCE, enabled),
  capture: inner(CAPTURE, enabled),
  transform: (before, after) => denies('removal of a field of answers')(removals(before), removals(after)),
  pagination: null,
  streaming: null,
  contextBudget: inner({
    mode: ranked('context budget', ['llm_summarize', 'truncate'], 'truncate'),
    maxResponseBytes: limit('context budget'),
    llm: null,
  }),
  graphql: null,
  ws: null,
  progress: null,
  // Does not run a tool that needs a person before somebody approves it.
  monitor: null,
  routing: null,
}

const BREAKER: Rules<NonNullable<ClientGuards['circuitBreaker']>> = {
  failureThreshold: limit('failures before the breaker opens'),
  windowMs: setting('window of the breaker'),
  resetTimeoutMs: atLeast('time the breaker stays open'),
  halfOpenTimeoutMs: null,
}

const REGISTRATION: Rules<RegistrationPayload> = {
  name: null,
  kind: null,
  health_url: null,
  openapi_url: null,
  tools: null,
  curl_input: null,
  client_collection: null,
  // A credential does not follow the address: `credential-binding.ts`.
  base_url: null,
  graphql_url: null,
  mcp_url: null,
  mcp_transport: null,
  mcp_era: null,
  description: null,
  include_tags: allows('selection by tags'),
  exclude_operations: denies('excluded operation'),
  retry_non_safe_methods: opens('retries of writes', false),
  include_mutations: opens('mutations'),
}

export const CLIENT_RULES: Table<Omit<ConfigClient, 'tools'>> = {
  name: null,
  enabled: opens('backend'),
  team: handed('team'),
  tags: null,
  guards: inner({ circuitBreaker: inner(BREAKER) } satisfies Table<ClientGuards>),
  registration: inner(REGISTRATION),
  canary: null,
  lb: null,
  oauth: null,
  upstreamAuth: null,
}

const BUNDLE: Table<ConfigBundle> = {
  name: null,
  description: null,
  enabled: opens('bundle'),
  tools: grants('tool of a bundle'),
  composites: grants('composite of a bundle'),
}
const COMPOSITE: Table<CompositeInput> = {
  name: null,
  description: null,
  enabled: opens('composite'),
  inputSchema: null,
  steps: null,
  output: null,
}
const ALERT: Table<AlertInput> = {
  name: null,
  eventType: null,
  enabled: protects('alert', false),
  threshold: limit('threshold of an alert'),
  minCalls: null,
  client: null,
  webhookUrl: null,
}
const CONSUMER: Table<ConsumerInput> = {
  name: null,
  monthlyQuota: limit('monthly quota'),
  endUserRateLimitPerMin: limit('rate limit of end users'),
}
const SCHEDULE: Table<ScheduleInput> = {
  targetType: null,
  clientName: null,
  toolName: null,
  action: null,
  cron: null,
  timezone: null,
  enabled: protects('schedule', false),
  note: null,
}
/** What was applied stays: a policy that goes takes no limit with it. */
const POLICY: Table<PolicyInput> = {
  name: null,
  rateLimitPerMin: limit('rate limit of a policy'),
  timeoutMs: limit('timeout of a policy'),
}
/** What may be installed; nothing runs by it. */
const CATALOG: Table<CatalogInput> = {
  slug: null,
  name: null,
  kind: null,
  description: null,
  category: null,
  tags: null,
  icon: null,
  openapiUrl: null,
  healthUrl: null,
  baseUrl: null,
  includeTags: null,
  excludeOperations: null,
  mcpUrl: null,
  mcpTransport: null,
  graphqlUrl: null,
  includeMutations: null,
  authHint: null,
  docsUrl: null,
  featured: null,
}
const SOCKET: Table<WsTargetInput> = {
  name: null,
  backendWsUrl: null,
  maxConnections: limit('connections of a WebSocket target'),
  maxMessageBytes: limit('message size of a WebSocket target'),
  idleTimeoutMs: limit('idle timeout of a WebSocket target'),
  enabled: opens('WebSocket target'),
}

export const WEAKENING_RULES: Readonly<Record<Section, Readonly<Record<string, Row>>>> = {
  clients: CLIENT_RULES,
  tools: TOOL_RULES,
  bundles: BUNDLE,
  composites: COMPOSITE,
  alertRules: ALERT,
  consumers: CONSUMER,
  schedules: SCHEDULE,
  guardPolicies: POLICY,
  teams: { name: null },
  catalogEntries: CATALOG,
  wsProxyTargets: SOCKET,
}

/** An item that is new, or gone, is compared with nothing: tools then are as they were discovered. */
const COMPARED: Readonly<Record<Section, 'always' | 'while present' | 'not when new'>> = {
  clients: 'while present',
  tools: 'always',
  bundles: 'while present',
  composites: 'while present',
  alertRules: 'not when new',
  consumers: 'not when new',
  schedules: 'not when new',
  guardPolicies: 'while present',
  teams: 'while present',
  catalogEntries: 'while present',
  wsProxyTargets: 'while present',
}

function within({ rules, counts, absent = {} }: Inner, before: unknown, after: unknown, path: string): Weakening[] {
  const read = (value: unknown): Fields | undefined =>
    value === undefined || value === null || !counts(fieldsIn(value)) ? undefined : fieldsIn(value)
  const [was, is] = [read(before) ?? absent, read(after)]
  if (is !== undefined) return compared(rules, was, is, path)
  // Gone as a whole: one line says so, where one field decides.
  const keys = Object.keys(absent)
  const deciding = keys.length === 0 ? rules : Object.fromEntries(keys.map((key) => [key, rules[key] ?? null]))
  return compared(deciding, was, absent, path)
}

function compared(rules: Inner['rules'], before: Fields, after: Fields, path: string): Weakening[] {
  return Object.entries(rules).flatMap(([key, row]): Weakening[] => {
    if (row === null) return []
    const at = `${path}/${pointerPart(key)}`
    if (typeof row === 'object') return within(row, before[key], after[key], at)
    const reason = row(before[key], after[key])
    return reason === undefined ? [] : [{ path: at, before: before[key] ?? null, after: after[key] ?? null, reason }]
  })
}

/** In the order of their paths. */
export function weakenings(before: ConfigDoc, after: ConfigDoc): Weakening[] {
  const [was, is] = [itemsOf(before), itemsOf(after)]
  return SECTIONS.flatMap((section) => {
    const names = [...new Set([...was[section].keys(), ...is[section].keys()])]
    return names.flatMap((name) => {
      const [old, now] = [was[section].get(name), is[section].get(name)]
      if (old === undefined && COMPARED[section] !== 'always') return []
      if (now === undefined && COMPARED[section] === 'while present') return []
      return compared(WEAKENING_RULES[section], old ?? {}, now ?? {}, pointer(section, name))
    })
  }).sort((a, b) => (a.path < b.path ? -1 : 1))
}
