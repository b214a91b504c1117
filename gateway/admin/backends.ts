// Backends and their tools.
import type { catalog } from '../contract/admin/catalog.ts'
import type { clients } from '../contract/admin/clients.ts'
import type { diagnosis } from '../contract/admin/diagnosis.ts'
import type { monitors } from '../contract/admin/monitors.ts'
import type { toolExamples } from '../contract/admin/tool-examples.ts'
import type { tools } from '../contract/admin/tools.ts'
import type { Backends } from '../operations/backends/backends.ts'
import type { UpstreamAuth } from '../operations/backends/upstream-auth.ts'
import type { Catalog } from '../operations/curation/catalog.ts'
import type { Monitors } from '../operations/monitors/monitors.ts'
import type { Diagnoses } from '../operations/tools/diagnosis.ts'
import type { ToolExamples } from '../operations/tools/tool-examples.ts'
import type { Tools } from '../operations/tools/tools.ts'
import type { TryTool } from '../operations/tools/try-tool.ts'
import type { Handlers } from './mount.ts'

export const clientHandlers = (backends: Backends, upstreamAuth: UpstreamAuth): Handlers<typeof clients> => ({
  list: ({ query: { limit, cursor, ...filter } }, { actor }) => backends.list(actor, filter, { limit, cursor }),
  setEnabled: async ({ body }, context) => ({
    results: await backends.setManyEnabled(context, body.names, body.enabled),
  }),
  get: ({ params }, { actor }) => backends.detail(actor, params.name),
  update: ({ params, body: { revision, ...change } }, context) =>
    backends.update(context, params.name, change, [context.ifMatch, revision]),
  delete: ({ params }, context) => backends.forget(context, params.name),
  resetBreaker: ({ params }, context) => backends.resetBreaker(context, params.name),
  checkHealth: ({ params }, { actor }) => backends.checkHealth(actor, params.name),
  setTeam: ({ params, body }, context) => backends.setTeam(context, params.name, body.teamId, [context.ifMatch]),
  setTags: ({ params, body }, context) => backends.setTags(context, params.name, body.tags),
  getOauth: ({ params }, { actor }) => upstreamAuth.getOauth(actor, params.name),
  setOauth: ({ params, body }, context) => upstreamAuth.setOauth(context, params.name, body),
  clearOauth: ({ params }, context) => upstreamAuth.clearOauth(context, params.name),
  testOauth: ({ params }, { actor }) => upstreamAuth.testOauth(actor, params.name),
  getUpstreamAuth: ({ params }, { actor }) => upstreamAuth.getAuth(actor, params.name),
  setUpstreamAuth: ({ params, body }, context) => upstreamAuth.setAuth(context, params.name, body),
  clearUpstreamAuth: ({ params }, context) => upstreamAuth.clearAuth(context, params.name),
})

export const toolHandlers = (operations: Tools, tryTool: TryTool): Handlers<typeof tools> => ({
  list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
  setEnabled: async ({ params, body }, context) => ({
    results: await operations.setEnabled(context, params.name, body.toolNames ?? body.tool_names ?? [], body.enabled),
  }),
  get: ({ params }, { actor }) => operations.get(actor, params.name, params.tool),
  update: ({ params, body: { revision, ...patch } }, context) =>
    operations.update(context, params.name, params.tool, patch, [context.ifMatch, revision]),
  purgeCache: ({ params }, context) => operations.purgeCache(context, params.name, params.tool),
  setTags: ({ params, body }, context) => operations.setTags(context, params.name, params.tool, body.tags),
  clearQuarantine: ({ params }, context) => operations.clearQuarantine(context, params.name, params.tool),
  test: ({ params, body }, context) => tryTool.test(context, params.name, params.tool, body),
  tags: ({ query }, { actor }) => operations.tags(actor, query),
  tagged: ({ params, query }, { actor }) => operations.tagged(actor, params.tag, query),
})

export const toolExampleHandlers = (operations: ToolExamples): Handlers<typeof toolExamples> => ({
  list: ({ params, query }, { actor }) => operations.list(actor, params.name, params.tool, query),
  create: ({ params, body }, context) => operations.create(context, params.name, params.tool, body),
  update: ({ params, body }, context) => operations.update(context, params.name, params.tool, params.id, body),
  delete: ({ params }, context) => operations.delete(context, params.name, params.tool, params.id),
})

export const monitorHandlers = (operations: Monitors): Handlers<typeof monitors> => ({
  list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
  run: ({ params }, { actor }) => operations.run(actor, params.name, params.tool),
  approve: ({ params, body }, context) => operations.approve(context, params.name, params.tool, body.confirm),
  rebaseline: ({ params }, context) => operations.rebaseline(context, params.name, params.tool),
})

export const diagnosisHandlers = (diagnoses: Diagnoses): Handlers<typeof diagnosis> => ({
  diagnose: ({ params, query }, { actor }) => diagnoses.diagnose(actor, params.name, params.tool, query.windowMs),
})

export const catalogHandlers = (operations: Catalog): Handlers<typeof catalog> => ({
  list: ({ query: { limit, cursor, ...filter } }, { actor }) => operations.list(actor, filter, { limit, cursor }),
  create: ({ body }, context) => operations.create(context, body),
  get: ({ params }, { actor }) => operations.get(actor, params.id),
  update: ({ params, body: { revision, ...change } }, context) =>
    operations.update(context, params.id, change, [context.ifMatch, revision]),
  delete: ({ params }, context) => operations.delete(context, params.id),
  install: ({ params, body }, context) => operations.install(context, params.id, body),
})
