// Confirmation that no model can give: clients that can ask their person are asked through the protocol, in both eras, on a shard and on the control plane.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { resultFields } from './control-plane.fixture.ts'
import { type Answer, type Env, type Gateway, startGateway } from './gateway.fixture.ts'

const source = (name: string) => ({
  name,
  // No server listens there: the test is whether a call gets that far.
  base_url: 'http://127.0.0.1:18099',
  tools: [
    { name: 'wipe', method: 'DELETE', endpoint: '/w', description: 'Wipes' },
    { name: 'look', method: 'GET', endpoint: '/l', description: 'Looks' },
  ],
})

let gateway: Gateway
let key: Env
beforeAll(async () => {
  gateway = await startGateway({
    ALLOW_PRIVATE_IPS: 'true',
    RATE_LIMIT_MCP: '1000000',
    CIRCUIT_BREAKER_FAILURE_THRESHOLD: '1000',
  })
  await resultFields(gateway, 'sys_register_client', source('shop'))
  const patch = { sensitive: true }
  await gateway.admin('/admin-api/clients/shop/tools/wipe', { method: 'PATCH', body: patch })
  const made = await resultFields(gateway, 'sys_mint_key', { label: 'an admin', adminRole: 'admin', __confirm: true })
  key = { authorization: `Bearer ${String(made.key)}` }
})
afterAll(() => gateway.end())

const YES: ElicitResult = { action: 'accept', content: { confirm: true } }
const NOES: readonly ElicitResult[] = [
  { action: 'decline' },
  { action: 'cancel' },
  { action: 'accept', content: { confirm: false } },
  { action: 'accept' },
]

type Seen = { readonly message: string; readonly requestedSchema: unknown }

/** The official client, whose person answers like this. */
async function connect(
  path: string,
  answer: ElicitResult | undefined,
  inBetween: () => Promise<unknown> = async () => undefined,
): Promise<{ client: Client; seen: Seen[] }> {
  const seen: Seen[] = []
  const client = new Client(
    { name: 'sdk', version: '1' },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  )
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      seen.push(params as Seen) // a form, by the only mode that was declared
      await inBetween()
      return answer
    })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(gateway.url + path), { requestInit: { headers: { ...key } } }),
  )
  onTestFinished(() => client.close())
  return { client, seen }
}

const codeOf = (result: object): unknown =>
  (result as { structuredContent?: { code?: unknown } }).structuredContent?.code // a refusal, or nothing

let made = 0
/** A backend to delete. */
async function another(): Promise<string> {
  made += 1
  await resultFields(gateway, 'sys_register_client', source(`extra-${made}`))
  return `extra-${made}`
}
const exists = async (name: string): Promise<boolean> =>
  (await gateway.admin(`/admin-api/clients/${name}`)).status === 200

describe('a client with sessions', () => {
  it('is asked by elicitation on the control plane, and a yes lets this one call through', async () => {
    const { client, seen } = await connect('/mcp', YES)
    const name = await another()
    const result = await client.callTool({ name: 'sys_delete_client', arguments: { name } })
    expect(result.structuredContent).toEqual({ name, deleted: true })
    expect(seen).toHaveLength(1)
    expect(seen[0]?.message).toContain(name)
    expect(seen[0]?.requestedSchema).toMatchObject({ properties: { confirm: { type: 'boolean' } } })
    // What needs no confirmation asks for none.
    await client.callTool({ name: 'sys_list_clients' })
    expect(seen).toHaveLength(1)
  })

  it.each(NOES)('is refused when the person answers %j', async (answer) => {
    const { client, seen } = await connect('/mcp', answer)
    const name = await another()
    const result = await client.callTool({ name: 'sys_delete_client', arguments: { name } })
    expect([result.isError, codeOf(result), seen.length]).toEqual([true, 'confirm_required', 1])
    // It is not shown how to do without the person.
    expect(JSON.stringify(result)).not.toContain('__confirm')
    expect(await exists(name)).toBe(true)
  })

  it('is not asked what its role or its scope refuses anyway', async () => {
    const { client, seen } = await connect('/mcp', YES)
    const result = await client.callTool({ name: 'sys_delete_client', arguments: { name: 'absent' } })
    expect([codeOf(result), seen.length]).toEqual(['CLIENT_NOT_FOUND', 0])
  })

  it('is refused with what to do when it cannot ask', async () => {
    const { client } = await connect('/mcp', undefined)
    const name = await another()
    const result = await client.callTool({ name: 'sys_delete_client', arguments: { name } })
    expect(codeOf(result)).toBe('confirm_required')
    expect(JSON.stringify(result)).toContain('__confirm')
  })

  it('is asked by elicitation for a sensitive tool of a backend', async () => {
    const no = await connect('/mcp/shop', { action: 'decline' })
    const refused = await no.client.callTool({ name: 'wipe', arguments: {} })
    expect(refused.structuredContent).toMatchObject({
      code: 'confirm_required',
      gate: 'confirmation',
      reason: 'declined',
    })
    const yes = await connect('/mcp/shop', YES)
    // It went past the guard: what comes now is between the gateway and the backend.
    expect(codeOf(await yes.client.callTool({ name: 'wipe', arguments: {} }))).not.toBe('confirm_required')
    expect([no.seen.length, yes.seen.length]).toEqual([1, 1])
    expect(yes.seen[0]?.message).toMatch(/"wipe" of "shop"/)
  })
})

describe('a yes that took its time', () => {
  it.each([
    ['the tool is disabled', { path: '/tools/wipe', off: { enabled: false }, on: { enabled: true } }, 'disabled'],
    ['its backend is disabled', { path: '', off: { enabled: false }, on: { enabled: true } }, 'disabled'],
    [
      'the tool is given to another key',
      { path: '/tools/wipe', off: { guards: { allowedApiKeys: ['a key of a user'] } }, on: { guards: null } },
      'allowed_key',
    ],
  ])('lets nothing through when %s in between', async (_what, { path, off, on }, code) => {
    const patch = (body: object) => gateway.admin(`/admin-api/clients/shop${path}`, { method: 'PATCH', body })
    const { client } = await connect('/mcp/shop', YES, () => patch(off))
    try {
      expect(codeOf(await client.callTool({ name: 'wipe', arguments: {} }))).toBe(code)
    } finally {
      await patch(on)
    }
  })
})

describe('a composite with a sensitive step', () => {
  it('asks once, before its first step, and a no leaves every step undone', async () => {
    const steps = ['look', 'wipe', 'wipe'].map((targetTool) => ({
      targetClient: 'shop',
      targetTool,
      onError: 'continue',
    }))
    const composite = { name: 'sweep', steps }
    expect((await gateway.admin('/admin-api/composites', { method: 'POST', body: composite })).status).toBe(201)
    const bundle = { name: 'sweeping', tools: [], composites: ['sweep'] }
    expect((await gateway.admin('/admin-api/bundles', { method: 'POST', body: bundle })).status).toBe(201)
    /** Calls of the two tools, and how many of them a guard refused. */
    const calls = async (): Promise<readonly unknown[]> => {
      const of = (tool: string) => resultFields(gateway, 'sys_diagnose', { client: 'shop', tool })
      const found = [await of('look'), await of('wipe')] as {
        errors: { calls: number }
        denials: { sampled: number }
      }[]
      return found.map(({ errors, denials }) => errors.calls - denials.sampled)
    }
    const [looked = 0, wiped = 0] = (await calls()).map(Number)
    const no = await connect('/mcp-custom/sweeping', { action: 'decline' })
    const refused = await no.client.callTool({ name: 'sweep', arguments: {} })
    expect(refused.structuredContent).toMatchObject({ code: 'confirm_required', reason: 'declined', tool: 'sweep' })
    expect(await calls()).toEqual([looked, wiped])
    const yes = await connect('/mcp-custom/sweeping', YES)
    await yes.client.callTool({ name: 'sweep', arguments: {} })
    expect([no.seen.length, yes.seen.length]).toEqual([1, 1])
    expect(await calls()).toEqual([looked + 1, wiped + 2])
  })
})

type Asked = { readonly inputRequests: Record<string, { method: string; params: Seen }>; readonly requestState: string }

/** One request of the era without sessions, from a client that can or cannot ask. */
function send(
  path: string,
  params: object,
  more: object = {},
  headers: Env = key,
  elicitation = true,
): Promise<Answer> {
  const name = (params as { name: string }).name // every call has one
  return gateway.ask(path, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...headers,
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        ...params,
        ...more,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': elicitation ? { elicitation: {} } : {},
        },
      },
    },
  })
}
const resultOf = ({ json, text }: Answer): Record<string, unknown> => {
  if (typeof json !== 'object' || json === null || !('result' in json)) throw new Error(`No result: ${text}`)
  return json.result as Record<string, unknown> // looked at by the test
}

async function ask(path: string, params: object): Promise<Asked> {
  const result = resultOf(await send(path, params))
  expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
  return result as unknown as Asked // its shape was just looked at
}
const answersTo = ({ inputRequests, requestState }: Asked, answer: ElicitResult): object => ({
  inputResponses: Object.fromEntries(Object.keys(inputRequests).map((input) => [input, answer])),
  requestState,
})

describe.each([
  ['the control plane', '/mcp', async () => ({ name: 'sys_delete_client', arguments: { name: await another() } })],
  ['a shard', '/mcp/shop', async () => ({ name: 'wipe', arguments: {} })],
] as const)('a client without sessions, on %s,', (_where, path, makeCall) => {
  it('is answered input_required, and comes back with a yes', async () => {
    const call = await makeCall()
    const asked = await ask(path, call)
    expect(Object.values(asked.inputRequests)).toMatchObject([{ method: 'elicitation/create' }])
    const done = resultOf(await send(path, call, answersTo(asked, YES)))
    expect(done.resultType).toBe('complete')
    expect(codeOf(done)).not.toBe('confirm_required')
    // A yes is for one call: the same state opens nothing any more.
    const again = await send(path, call, answersTo(asked, YES))
    expect(again.json).toMatchObject({ error: { code: -32_602 } })
  })

  it.each(NOES)('is refused when it comes back with %j', async (answer) => {
    const call = await makeCall()
    const done = resultOf(await send(path, call, answersTo(await ask(path, call), answer)))
    expect([done.isError, codeOf(done)]).toEqual([true, 'confirm_required'])
    expect(JSON.stringify(done)).not.toContain('__confirm')
  })

  it('gets nothing by a state that is changed, made up, of another call, or of another caller (security case AZ-18)', async () => {
    const call = await makeCall()
    const asked = await ask(path, call)
    const { requestState } = asked
    const flipped = `${requestState.slice(0, -2)}${requestState.endsWith('AA') ? 'BB' : 'AA'}`
    for (const state of [flipped, 'gantry.v1.AAAA', 'gantry.'])
      expect((await send(path, call, { ...answersTo(asked, YES), requestState: state })).json).toMatchObject({
        error: { code: -32_602 },
      })
    const other = { ...call, arguments: { ...call.arguments, more: 1 } }
    expect((await send(path, other, answersTo(asked, YES))).json).toMatchObject({ error: { code: -32_602 } })
    const otherKey = await resultFields(gateway, 'sys_mint_key', {
      label: 'other',
      adminRole: 'admin',
      __confirm: true,
    })
    const headers = { authorization: `Bearer ${String(otherKey.key)}` }
    expect((await send(path, call, answersTo(asked, YES), headers)).json).toMatchObject({ error: { code: -32_602 } })
    // Consent without a question does not count.
    expect(resultOf(await send(path, call, { inputResponses: { input_1: YES } }))).toMatchObject({
      resultType: 'input_required',
    })
  })

  it('is refused with what to do when it declares no elicitation', async () => {
    const done = resultOf(await send(path, await makeCall(), {}, key, false))
    expect([done.resultType, codeOf(done)]).toEqual(['complete', 'confirm_required'])
    expect(JSON.stringify(done)).toContain('__confirm')
  })
})

it('a key that is narrowed while its person thinks gets nothing by the yes', async () => {
  const made = await resultFields(gateway, 'sys_mint_key', { label: 'fallen', adminRole: 'admin', __confirm: true })
  const headers = { authorization: `Bearer ${String(made.key)}` }
  const call = { name: 'sys_delete_client', arguments: { name: await another() } }
  const asked = resultOf(await send('/mcp', call, {}, headers)) as unknown as Asked // input_required, as above
  const body = { adminRole: 'viewer' }
  expect((await gateway.admin(`/admin-api/mcp-keys/${String(made.id)}`, { method: 'PATCH', body })).status).toBe(200)
  const done = await send('/mcp', call, answersTo(asked, YES), headers)
  expect(JSON.stringify(done.json)).not.toContain('"deleted"')
  expect(await exists(call.arguments.name)).toBe(true)
})
