// The tables of every endpoint, by area. In a module of their own: what imports another part of the contract loads no schema.
import { alerts } from './admin/alerts.ts'
import { approvals } from './admin/approvals.ts'
import { auditLog } from './admin/audit-log.ts'
import { auth } from './admin/auth.ts'
import { budgets } from './admin/budgets.ts'
import { bundles } from './admin/bundles.ts'
import { catalog } from './admin/catalog.ts'
import { clients } from './admin/clients.ts'
import { composites } from './admin/composites.ts'
import { config } from './admin/config.ts'
import { configDocuments } from './admin/config-documents.ts'
import { consumers } from './admin/consumers.ts'
import { context } from './admin/context.ts'
import { diagnosis } from './admin/diagnosis.ts'
import { identity } from './admin/identity.ts'
import { connect, installLinks } from './admin/install-links.ts'
import { instances } from './admin/instances.ts'
import { keptResults } from './admin/kept-results.ts'
import { localServers } from './admin/local-servers.ts'
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
import { serverCatalog } from './admin/server-catalog.ts'
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
export const ACCESS = { mcpKeys, mcpSessions, consumers, budgets, policies, approvals } as const

/** The configuration as a document, and as it was. */
export const CONFIGURATION = { configDocuments } as const

/** What calls and lists cost models. */
export const OBSERVATION = { context, keptResults } as const

/** What was kept of calls. */
export const RECORDED = { traffic } as const

/** Editors of procedural content; there with PCG_ENABLED. */
export const EDITORS = { pcg } as const

/** How a client comes to be configured. */
export const CONNECT = { installLinks, connect } as const

/** Whom backends are called as. */
export const IDENTITY = { identity } as const

/** Programs of this machine that are MCP servers. */
export const MACHINE = { localServers, serverCatalog } as const

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
  ...IDENTITY,
  ...CONFIGURATION,
  ...SOCKETS,
  ...RECORDED,
  ...WATCHING,
  ...FLEET,
  ...OBSERVATION,
  ...MACHINE,
  ...EDITORS,
} as const
