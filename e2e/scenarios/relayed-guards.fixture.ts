// What can be asked of a shard beside its tools, and the states in which a call of its tools is refused.
import { vi } from 'vitest'
import { type McpPeer, startMcpPeer } from '../peers/mcp.ts'
import { bearer, mint } from './access.fixture.ts'
import { registerUpstream } from './conformance.fixture.ts'
import { ROOMY } from './data-plane.fixture.ts'
import type { Env, Gateway } from './gateway.fixture.ts'
import { startGateway } from './gateway.fixture.ts'
import { aSession, type Message } from './transparent.fixture.ts'

/** The shape of a secret, and no real one. */
export const SECRET = `ghp_${'a1B2'.repeat(9)}`

/** Each with params that name something, so that a secret fits in. */
export const RELAYED: readonly (readonly [method: string, params: (text: string) => object])[] = [
  ['resources/list', (text) => ({ cursor: text })],
  ['resources/templates/list', (text) => ({ cursor: text })],
  ['resources/read', (text) => ({ uri: `peer://${text}` })],
  ['resources/subscribe', (text) => ({ uri: `peer://${text}` })],
  ['resources/unsubscribe', (text) => ({ uri: `peer://${text}` })],
  ['prompts/list', (text) => ({ cursor: text })],
  ['prompts/get', (text) => ({ name: 'greet', arguments: { who: text } })],
  [
    'completion/complete',
    (text) => ({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: text } }),
  ],
  ['logging/setLevel', (text) => ({ level: 'info', extra: text })],
]

/** Of the agent that every test is, where it says nothing else. */
export const AGENT = bearer('the-key-of-an-agent-of-the-shard')

export type Rig = { readonly gateway: Gateway; readonly peer: McpPeer; readonly end: () => Promise<void> }

export const ENV: Env = {
  ...ROOMY,
  TRAFFIC_CAPTURE: 'true',
  TRACE_STORAGE: 'true',
  MAX_CONSECUTIVE_FAILURES: '1',
  MCP_API_KEYS: 'the-key-of-an-agent-of-the-shard',
}

export async function startRig(env: Env = {}): Promise<Rig> {
  const [gateway, peer] = await Promise.all([startGateway({ ...ENV, ...env }), startMcpPeer({ besideTools: true })])
  await registerUpstream(gateway, 'up', peer.url)
  const end = async (): Promise<void> => {
    await gateway.end()
    await peer.close()
  }
  return { gateway, peer, end }
}

export async function asAdmin(gateway: Gateway, path: string, body: object, method = 'PATCH'): Promise<unknown> {
  const made = await gateway.admin(`/admin-api/${path}`, { method, body })
  if (made.status >= 300) throw new Error(`${method} ${path} answered ${made.status}: ${made.text}`)
  return made.json
}

const onAllTools = async (gateway: Gateway, body: object): Promise<void> => {
  for (const tool of ['echo', 'slow', 'progress', 'fail', 'fault', 'extras', 'reflect', 'ask'])
    await asAdmin(gateway, `clients/up/tools/${tool}`, body)
}

/** Breaks the backend until its breaker opens. */
async function trip({ gateway, peer }: Rig, resetTimeoutMs: number): Promise<void> {
  await asAdmin(gateway, 'clients/up', {
    guards: { circuitBreaker: { failureThreshold: 1, windowMs: 60_000, resetTimeoutMs } },
  })
  peer.become({ besideTools: true, intercept: ({ response }) => !response.writeHead(500).end().destroyed })
  const client = await aSession(gateway, {}, { headers: AGENT })
  await client.ask('tools/call', { name: 'echo' })
  peer.become({ besideTools: true })
}

export type State = {
  readonly name: string
  readonly code: string
  readonly reason?: string
  /** What the params hold. */
  readonly text?: string
  /** Brings it about; answers the headers of the caller it concerns, and how to undo it. */
  readonly arrange: (rig: Rig) => Promise<{ readonly headers?: Env; readonly undo: () => Promise<unknown> }>
}

const closed = (rig: Rig) => async (): Promise<void> => {
  await asAdmin(rig.gateway, 'clients/up', { guards: null })
  await asAdmin(rig.gateway, 'clients/up/circuit-breaker/reset', {}, 'POST')
}

export const STATES: readonly State[] = [
  {
    name: 'disabled',
    code: 'disabled',
    async arrange({ gateway }) {
      await asAdmin(gateway, 'clients/up', { enabled: false })
      return { undo: () => asAdmin(gateway, 'clients/up', { enabled: true }) }
    },
  },
  {
    name: 'evicted',
    code: 'unreachable',
    async arrange({ gateway, peer }) {
      const check = (): Promise<unknown> => asAdmin(gateway, 'clients/up/health-check', {}, 'POST')
      peer.become({ besideTools: true, intercept: ({ response }) => !response.writeHead(503).end().destroyed })
      await check()
      peer.become({ besideTools: true })
      return { undo: check }
    },
  },
  {
    name: 'paused by its breaker',
    code: 'circuit_open',
    reason: 'open',
    async arrange(rig) {
      await trip(rig, 600_000)
      return { undo: closed(rig) }
    },
  },
  {
    name: 'half-open with its probe under way',
    code: 'circuit_open',
    reason: 'probing',
    async arrange(rig) {
      await trip(rig, 0)
      const before = rig.peer.count('tools/call')
      const client = await aSession(rig.gateway, {}, { headers: AGENT })
      const params = { name: 'slow', arguments: { ms: 60_000 } }
      const probe = client.post({ id: 'probe', method: 'tools/call', params })
      await vi.waitUntil(() => rig.peer.count('tools/call') > before, { timeout: 20_000 })
      return {
        async undo() {
          await closed(rig)()
          await client.post({ method: 'notifications/cancelled', params: { requestId: 'probe' } })
          await probe
        },
      }
    },
  },
  {
    name: 'over the quota of its consumer',
    code: 'quota',
    reason: 'monthly',
    async arrange({ gateway }) {
      const consumer = await asAdmin(gateway, 'consumers', { name: 'spent', monthlyQuota: 1 }, 'POST')
      const { id: consumerId } = consumer as { id: number } // as the contract says
      const { key } = await mint(gateway, { consumerId })
      const client = await aSession(gateway, {}, { headers: bearer(key) })
      await client.ask('prompts/get', { name: 'greet' })
      return {
        headers: bearer(key),
        undo: () => gateway.admin(`/admin-api/consumers/${consumerId}`, { method: 'DELETE' }),
      }
    },
  },
  {
    name: 'outside the scope of a key for another tool',
    code: 'key_scope',
    async arrange({ gateway }) {
      const { key } = await mint(gateway, { scopes: { tools: ['up__slow'] } })
      return { headers: bearer(key), undo: async () => undefined }
    },
  },
  {
    name: 'reserved for another key by every tool',
    code: 'allowed_key',
    async arrange({ gateway }) {
      const [listed, other] = [await mint(gateway), await mint(gateway)]
      await onAllTools(gateway, { guards: { allowedKeyIds: [listed.id] } })
      return { headers: bearer(other.key), undo: () => onAllTools(gateway, { guards: null }) }
    },
  },
  {
    name: 'sent a secret where a tool blocks secrets',
    code: 'guardrail_input',
    text: SECRET,
    async arrange({ gateway }) {
      await asAdmin(gateway, 'clients/up/tools/echo', { guardrails: { blockSecrets: true } })
      return { undo: () => asAdmin(gateway, 'clients/up/tools/echo', { guardrails: null }) }
    },
  },
  {
    name: 'sent what a pattern of a tool denies',
    code: 'guardrail_input',
    text: 'the-forbidden-word',
    async arrange({ gateway }) {
      await asAdmin(gateway, 'clients/up/tools/echo', { guardrails: { denyPatterns: ['forbidden-\\w+'] } })
      return { undo: () => asAdmin(gateway, 'clients/up/tools/echo', { guardrails: null }) }
    },
  },
]

/** The code of a refusal, in whichever form the method has it. */
export function refusalIn({ result, error }: Message): readonly [unknown, unknown] {
  const message = (result?.structuredContent ?? error?.data ?? {}) as Record<string, unknown> // both hold a code
  return [message.code, message.reason]
}
