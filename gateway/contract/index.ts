// The door `#contract`: everything the browser, the desktop shell and the server agree on. Pure: zod only.
import { alerts } from './admin/alerts.ts'
import { approvals } from './admin/approvals.ts'
import { auditLog } from './admin/audit-log.ts'
import { auth } from './admin/auth.ts'
import { bundles } from './admin/bundles.ts'
import { catalog } from './admin/catalog.ts'
import { clients } from './admin/clients.ts'
import { composites } from './admin/composites.ts'
import { config } from './admin/config.ts'
import { configDocuments } from './admin/config-documents.ts'
import { consumers } from './admin/consumers.ts'
import { diagnosis } from './admin/diagnosis.ts'
import { connect, installLinks } from './admin/install-links.ts'
import { instances } from './admin/instances.ts'
import { localServices } from './admin/local-services.ts'
import { mcpKeys } from './admin/mcp-keys.ts'
import { mcpSessions } from './admin/mcp-sessions.ts'
import { monitors } from './admin/monitors.ts'
import { oidc } from './admin/oidc.ts'
import { overview } from './admin/overview.ts'
import { pcg } from './admin/pcg.ts'
import { policies } from './admin/policies.ts'
import { register } from './admin/register.ts'
import { schedules } from './admin/schedules.ts'
import { targets } from './admin/targets.ts'
import { teams } from './admin/teams.ts'
import { toolExamples } from './admin/tool-examples.ts'
import { tools } from './admin/tools.ts'
import { traces } from './admin/traces.ts'
import { traffic } from './admin/traffic.ts'
import { usage } from './admin/usage.ts'
import { users } from './admin/users.ts'
import { wsTargets } from './admin/ws-targets.ts'

/** Backends, their tools, and how they come to be. */
export const BACKENDS = {
  clients,
  targets,
  tools,
  toolExamples,
  monitors,
  diagnosis,
  register,
  localServices,
  catalog,
} as const

/** WebSocket targets. */
export const SOCKETS = { wsTargets } as const

/** What the gateway looks at and does by itself. */
export const WATCHING = { alerts, schedules } as const

/** What an administrator makes of the tools of several backends. */
export const CURATION = { bundles, composites } as const

/** Who may call tools, how often, under which guards, after whose approval, and who is connected. */
export const ACCESS = { mcpKeys, mcpSessions, consumers, policies, approvals } as const

/** The configuration as a document, and as it was. */
export const CONFIGURATION = { configDocuments } as const

/** What was kept of calls. */
export const RECORDED = { traffic } as const

/** Editors of procedural content; there with PCG_ENABLED. */
export const EDITORS = { pcg } as const

/** How a client comes to be configured. */
export const CONNECT = { installLinks, connect } as const

/** The gateways of one database. */
export const FLEET = { instances } as const

/** The whole admin API in one object. A route that is not here does not exist. */
export const ADMIN = { auth, oidc, overview, users, teams, usage, traces, auditLog, config } as const

/** Every table there is: the document and the suites over all routes are made from it. */
export const API = {
  ...ADMIN,
  ...BACKENDS,
  ...CURATION,
  ...ACCESS,
  ...CONNECT,
  ...CONFIGURATION,
  ...SOCKETS,
  ...RECORDED,
  ...WATCHING,
  ...FLEET,
  ...EDITORS,
} as const

export { ALERT_DEFAULTS, ALERT_EVENTS, type AlertEvent, AlertInput, AlertRule } from './admin/alerts.ts'
export { APPROVAL_STATUSES, Approval, type ApprovalStatus } from './admin/approvals.ts'
export { AuditEntry, AuditVerdict } from './admin/audit-log.ts'
export { Me, SessionRecord, UserBrief } from './admin/auth.ts'
export type { BundleDetail, BundlePreview, BundleSummary } from './admin/bundles.ts'
export type { CatalogEntry } from './admin/catalog.ts'
export { type ClientDetail, type ClientSummary, OAuthInput, type UpstreamAuthInput } from './admin/clients.ts'
export type { CompositeDetail, CompositeSummary, CompositeTest, Step } from './admin/composites.ts'
export { CompositeInput } from './admin/composites.ts'
export { EffectiveEntry } from './admin/config.ts'
export type { ImportResult, SnapshotSummary } from './admin/config-documents.ts'
export { Consumer, ConsumerInput } from './admin/consumers.ts'
export { InstallLink, InstallView } from './admin/install-links.ts'
export type { InstanceRecord } from './admin/instances.ts'
export { KeyRecord, type KeyScopes } from './admin/mcp-keys.ts'
export type { McpSession } from './admin/mcp-sessions.ts'
export { MONITOR_STATUSES, MonitorRecord } from './admin/monitors.ts'
export { OidcSettings, OidcSettingsInput } from './admin/oidc.ts'
export { EVENT_TOPICS, type EventTopic, Overview, PostureFinding, SEVERITIES } from './admin/overview.ts'
export {
  EditorInput,
  GraphCopyInput,
  GraphImportInput,
  GraphPatchInput,
  LevelReadInput,
  PcgCallResult,
  PcgChange,
  PcgEditor,
  PcgLayout,
  PcgSnapshot,
} from './admin/pcg-records.ts'
export { GuardPolicy, type PolicyApplied, PolicyInput } from './admin/policies.ts'
export {
  cronProblem,
  SCHEDULE_ACTIONS,
  Schedule,
  ScheduleInput,
  type ScheduleResult,
  targetProblem,
  timesOf,
} from './admin/schedules.ts'
export { type Canary, CanaryInput, type Lb, LbInput, type LbTarget, LbTargetInput } from './admin/targets.ts'
export { Team, TeamInput } from './admin/teams.ts'
export { ToolExample } from './admin/tool-examples.ts'
export { FEATURE_NAMES, FEATURES, type FeatureName, type QuarantinePolicy } from './admin/tool-features.ts'
export { ApprovalCfg, Guardrails, GuardsDraft, RedactPaths } from './admin/tool-guards.ts'
export type { TestResult } from './admin/tool-test.ts'
export { OverridesPatch, type ToolDetail, type ToolPatch, type ToolRow } from './admin/tools.ts'
export type { StoredSpan, TraceStage, TraceSummary, UsualStages } from './admin/traces.ts'
export type { Replayed, TrafficRow } from './admin/traffic.ts'
export type {
  CallRow,
  CallVerdict,
  RefusalCount,
  UsageOfClient,
  UsageOfKey,
  UsageOfTool,
  UsagePoint,
  UsageSummary,
} from './admin/usage.ts'
export { UserRecord } from './admin/users.ts'
export { WsTarget, WsTargetInput } from './admin/ws-targets.ts'
export {
  type AgentChange,
  type AgentConnection,
  type AgentPlan,
  type AgentStatus,
  AgentsAnswer,
  AgentsAsk,
  type DiffLine,
} from './agent-records.ts'
export { AUDIT_ACTIONS, type AuditAction } from './audit-action.ts'
export {
  ApiError,
  type Client,
  type ClientRequest,
  type ClientResponse,
  createClient,
  fillPath,
  type Transport,
} from './client.ts'
export type { ConfigDoc } from './config-document.ts'
export { parseConfig } from './config-parse.ts'
export { itemOf } from './config-selection.ts'
export { CONNECT_CLIENTS, type ConnectClient, type ConnectClientId, connectClients } from './connect.ts'
export { type Cron, readCron } from './cron.ts'
export { ERROR_STATUS, type ErrorCode, ErrorEnvelope, GatewayError } from './error.ts'
export { type HandoffFacts, type HandoffFile, type HandoffItem, handoff } from './handoff.ts'
export { SEARCH_TOOL } from './names.ts'
export type { Page } from './page.ts'
export type { DiscoveryPreview, ToolDiff } from './registration.ts'
export { type Access, type Actor, isSuperadmin, mayUse, ROLES, type Role } from './role.ts'
export type { Answer, Call, Raw, Reply, Route, RouteTable, Send } from './route.ts'
export { zipOf } from './zip.ts'
