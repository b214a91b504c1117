// The tables as Kysely sees them: ISO text for times, 0/1 for booleans, text for JSON, so that both engines hold the same.

import type { Generated, Kysely, Transaction } from 'kysely'
import type { AlertRule } from '../contract/admin/alerts.ts'
import type { BudgetInput } from '../contract/admin/budgets.ts'
import type { CatalogInput } from '../contract/admin/catalog.ts'
import type { ClientGuards } from '../contract/admin/clients.ts'
import type { Step } from '../contract/admin/composites.ts'
import type { GrantState } from '../contract/admin/identity.ts'
import type { KeyScopes } from '../contract/admin/mcp-keys.ts'
import type { MonitorRecord } from '../contract/admin/monitors.ts'
import type { StoredSpan, TraceStage } from '../contract/admin/traces.ts'
import type { ConfigDoc } from '../contract/config-document.ts'
import type { ToolRef } from '../contract/names.ts'
import type { RegistrationPayload } from '../contract/registration.ts'
import type { Report } from './instances.ts'
import type { JsonText } from './json-text.ts'
import type { Runs } from './permits.ts'
import type {
  CredentialInfo,
  OAuthStored,
  Retired,
  ScriptDefinition,
  StoredCanary,
  StoredIdentity,
  StoredLb,
  StoredPins,
  StoredScript,
  StoredUpstreamClient,
  StoredVerdict,
  ToolConfig,
} from './stored.ts'

type Flag = 0 | 1
type Arguments = Readonly<Record<string, unknown>>
type JsonSchema = Readonly<{ [keyword: string]: unknown }>
type Drift = NonNullable<MonitorRecord['drift']>['diff']

type CallColumns = {
  id: Generated<number>
  request_id: string
  at_ms: number
  principal: string
  key_id: number | null
  consumer_id: number | null
  surface: string
  bundle: string | null
  session: string | null
  client: string | null
  tool: string
  called_as: string
  outcome: string
  deny_code: string | null
  gate: string | null
  failure_kind: string | null
  status_class: string
  duration_ms: number
  attempts: number
  cache: string | null
  target: string | null
  request_bytes: number
  response_bytes: number
  trace_id: string | null
  /** The MCP method of a relayed request, or the HTTP method of a request refused at the door; null for a call of a tool. */
  method: string | null
  /** The name that the MCP client gave itself. */
  program: string | null
  /** Of a refusal. */
  verdict: JsonText<StoredVerdict> | null
}
type SharedColumn = Exclude<
  keyof CallColumns,
  | 'id'
  | 'request_id'
  | 'at_ms'
  | 'outcome'
  | 'session'
  | 'duration_ms'
  | 'request_bytes'
  | 'response_bytes'
  | 'trace_id'
  | 'verdict'
>

/** The columns of every record that a team may own. */
type Owned = {
  id: Generated<number>
  team_id: number | null
  revision: number
  created_at: string
  updated_at: string
  created_by: string | null
}

export type Schema = {
  meta: { key: string; value: string }
  schema_version: { version: number; name: string; app_version: string; applied_at: string }
  users: {
    id: Generated<number>
    username: string
    password_hash: string | null
    role: string
    is_active: Flag
    team_id: number | null
    auth_method: string
    created_at: string
    updated_at: string
    created_by: string | null
    last_login_at: string | null
    revision: Generated<number>
    oidc_issuer: string | null
    oidc_subject: string | null
    invitation_hash: string | null
    invitation_expires_at: string | null
  }
  admin_sessions: {
    id: Generated<number>
    token_hash: string
    csrf_hash: string
    username: string
    created_at: string
    last_seen_at: string
    expires_at: string
    ip_address: string | null
    user_agent: string | null
  }
  audit_log: {
    id: number
    prev_hash: string
    actor: string
    action: string
    target: string
    detail: string | null
    created_at: string
    hash: string
    team_id: number | null
  }
  leases: { name: string; holder: string; expires_at_ms: number; token: number }
  instances: {
    id: string
    host: string
    pid: number
    machine: string
    started_at: string
    expires_at_ms: number
    version: Generated<string | null>
    applied: Generated<number | null>
    report: Generated<JsonText<Report> | null>
    draining: Generated<number>
  }
  instance_messages: { id: Generated<number>; sender: string; recipient: string | null; kind: string; body: string }
  rate_permits: { key: string; runs: JsonText<Runs>; ends_at_ms: number }
  quota_taken: { consumer_id: number; period: string; taken: number }
  burst_marks: { writer: string; burst: number; at_ms: number }
  idempotency_keys: {
    key: string
    actor: string
    route: string
    body_hash: string
    status: number | null
    response: string | null
    /** Of the one attempt that works on it; null once it is answered, and in rows of older versions. */
    owner: string | null
    renewed_at_ms: number | null
    created_at: string
  }
  backends: Owned & {
    name: string
    kind: string
    source: string
    input: string | null
    enabled: Flag
    description: string | null
    registration: JsonText<RegistrationPayload> | null
    base_url: string
    health_url: string | null
    pins: JsonText<StoredPins> | null
    pinned_at: string | null
    guards: JsonText<ClientGuards> | null
    tags: JsonText<readonly string[]>
    upstream_auth: string | null
    upstream_auth_info: JsonText<CredentialInfo> | null
    oauth_secret: string | null
    oauth_info: JsonText<OAuthStored> | null
    identity: Generated<JsonText<StoredIdentity> | null>
    identity_secret: Generated<string | null>
    canary: JsonText<StoredCanary> | null
    lb: JsonText<StoredLb> | null
    evicted_at: string | null
    last_seen_at: string | null
    last_error: string | null
    discovered_at: string
  }
  lb_targets: {
    id: Generated<number>
    backend_id: number
    base_url: string
    addresses: JsonText<readonly string[]>
    weight: number
    enabled: Flag
  }
  tools: {
    id: Generated<number>
    backend_id: number
    name: string
    source_name: string
    definition: string
    config: JsonText<ToolConfig>
    tags: JsonText<readonly string[]>
    schema_hash: string
    missing_since: string | null
    revision: number
    updated_at: string
  }
  catalog_entries: Owned & {
    slug: string
    entry: JsonText<CatalogInput>
  }
  /** A view: rows with what their kinds say, and those of `calls_before`. */
  calls: CallColumns
  /** Rows from before the kinds; the table is there while `meta` names it. */
  calls_before: CallColumns
  /** What calls of one day have in common. */
  call_kinds: Pick<CallColumns, 'id' | SharedColumn> & { readonly day: number }
  call_rows: Omit<CallColumns, SharedColumn> & { readonly kind_id: number }
  call_series: {
    id: Generated<number>
    client: string
    tool: string
    principal: string
    key_id: number
    consumer_id: number
    outcome: string
    deny_code: string
    gate: string
  }
  call_rollups: {
    width_ms: number
    start_ms: number
    series_id: number
    calls: number
    duration_ms: number
    max_ms: number
    cache_hits: number
    bytes_out: number
    last_ms: number
    last_id: number
    /** A `duration-histogram`. */
    durations: string
  }
  traffic: {
    id: Generated<number>
    request_id: string
    at_ms: number
    /** Whose it was when it was made: a name may become another team's. */
    team_id: number | null
    principal: string
    key_id: number | null
    client: string | null
    tool: string | null
    called_as: string
    /** Null where they are not kept. */
    args: JsonText<Arguments> | null
    args_redacted: Flag
    /** Null where none is kept. */
    preview: string | null
    preview_truncated: Flag
    is_error: Flag
    outcome: string
    deny_code: string | null
    gate: string | null
    failure_kind: string | null
    duration_ms: number
    trace_id: string | null
  }
  spans: {
    id: Generated<number>
    trace_id: string
    span_id: string
    parent_span_id: string | null
    name: string
    kind: string
    start_ms: number
    end_ms: number
    status_code: number
    status_message: string | null
    attributes: JsonText<StoredSpan['attributes']>
    events: JsonText<readonly StoredSpan['events'][number][]>
    /** With its backend, as a trace is called by it. */
    tool_name: string | null
    tool: string | null
    client: string | null
    composite: string | null
    session: string | null
    outcome: string
    deny_code: string | null
    stages: JsonText<readonly TraceStage[]> | null
  }
  pcg_editors: {
    id: Generated<number>
    name: string
    driver: string
    url: string | null
    resolved_url: string | null
    token: string | null
    auto_connect: Flag
    sidecar_dir: string | null
    project_dir: string | null
    revision: Generated<number>
    created_at: string
    updated_at: string
    created_by: string | null
  }
  pcg_snapshots: {
    id: Generated<number>
    editor_id: number
    graph: string
    label: string | null
    state: JsonText<unknown>
    node_count: number
    edge_count: number
    created_at: string
    created_by: string
  }
  bundles: Owned & {
    name: string
    description: string | null
    enabled: Flag
    tools: JsonText<readonly ToolRef[]>
    composites: JsonText<readonly string[]>
    list_mode: Generated<string>
  }
  composites: Owned & {
    name: string
    description: string | null
    enabled: Flag
    input_schema: JsonText<JsonSchema>
    steps: JsonText<readonly Readonly<Step>[]>
    output: JsonText<unknown> | null
    script: JsonText<StoredScript> | null
    /** Of the text that a person approved. */
    approved_hash: string | null
    approved_by: string | null
    approved_at: string | null
  }
  script_versions: {
    id: Generated<number>
    composite_id: number
    version: number
    hash: string
    definition: JsonText<ScriptDefinition>
    author: string
    created_at: string
    approved_by: string | null
    approved_at: string | null
  }
  mcp_keys: Owned & {
    label: string
    key_hash: string
    key_prefix: string
    retired: JsonText<Retired> | null
    scopes: JsonText<NonNullable<KeyScopes>> | null
    allowed_tools: JsonText<readonly string[]> | null
    consumer_id: number | null
    elevated: Flag
    admin_role: string | null
    enabled: Flag
    expires_at: string | null
    revoked_at: string | null
    last_used_at: string | null
    last_used_client: string | null
    install_link_id: number | null
    /** The user whom its calls are made as, where backends know people. */
    person: Generated<string | null>
    /** Its caller may name another user. */
    names_people: Generated<Flag>
  }
  consumers: Owned & {
    name: string
    monthly_quota: number | null
    end_user_rate: number | null
  }
  consumer_usage: { consumer_id: number; period: string; used: number }
  budgets: Owned & {
    name: string
    settings: JsonText<Omit<BudgetInput, 'name'>>
  }
  guard_policies: Owned & {
    name: string
    rate_limit_per_min: number | null
    timeout_ms: number | null
  }
  teams: {
    id: Generated<number>
    name: string
    revision: number
    created_at: string
    updated_at: string
    created_by: string | null
  }
  oidc_settings: {
    id: number
    settings: string
    client_secret: string | null
    revision: number
    updated_at: string
  }
  install_links: {
    id: Generated<number>
    bundle_id: number
    label: string | null
    token_hash: string
    token_prefix: string
    mcp_key_id: number
    sealed_key: string | null
    created_at: string
    created_by: string | null
    expires_at: string | null
    revoked_at: string | null
    last_used_at: string | null
    use_count: Generated<number>
  }
  config_snapshots: {
    id: Generated<number>
    label: string
    kind: string
    config: JsonText<ConfigDoc>
    config_hash: string
    created_at: string
    created_by: string | null
  }
  approvals: {
    id: Generated<number>
    backend_id: number
    client_name: string
    tool_name: string
    args_hash: string
    /** Of what the tool was when the call was asked for. */
    definition_hash: string
    /** Without what the redact paths of then named. */
    args: JsonText<Arguments>
    status: string
    reason: string
    key_id: number | null
    principal: string
    /** The person who acted through the principal; empty where it acted for itself. */
    actor: string
    end_user: string | null
    request_id: string
    required_levels: number
    approvers: JsonText<readonly string[]>
    use_ttl_ms: number
    created_at: string
    approved_at: string | null
    consumed_at: string | null
    expires_at: string
    team_id: number | null
  }
  approval_decisions: {
    id: Generated<number>
    approval_id: number
    decided_by: string
    decision: string
    note: string | null
    decided_at: string
  }
  quarantines: {
    tool_id: number
    /** In a row. */
    hits: number
    /** Null while it is only counted. */
    since: string | null
    until: string | null
    action: string | null
    reason: string | null
  }
  tool_examples: {
    id: Generated<number>
    tool_id: number
    label: string
    args: JsonText<Arguments>
    created_at: string
    created_by: string | null
  }
  monitors: {
    tool_id: number
    /** Of which setting it is: a run that began under another one says nothing about this. */
    set_at: string
    /** The input schema that is compared with, and the hash of its canonical form. */
    baseline: JsonText<JsonSchema>
    baseline_hash: string
    /** The input schema as its source last listed it; `null` as JSON where the source had no such tool. */
    seen: JsonText<JsonSchema | null> | null
    seen_at: string | null
    drift: JsonText<Drift> | null
    drift_since: string | null
    last_status: string | null
    last_error: string | null
    last_latency_ms: number | null
    last_run_at: string | null
    /** In a row. */
    failures: number
    next_run_at: string
    set_by: string | null
    /** Who let it run a tool that needs a person, and of which tool and arguments. */
    approved_by: string | null
    approved_at: string | null
    approved_hash: string | null
  }
  ws_targets: Owned & {
    name: string
    url: string
    addresses: JsonText<readonly string[]>
    max_connections: number | null
    max_message_bytes: number | null
    idle_timeout_ms: number | null
    enabled: Flag
  }
  alert_rules: Owned & {
    name: string
    event_type: string
    webhook_url: string
    addresses: JsonText<readonly string[]>
    enabled: Flag
    threshold: number | null
    min_calls: number | null
    client: string | null
    state: Generated<string>
    affected: Generated<JsonText<readonly string[]>>
    last_fired_at: string | null
    last_delivery: JsonText<NonNullable<AlertRule['lastDelivery']>> | null
  }
  schedules: Owned & {
    client_name: string
    tool_name: string | null
    action: string
    cron: string
    timezone: string
    enabled: Flag
    note: string | null
    last_run_at: string | null
    last_result: string | null
    next_run_at: string | null
  }
  ended_sessions: {
    hash: string
    created_at_ms: number
    ended_at_ms: number
  }
  kept_results: {
    handle_hash: string
    principal: string
    session_hash: string | null
    bytes: number
    portions: number
    most_bytes: number
    expires_ms: number
    client: string | null
    tool: string | null
  }
  kept_result_portions: { handle_hash: string; portion: number; sealed: string; expires_ms: number }
  /** The OAuth clients of this gateway at authorization servers: a new registration is a new generation. */
  upstream_clients: {
    id: Generated<number>
    backend_id: number
    issuer: string
    generation: number
    origin: 'form' | 'metadata' | 'registered'
    client: JsonText<StoredUpstreamClient>
    secret: string | null
    created_at: string
  }
  upstream_grants: {
    id: Generated<number>
    backend_id: number
    principal: string
    /** The name that people read. */
    person: string
    client_id: number
    state: GrantState
    /** Null while there is no token. */
    sealed: string | null
    token_hash: string | null
    scopes: string
    expires_at_ms: number | null
    lifetime_ms: number | null
    /** Moves with every change, so that other instances read it again. */
    version: number
    retrying_since: string | null
    last_error: string | null
    created_at: string
    updated_at: string
  }
  upstream_connects: {
    link_hash: string
    backend_id: number
    principal: string
    scopes: string
    state_hash: string | null
    browser_hash: string | null
    client_id: number | null
    redirect_uri: string | null
    expires_at: string
  }
  upstream_tool_scopes: { tool_id: number; scopes: string }
  oidc_sign_ins: {
    state_hash: string
    browser_hash: string
    return_to: string
    issuer: string
    client_id: string
    redirect_uri: string
    expires_at: string
  }
}

/** A read handle: `database.query`, or a transaction where a read must see its own writes. */
export type Query = Kysely<Schema>
/** An open write transaction. */
export type Tx = Transaction<Schema>
