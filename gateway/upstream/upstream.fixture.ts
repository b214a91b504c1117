// What the tests of this folder build on: backends, calls, and upstreams over the real outbound door.
import { onTestFinished } from 'vitest'
import { createMemoryBudget } from '../net/memory-budget.ts'
import { createOutbound, type Outbound } from '../net/outbound.ts'
import type { McpSender } from '../pipeline/7-dispatch/index.ts'
import { createMcpSender } from '../pipeline/7-dispatch/mcp/index.ts'
import type { Talk, ToolCall } from '../pipeline/call.ts'
import { aCaller } from '../pipeline/pipeline.fixture.ts'
import { someBackend, someTool } from '../registry/backend.fixture.ts'
import type { Backend, Tool, UpstreamCredential } from '../registry/backend.ts'
import { createLog } from '../telemetry/log.ts'
import { startSpan } from '../telemetry/trace.ts'
import { createUpstreams, type Upstreams } from './index.ts'
import { type McpPeer, type PeerOptions, startMcpPeer } from './mcp-peer.fixture.ts'

type Parts = Parameters<typeof createUpstreams>[0]
export type Rig = {
  readonly upstreams: Upstreams
  readonly send: McpSender
  readonly outbound: Outbound
  readonly changes: string[]
  readonly logged: string[]
}

/** What was opened is closed after its test, the last first. */
export const later = (close: () => Promise<unknown>): void => onTestFinished(async () => void (await close()))

export function aRig(given: Partial<Parts> & { readonly connections?: number } = {}): Rig {
  const { connections = 8, ...parts } = given
  const outbound = createOutbound({ allowPrivate: true, connections })
  const changes: string[] = []
  const logged: string[] = []
  const settings = { MAX_RESPONSE_BYTES: 200_000, MAX_JSON_DEPTH: 32, ...given.settings }
  const upstreams = createUpstreams({
    outbound,
    credential: () => undefined,
    refreshCredential: async () => false,
    log: createLog({ format: 'json', level: 'debug', write: (line) => logged.push(line) }),
    monotonic: () => performance.now(),
    clock: Date,
    random: () => 0,
    version: '1.0.0',
    onListChanged: (name, kind) => kind === 'tools' && changes.push(name),
    ...parts,
    settings,
  })
  later(async () => {
    await upstreams.closeAll()
    await outbound.close()
  })
  const send = createMcpSender({ connections: upstreams.connections, settings })
  return { upstreams, send, outbound, changes, logged }
}

export async function aPeer(options: PeerOptions = {}): Promise<McpPeer> {
  const peer = await startMcpPeer(options)
  later(() => peer.close())
  return peer
}

export const aTool = (
  name: string,
  inputSchema: Record<string, unknown> = { type: 'object' },
  config: Tool['config'] = {},
): Tool => someTool({ client: 'up', name, config }, { description: name, inputSchema, mcp: { name, extra: {} } })

export const aBackend = async (
  { outbound }: Rig,
  url: string,
  transport: 'streamable-http' | 'sse' = 'streamable-http',
): Promise<Backend> =>
  someBackend({
    name: 'up',
    kind: 'mcp',
    source: 'mcp',
    input: 'mcp_url',
    registration: {
      name: 'up',
      mcp_url: url,
      mcp_transport: transport,
      retry_non_safe_methods: false,
      include_mutations: true,
    },
    baseUrl: url,
    pins: { base: await outbound.pin(url), servers: {} },
  })

export function aCall(
  backend: Backend,
  tool: Tool | string,
  args: Record<string, unknown> = {},
  extra: Partial<ToolCall> = {},
): ToolCall {
  const called = typeof tool === 'string' ? aTool(tool) : tool
  return {
    requestId: 'r1',
    span: startSpan(null),
    surface: 'shard',
    bundle: null,
    sessionHash: null,
    caller: aCaller({ name: 'anonymous', kind: 'anonymous', keyHash: null }),
    calledAs: called.name,
    backend,
    tool: called,
    args,
    reserved: { confirm: false, approvalId: null, endUser: null },
    requestBytes: 0,
    meta: undefined,
    onCancel: () => undefined,
    onProgress: undefined,
    ...extra,
  }
}

/** A client that can be asked. */
export const aTalk = (
  capabilities: Record<string, unknown>,
  ask: Talk['ask'] = async () => ({ error: { code: -1, message: 'no' } }),
  more: Partial<Talk> = {},
): Talk => ({
  conversation: { key: 'talker', capabilities },
  takesRounds: false,
  inputs: undefined,
  logLevel: undefined,
  ask,
  tell: () => undefined,
  ...more,
})

export const room = createMemoryBudget({ mostBytes: 1_000_000_000, mostWorkBytes: 1_000_000_000 })

export const send = (
  rig: Rig,
  call: ToolCall,
  timeoutMs = 5_000,
  onStart: (cancel: () => void) => void = () => undefined,
) => rig.send(call, { timeoutMs, account: room.account(), onStart })

export const bearer = (token: string): UpstreamCredential => ({
  sentTo: () => ({ headers: { authorization: `Bearer ${token}` } }),
  secrets: [token],
})
