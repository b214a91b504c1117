// When a field of a configuration is weaker than before: every field of a document has a row, or says that it never is. Contract 10.10, security case ST-12.
import { ALERT_DEFAULTS, type AlertInput } from './admin/alerts.ts'
import type { BudgetInput } from './admin/budgets.ts'
import type { CatalogInput } from './admin/catalog.ts'
import type { ClientGuards } from './admin/clients.ts'
import type { CompositeInput } from './admin/composites.ts'
import type { ConsumerInput } from './admin/consumers.ts'
import type { PolicyInput } from './admin/policies.ts'
import type { ScheduleInput } from './admin/schedules.ts'
import type { Cache, Capture, Coalesce, QuarantinePolicy } from './admin/tool-features.ts'
import type { ApprovalCfg, Guardrails } from './admin/tool-guards.ts'
import type { WsTargetInput } from './admin/ws-targets.ts'
import type { ConfigBundle, ConfigClient, ConfigGuards, ConfigTool, Section } from './config-document.ts'
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
  watches,
} from './weaker.ts'

export type Fields = Readonly<Record<string, unknown>>
export type Inner = {
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
export type Row = Rule | Inner | null
type Table<T> = { readonly [K in keyof Required<T>]: Row }

const enabled = ({ enabled: on }: Fields): boolean => on !== false
const required = (fields: Fields): boolean => fields.required !== false

const GUARDS: Rules<ConfigGuards> = {
  rateLimitPerMin: limit('rate limit'),
  rateLimitScope: ranked('rate limit scope', ['principal', 'tool'], 'tool'),
  timeoutMs: limit('timeout', 'TOOL_CALL_TIMEOUT_MS'),
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
  ttlMs: limit('waiting time of an approval', 'APPROVAL_TTL_MS'),
  useTtlMs: limit('lifetime of an approval', 'APPROVAL_USE_TTL_MS'),
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
  preview: opens('capture of answers', false),
  maxBodyBytes: null,
}

/** Steps that take a value away, or put one of their own in its place. */
const imposed = (value: unknown, side: 'request' | 'response'): readonly unknown[] =>
  enabled(fieldsIn(value))
    ? listIn(fieldsIn(value)[side]).filter((op) => ['remove', 'set'].includes(String(fieldsIn(op).op)))
    : []
const TRANSFORM: Rule = (before, after, items) =>
  denies('removal of a field of answers')(imposed(before, 'response'), imposed(after, 'response'), items) ??
  denies('fixed argument')(imposed(before, 'request'), imposed(after, 'request'), items)

/** Answers every call instead of the backend. */
const stands = (value: unknown): boolean => enabled(fieldsIn(value)) && fieldsIn(value).mode === 'always'
const MOCK: Rule = (before, after) =>
  stands(before) && !stands(after) ? 'mock off: calls reach the backend' : undefined

const TOOL_RULES: Table<ConfigTool> = {
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
  mock: MOCK,
  cache: inner(CACHE, enabled),
  coalesce: inner(COALESCE, enabled),
  capture: inner(CAPTURE, enabled),
  transform: TRANSFORM,
  pagination: null,
  streaming: null,
  contextBudget: inner({
    mode: ranked('context budget', ['llm_summarize', 'handle', 'truncate'], 'truncate'),
    maxResponseBytes: limit('context budget'),
    beginning: opens('beginning of kept answers'),
    llm: null,
  }),
  graphql: null,
  ws: null,
  progress: null,
  price: null,
  // A monitor of a tool that needs a person runs only after an approval.
  monitor: null,
  routing: null,
}

const BREAKER: Rules<NonNullable<ClientGuards['circuitBreaker']>> = {
  failureThreshold: limit('failures before the breaker opens', 'CIRCUIT_BREAKER_FAILURE_THRESHOLD'),
  windowMs: atLeast('window of the breaker', 'CIRCUIT_BREAKER_WINDOW_MS'),
  resetTimeoutMs: atLeast('time the breaker stays open', 'CIRCUIT_BREAKER_RESET_TIMEOUT_MS'),
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
  mcp_sign_in: null,
  description: null,
  include_tags: allows('selection by tags'),
  exclude_operations: denies('excluded operation'),
  retry_non_safe_methods: opens('retries of writes', false),
  include_mutations: opens('mutations'),
}

const isPersonal = (value: unknown): boolean =>
  ['per_principal', 'exchange', 'id_jag'].includes(String(fieldsIn(value).mode))
const IDENTITY: Rule = (before, after) =>
  isPersonal(before) && !isPersonal(after) ? 'calls as each person off' : undefined

const CLIENT_RULES: Table<Omit<ConfigClient, 'tools'>> = {
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
  identity: IDENTITY,
}

const BUNDLE: Table<ConfigBundle> = {
  name: null,
  description: null,
  enabled: opens('bundle'),
  listMode: null,
  tools: grants('tool of a bundle'),
  composites: grants('composite of a bundle'),
}
const toolsOf = (steps: unknown): readonly unknown[] =>
  listIn(steps).map((step) => [fieldsIn(step).targetClient, fieldsIn(step).targetTool])
const COMPOSITE: Table<CompositeInput> = {
  name: null,
  description: null,
  enabled: opens('composite'),
  inputSchema: null,
  // A key of a bundle reaches the steps of its composites.
  steps: (before, after, items) => grants('tool of a composite')(toolsOf(before), toolsOf(after), items),
  output: null,
  // It runs once a person here approved it.
  script: null,
}
/** A rule that is gone is off, and no limit of it is weaker beside. */
const usual =
  (field: 'threshold' | 'minCalls') =>
  ({ eventType }: Fields): number | undefined => {
    if (eventType === 'error_rate' || eventType === 'usage_spike') return ALERT_DEFAULTS[eventType][field]
    return eventType === undefined ? Number.NEGATIVE_INFINITY : undefined
  }
const ALERT: Table<AlertInput> = {
  name: null,
  eventType: watches('event of an alert'),
  enabled: protects('alert', false),
  threshold: limit('threshold of an alert', usual('threshold')),
  minCalls: limit('least number of calls of an alert', usual('minCalls')),
  client: watches('backend of an alert'),
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
  enabled: (before, after, items) =>
    items.before.action === 'disable'
      ? protects('schedule', false)(before, after, items)
      : items.after.action === 'enable'
        ? opens('schedule that enables', false)(before, after, items)
        : undefined,
  note: null,
}
const BUDGET: Table<BudgetInput> = {
  name: null,
  per: watches('scope of a budget'),
  only: watches('subject of a budget'),
  period: ranked('period of a budget', ['hour', 'day', 'month'], 'month'),
  maxCalls: limit('calls of a budget'),
  maxBytes: limit('bytes of a budget'),
  maxTokens: limit('tokens of a budget'),
  maxCost: limit('cost of a budget'),
  stopLoops: protects('loop breaker'),
  keepAboveBytes: null,
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
  maxConnections: limit('connections of a WebSocket target', 'WS_PROXY_DEFAULT_MAX_CONNECTIONS'),
  maxMessageBytes: limit('message size of a WebSocket target', 'WS_PROXY_DEFAULT_MAX_MESSAGE_BYTES'),
  idleTimeoutMs: limit('idle timeout of a WebSocket target', 'WS_PROXY_DEFAULT_IDLE_TIMEOUT_MS'),
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
  budgets: BUDGET,
  guardPolicies: POLICY,
  teams: { name: null },
  catalogEntries: CATALOG,
  wsProxyTargets: SOCKET,
}

/** An item that is new, or gone, is compared with nothing: tools then are as they were discovered. */
export const COMPARED: Readonly<Record<Section, 'always' | 'while present' | 'not when new'>> = {
  clients: 'while present',
  tools: 'always',
  bundles: 'while present',
  composites: 'while present',
  alertRules: 'not when new',
  consumers: 'not when new',
  schedules: 'always',
  budgets: 'not when new',
  guardPolicies: 'while present',
  teams: 'while present',
  catalogEntries: 'while present',
  wsProxyTargets: 'while present',
}
