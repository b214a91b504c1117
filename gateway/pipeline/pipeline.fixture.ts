// Backends, tools and calls as values, for the tests of the guard stack and the surfaces.
import type { Backend, Pins, Tool } from '../registry/backend.ts'
import type { Caller, ToolCall } from './call.ts'

const AT = '2026-01-01T00:00:00.000Z'

export function aTool(name: string, given: Partial<Tool> = {}, definition: Partial<Tool['definition']> = {}): Tool {
  return {
    id: 1,
    client: 'shop',
    name,
    sourceName: name,
    definition: {
      name,
      sourceName: name,
      description: `About ${name}`,
      inputSchema: { type: 'object', properties: {} },
      places: {},
      method: 'GET',
      path: [`/${name}`],
      ...definition,
    },
    config: {},
    tags: [],
    schemaHash: '',
    missingSince: null,
    revision: 1,
    updatedAt: AT,
    ...given,
  }
}

export const somePins = (address = '127.0.0.1', allowPrivate = true): Pins => ({
  base: {
    origin: 'http://shop.test',
    hostname: 'shop.test',
    port: 80,
    tls: false,
    addresses: [address],
    reach: { allowPrivate },
  },
  servers: {},
})

export function aBackend(name = 'shop', given: Partial<Backend> = {}): Backend {
  return {
    id: 1,
    name,
    kind: 'rest',
    source: 'manual',
    input: null,
    enabled: true,
    description: null,
    registration: null,
    baseUrl: 'http://shop.test/api',
    healthUrl: null,
    pins: somePins(),
    pinnedAt: AT,
    guards: null,
    tags: [],
    teamId: null,
    tools: new Map(),
    discoveredAt: AT,
    revision: 1,
    createdAt: AT,
    updatedAt: AT,
    createdBy: null,
    ...given,
  }
}

export function aCaller(given: Partial<Caller> = {}): Caller {
  return {
    name: 'mcp-env:12345678',
    kind: 'env',
    keyHash: 'aa',
    keyId: null,
    elevated: false,
    consumerId: null,
    teamId: null,
    adminRole: null,
    bundles: null,
    mayReach: () => true,
    onEnd: null,
    ...given,
  }
}

export function aCall(given: Partial<ToolCall> = {}): ToolCall {
  const tool = given.tool ?? aTool('get')
  return {
    requestId: 'request-1',
    traceparent: undefined,
    traceId: null,
    surface: 'shard',
    bundle: null,
    sessionHash: null,
    caller: aCaller(),
    calledAs: tool.name,
    backend: aBackend(),
    tool,
    args: {},
    reserved: { confirm: false, approvalId: null, endUser: null },
    requestBytes: 10,
    meta: undefined,
    onCancel: () => undefined,
    onProgress: undefined,
    ...given,
  }
}
