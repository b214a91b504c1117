// The door `#contract`: everything the browser, the desktop shell and the server agree on. Pure: zod only.
// Only exports: a module with a table of its own would be part of every page.
export { ALERT_DEFAULTS, ALERT_EVENTS, type AlertEvent, AlertInput, AlertRule } from './admin/alerts.ts'
export { APPROVAL_STATUSES, Approval, type ApprovalStatus } from './admin/approvals.ts'
export { AuditEntry, AuditVerdict } from './admin/audit-log.ts'
export { Me, SessionRecord, UserBrief } from './admin/auth.ts'
export {
  BUDGET_LIMITS,
  BUDGET_PERIODS,
  BUDGET_SCOPES,
  type Budget,
  type BudgetAmount,
  BudgetInput,
  type BudgetUse,
} from './admin/budgets.ts'
export type { BundleDetail, BundlePreview, BundleSummary } from './admin/bundles.ts'
export type { CatalogEntry } from './admin/catalog.ts'
export { type ClientDetail, type ClientSummary, OAuthInput, type UpstreamAuthInput } from './admin/clients.ts'
export type {
  CheckInput,
  CompositeDetail,
  CompositeSummary,
  CompositeTest,
  ScriptCheck,
  ScriptVersion,
  Step,
} from './admin/composites.ts'
export { CompositeInput } from './admin/composites.ts'
export { EffectiveEntry } from './admin/config.ts'
export type { ImportResult, SnapshotSummary } from './admin/config-documents.ts'
export { Consumer, ConsumerInput } from './admin/consumers.ts'
export type { ContextUse, ListUse, ProgramUse, Run, RunReport, ToolUse } from './admin/context.ts'
export {
  type ClientConnection,
  type ConnectOffer,
  type IdentityInfo,
  type IdentityInput,
  type OwnConnection,
} from './admin/identity.ts'
export { InstallLink, InstallView } from './admin/install-links.ts'
export type { InstanceRecord } from './admin/instances.ts'
export { EXPORT_FORMATS, type KeptResult } from './admin/kept-results.ts'
export type { LocalServer, LocalServerList } from './admin/local-servers.ts'
export { KeyRecord, type KeyScopes } from './admin/mcp-keys.ts'
export type { McpSession } from './admin/mcp-sessions.ts'
export { MONITOR_STATUSES, MonitorRecord } from './admin/monitors.ts'
export { OidcSettings, OidcSettingsInput } from './admin/oidc.ts'
export { Overview, PostureFinding, SEVERITIES } from './admin/overview.ts'
export {
  EditorInput,
  GraphCopyInput,
  GraphImportInput,
  GraphPatchInput,
  LevelReadInput,
  PcgCallResult,
  PcgChange,
  PcgChangeList,
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
export {
  AddServer,
  AddServerAnswer,
  type ListedServer,
  type ServerPackage,
  ServerToolsAnswer,
  type ServerVariable,
  type ShownServer,
} from './admin/server-catalog.ts'
export {
  type BundleSetting,
  type BundleSignature,
  type ChosenBundle,
  ProgramAnswer,
  ProgramAsk,
} from './admin/server-programs.ts'
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
export {
  ACCESS,
  ADMIN,
  API,
  BACKENDS,
  CONFIGURATION,
  CONNECT,
  CURATION,
  EDITORS,
  FLEET,
  IDENTITY,
  MACHINE,
  OBSERVATION,
  RECORDED,
  SOCKETS,
  WATCHING,
} from './api.ts'
export { AUDIT_ACTIONS, type AuditAction } from './audit-action.ts'
export { localName, offeredOf } from './catalog-program.ts'
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
export { EVENT_TOPICS, type EventTopic } from './event-topic.ts'
export { type HandoffFacts, type HandoffFile, type HandoffItem, handoff } from './handoff.ts'
export { lineDiff } from './line-diff.ts'
export { commandLine } from './local-servers.ts'
export { LIST_MODES, type ListMode, RESULT_TOOL, SEARCH_TOOL } from './names.ts'
export type { Page } from './page.ts'
export type { DiscoveryPreview, ToolDiff } from './registration.ts'
export { type Access, type Actor, isSuperadmin, mayUse, ROLES, type Role } from './role.ts'
export type { Answer, Call, Raw, Reply, Route, RouteTable, Send } from './route.ts'
export { zipOf } from './zip.ts'
