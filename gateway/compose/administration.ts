// Backends, tools and the people and keys that may use them, on the admin API.
import { approvalHandlers, mcpKeyHandlers, mcpSessionHandlers } from '../admin/access.ts'
import {
  catalogHandlers,
  clientHandlers,
  diagnosisHandlers,
  monitorHandlers,
  toolExampleHandlers,
  toolHandlers,
} from '../admin/backends.ts'
import { type MountParts, mountAll } from '../admin/mount.ts'
import { consumerHandlers, policyHandlers } from '../admin/owned.ts'
import { registerHandlers } from '../admin/register.ts'
import { targetHandlers } from '../admin/targets.ts'
import { ACCESS, BACKENDS } from '../contract/index.ts'
import type { Http } from '../http/server.ts'
import { createConsumers } from '../operations/access/consumers.ts'
import { createMcpKeys, type McpKeys } from '../operations/access/mcp-keys.ts'
import { createMcpSessions } from '../operations/access/mcp-sessions.ts'
import { createPolicies } from '../operations/access/policies.ts'
import { type Backends, createBackends } from '../operations/backends/backends.ts'
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
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export type Administration = {
  readonly registration: Registration
  readonly backends: Backends
  readonly tools: Tools
  readonly diagnoses: Diagnoses
  readonly mcpKeys: McpKeys
  readonly tryTool: TryTool
  readonly mount: (http: Http, monitors: Monitors, shared: MountParts) => void
}

export function createAdministration(base: Foundation, calls: Calls): Administration {
  const { settings, clock } = base
  const { registry, curated, monitorStates, managedKeys } = calls
  const present = createPresenter({
    ...calls,
    monitors: monitorStates,
    autoGateWriteMethods: settings.AUTO_GATE_WRITE_METHODS,
  })
  const parts = { ...base, ...calls, present }
  const plan = createPlanner({ ...base, listMcpTools: calls.upstreams.listTools })
  const registration = createRegistration({ ...parts, plan })
  const upstreamAuth = createUpstreamAuth(parts)
  const targetSettings = createTargetSettings(parts)
  const backends = createBackends(parts)
  const purge = (client: string, tool: string): number => calls.kept?.purge(client, tool) ?? 0
  const tools = createTools({ ...parts, monitors: monitorStates, purge, world: base })
  const diagnoses = createDiagnoses({ ...parts, query: base.database.query })
  const mcpKeys = createMcpKeys({ ...base, live: managedKeys })
  const tryTool = createTryTool({ ...parts, callerOfKey: mcpKeys.callerOf })

  function mount({ app }: Http, monitors: Monitors, shared: MountParts): void {
    const startedAt = new Date(clock.now()).toISOString()
    const backendHandlers = {
      clients: clientHandlers(backends, upstreamAuth),
      targets: targetHandlers(targetSettings),
      tools: toolHandlers(tools, tryTool),
      toolExamples: toolExampleHandlers(createToolExamples({ ...base, registry, monitors: monitorStates })),
      monitors: monitorHandlers(monitors),
      diagnosis: diagnosisHandlers(diagnoses),
      register: registerHandlers({ registration, backends }),
      catalog: catalogHandlers(createCatalog({ ...parts, registration, upstreamAuth, startedAt })),
    }
    mountAll(app, BACKENDS, backendHandlers, shared)
    const accessHandlers = {
      mcpKeys: mcpKeyHandlers(mcpKeys),
      mcpSessions: mcpSessionHandlers(createMcpSessions(parts)),
      consumers: consumerHandlers(createConsumers({ ...base, quota: calls.quota, keys: managedKeys })),
      policies: policyHandlers(createPolicies({ ...base, curated, tools })),
      approvals: approvalHandlers(calls.approvals.decisions),
    }
    mountAll(app, ACCESS, accessHandlers, shared)
  }

  return { registration, backends, tools, diagnoses, mcpKeys, tryTool, mount }
}
