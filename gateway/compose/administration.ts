// Backends, tools and the people and keys that may use them, on the admin API.
import type { MountTable } from '../admin/handlers.ts'
import { registerHandlers } from '../admin/register.ts'
import { targetHandlers } from '../admin/targets.ts'
import { ACCESS, BACKENDS } from '../contract/index.ts'
import { createBudgetRecords } from '../operations/access/budgets.ts'
import { createConsumers } from '../operations/access/consumers.ts'
import { createMcpKeys, type McpKeys } from '../operations/access/mcp-keys.ts'
import { createMcpSessions } from '../operations/access/mcp-sessions.ts'
import { createPolicies } from '../operations/access/policies.ts'
import { type Backends, createBackends } from '../operations/backends/backends.ts'
import { createLocalServices } from '../operations/backends/local-services.ts'
import { createPresenter } from '../operations/backends/present.ts'
import { createRegistration, type Registration } from '../operations/backends/registration.ts'
import { createTargetSettings } from '../operations/backends/target-settings.ts'
import { createUpstreamAuth } from '../operations/backends/upstream-auth.ts'
import { createCatalog } from '../operations/curation/catalog.ts'
import type { Monitors } from '../operations/monitors/monitors.ts'
import { createDiagnoses, type Diagnoses } from '../operations/tools/diagnosis.ts'
import { createToolExamples } from '../operations/tools/tool-examples.ts'
import { createTools, type Tools } from '../operations/tools/tools.ts'
import { createTryTool, type TryTool } from '../operations/tools/try-tool.ts'
import { createPlanner } from '../registry/plan.ts'
import { createReadWorker, type ReadWorker } from '../storage/read-worker.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export type Administration = {
  readonly registration: Registration
  readonly backends: Backends
  readonly tools: Tools
  readonly diagnoses: Diagnoses
  readonly mcpKeys: McpKeys
  readonly tryTool: TryTool
  /** For all that may look at many rows. */
  readonly readWorker: ReadWorker
  readonly mountOn: (mount: MountTable, monitors: Monitors) => void
}

export function createAdministration(base: Foundation, calls: Calls): Administration {
  const { settings, clock } = base
  const { registry, curated, monitorStates, managedKeys } = calls
  const present = createPresenter({
    ...calls,
    monitors: monitorStates,
    autoGateWriteMethods: settings.AUTO_GATE_WRITE_METHODS,
  })
  const parts = { ...base, ...calls, present, ending: calls.identity.connections.ending }
  const plan = createPlanner({ ...base, listMcpTools: calls.upstreams.listTools })
  const registration = createRegistration({ ...parts, plan, credentialAs: calls.identity.connections.credentialAs })
  const upstreamAuth = createUpstreamAuth(parts)
  const localServices = createLocalServices(parts)
  const targetSettings = createTargetSettings(parts)
  const backends = createBackends(parts)
  function purge(client: string, tool: string): number {
    base.peers.send('cache_purge', { client, tool })
    return calls.kept?.purge(client, tool) ?? 0
  }
  const tools = createTools({ ...parts, monitors: monitorStates, purge, world: base })
  const readWorker = createReadWorker(base.database, { inserted: calls.callLog.inserted })
  const diagnoses = createDiagnoses({ ...parts, readWorker })
  const mcpKeys = createMcpKeys({ ...base, live: managedKeys, ending: parts.ending })
  const tryTool = createTryTool({ ...parts, callerOfKey: mcpKeys.callerOf })

  function mountOn(mount: MountTable, monitors: Monitors): void {
    const startedAt = new Date(clock.now()).toISOString()
    mount(BACKENDS.clients, { ...backends, ...upstreamAuth })
    mount(BACKENDS.targets, targetSettings, targetHandlers(targetSettings))
    mount(BACKENDS.tools, { ...tools, ...tryTool })
    mount(BACKENDS.toolExamples, createToolExamples({ ...base, registry, monitors: monitorStates }))
    mount(BACKENDS.monitors, monitors)
    mount(BACKENDS.diagnosis, diagnoses)
    mount(BACKENDS.register, backends, registerHandlers(registration, upstreamAuth, localServices))
    mount(BACKENDS.localServices, localServices)
    mount(BACKENDS.catalog, createCatalog({ ...parts, registration, upstreamAuth, startedAt }))
    mount(ACCESS.mcpKeys, mcpKeys)
    mount(ACCESS.mcpSessions, createMcpSessions(parts))
    mount(ACCESS.consumers, createConsumers({ ...base, quota: calls.quota, keys: managedKeys }))
    mount(ACCESS.budgets, createBudgetRecords({ ...base, budgets: calls.budgets }))
    mount(ACCESS.policies, createPolicies({ ...base, curated, tools }))
    mount(ACCESS.approvals, calls.approvals.decisions)
  }

  return { registration, backends, tools, diagnoses, mcpKeys, tryTool, readWorker, mountOn }
}
