// The routes of backends, tools, registration and the catalog on the admin API.
import type { FastifyInstance } from 'fastify'
import { BACKENDS } from '../contract/index.ts'
import type { Backends } from '../operations/backends/backends.ts'
import type { Registration } from '../operations/backends/registration.ts'
import type { TargetSettings } from '../operations/backends/target-settings.ts'
import type { UpstreamAuth } from '../operations/backends/upstream-auth.ts'
import type { Catalog } from '../operations/curation/catalog.ts'
import type { Monitors } from '../operations/monitors/monitors.ts'
import type { Diagnoses } from '../operations/tools/diagnosis.ts'
import type { ToolExamples } from '../operations/tools/tool-examples.ts'
import type { Tools } from '../operations/tools/tools.ts'
import type { TryTool } from '../operations/tools/try-tool.ts'
import { catalogHandlers } from './catalog.ts'
import { clientHandlers } from './clients.ts'
import { diagnosisHandlers } from './diagnosis.ts'
import { monitorHandlers } from './monitors.ts'
import { type MountParts, mount } from './mount.ts'
import { registerHandlers } from './register.ts'
import { targetHandlers } from './targets.ts'
import { toolExampleHandlers } from './tool-examples.ts'
import { toolHandlers } from './tools.ts'

export type BackendParts = MountParts & {
  readonly backends: Backends
  readonly upstreamAuth: UpstreamAuth
  readonly targetSettings: TargetSettings
  readonly registration: Registration
  readonly tools: Tools
  readonly toolExamples: ToolExamples
  readonly monitors: Monitors
  readonly tryTool: TryTool
  readonly catalog: Catalog
  readonly diagnoses: Diagnoses
}

export function mountBackends(app: FastifyInstance, parts: BackendParts): void {
  mount(app, BACKENDS.clients, clientHandlers(parts), parts)
  mount(app, BACKENDS.targets, targetHandlers(parts.targetSettings), parts)
  mount(app, BACKENDS.tools, toolHandlers(parts), parts)
  mount(app, BACKENDS.toolExamples, toolExampleHandlers(parts), parts)
  mount(app, BACKENDS.monitors, monitorHandlers(parts), parts)
  mount(app, BACKENDS.diagnosis, diagnosisHandlers(parts), parts)
  mount(app, BACKENDS.register, registerHandlers(parts), parts)
  mount(app, BACKENDS.catalog, catalogHandlers(parts), parts)
}
