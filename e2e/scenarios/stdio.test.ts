// The bridge for agents that only start programs: clients over its standard streams, a real gateway behind it.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { CreateMessageRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isStale } from '../../tools/stale.mjs'
import { anUpstream, aShop, aShopGateway, register } from './data-plane.fixture.ts'
import { aFolder, type Gateway } from './gateway.fixture.ts'
import { aRelayed, MODERN } from './transparent.fixture.ts'

const ROOT = new URL('../..', import.meta.url).pathname
/** The one file that is copied to where agents start it, when it says what the sources say. */
const PROGRAM = join(ROOT, isStale() ? 'gateway/serve-stdio.ts' : 'dist/stdio/gantry-stdio.mjs')

async function keyOf(gateway: Gateway, client: string): Promise<string> {
  const body = { label: 'bridge', scopes: { clients: [client] } }
  const made = await gateway.admin('/admin-api/mcp-keys', { method: 'POST', body })
  return (made.json as { key: string }).key // what it answers is tested elsewhere
}

type Params = { readonly url: string; readonly key?: string; readonly args?: readonly string[] }
const paramsOf = ({ url, key, args = [] }: Params) => ({
  command: process.execPath,
  args: [PROGRAM, '--url', url, ...args],
  env: { PATH: process.env.PATH ?? '', ...(key === undefined ? {} : { GANTRY_KEY: key }) },
})

async function aClient(params: Params, capabilities: object = {}) {
  const client = new Client({ name: 'stdio-client', version: '1' }, { capabilities })
  const transport = new StdioClientTransport({ ...paramsOf(params), stderr: 'pipe' })
  const errors: Error[] = []
  let log = ''
  transport.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  onTestFinished(() => client.close())
  client.onerror = (error) => errors.push(error)
  return { client, transport, errors, log: () => log }
}

/** A client that writes what it likes. */
function aRaw(params: Params, more: Readonly<Record<string, string>> = {}) {
  const { command, args, env } = paramsOf(params)
  const child: ChildProcessWithoutNullStreams = spawn(command, args, { env: { ...env, ...more } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: Record<string, unknown>[] = []
  const waiting: (() => void)[] = []
  let rest = ''
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => {
    rest += chunk.toString()
    const whole = rest.split('\n')
    rest = whole.pop() ?? ''
    // A line that is no JSON fails the test here.
    for (const line of whole) lines.push(JSON.parse(line) as Record<string, unknown>)
    for (const go of waiting.splice(0)) go()
  })
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    exit,
    lines,
    log: () => log,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    send: (message: unknown) =>
      void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    end: () => void child.stdin.end(),
    async received(fits: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
      for (;;) {
        const found = lines.find(fits)
        if (found) return found
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
  }
}

const modern = (id: number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})

describe('the stdio bridge', () => {
  it('gives a client of the official SDK the tools of an endpoint, and its questions and notifications', async () => {
    const { gateway } = await aRelayed('legacy', { REQUIRE_MCP_AUTH: 'true' })
    const key = await keyOf(gateway, 'up')
    const { client, transport, errors } = await aClient({ url: `${gateway.url}/mcp/up`, key }, { sampling: {} })
    const received: unknown[] = []
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: 'asked through the bridge' },
    }))
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void received.push(params.data))
    await client.connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('test_sampling')
    const answer = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'say' } })
    expect(JSON.stringify(answer.content)).toContain('asked through the bridge')
    await client.callTool({ name: 'test_tool_with_logging', arguments: {} })
    expect(received.length).toBeGreaterThan(0)
    expect(errors).toEqual([])

    const sessions = await gateway.admin('/admin-api/mcp-sessions')
    expect(sessions.json).toMatchObject({ items: [{ clientInfo: { name: 'stdio-client' } }] })
    await client.close()
    expect((await gateway.admin('/admin-api/mcp-sessions')).json).toMatchObject({ items: [] })
  })

  it('goes on after the gateway restarted, and in a new session where the old one was ended', async () => {
    const folder = aFolder()
    const first = await aShopGateway({}, folder)
    const { port } = new URL(first.url)
    await register(first, await anUpstream())
    const { client, transport, errors } = await aClient({ url: `${first.url}/mcp/petstore` })
    await client.connect(transport)
    expect((await client.listTools()).tools).not.toEqual([])
    await first.stop()
    const asked = client.listTools()
    const second = await aShopGateway({ PORT: port }, folder)
    expect((await asked).tools).not.toEqual([])
    expect(errors).toEqual([])
    const sessions = (await second.admin('/admin-api/mcp-sessions')).json as { items: { ref: string }[] }
    for (const { ref } of sessions.items) await second.admin(`/admin-api/mcp-sessions/${ref}`, { method: 'DELETE' })
    expect((await client.listTools()).tools).not.toEqual([])
  })

  it('speaks the stateless revision with a key from a file, takes a request back, answers what is nonsense or has no key, and opens no debugger (security case KM-10)', async () => {
    const { gateway, upstream } = await aShop({ REQUIRE_MCP_AUTH: 'true' })
    const url = `${gateway.url}/mcp/petstore`
    const file = join(gateway.folder, 'key')
    writeFileSync(file, `${await keyOf(gateway, 'petstore')}\n`)
    // A port of its own, should a debugger be opened after all.
    const raw = aRaw({ url, args: ['--key-file', file] }, { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' })
    raw.send(modern(1, 'server/discover'))
    expect(await raw.received(({ id }) => id === 1)).toMatchObject({
      result: { supportedVersions: expect.arrayContaining([MODERN]) },
    })
    raw.signal('SIGUSR1')
    raw.send(modern(2, 'tools/call', { name: 'getPetById', arguments: { id: 5 } }))
    expect(await raw.received(({ id }) => id === 2)).toHaveProperty('result.content')
    raw.send('not json')
    expect(await raw.received(({ id }) => id === null)).toMatchObject({ error: { code: -32_700 } })

    upstream.answer = () => undefined
    raw.send(modern(3, 'tools/call', { name: 'getPetById', arguments: { id: 6 } }))
    await expect.poll(() => upstream.seen.filter((line) => line.includes('/pets/6'))).toHaveLength(1)
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } })
    raw.send(modern(4, 'server/discover'))
    await raw.received(({ id }) => id === 4)
    expect(raw.lines.some(({ id }) => id === 3)).toBe(false)
    raw.end()
    expect(await raw.exit).toBe(0)
    expect(raw.log()).not.toContain('Debugger')

    const unauthenticated = aRaw({ url, key: 'mcp_stranger' })
    unauthenticated.send(modern(1, 'tools/list'))
    const refused = await unauthenticated.received(({ id }) => id === 1)
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('Check the client’s key') } })
    expect(JSON.stringify(refused) + unauthenticated.log()).not.toContain('mcp_stranger')
  })

  it.each([
    ['a key among the arguments', ['--key', 'mcp_x'], 'does not belong among the arguments'],
    ['an address that is not https', ['--url', 'http://example.com/mcp/x'], 'must be https'],
    ['an option it does not know', ['--yes'], '--yes'],
  ])('does not start with %s', async (_what, args, why) => {
    const raw = aRaw({ url: 'http://127.0.0.1:9/mcp/x', args })
    expect(await raw.exit).toBe(64)
    expect(raw.log()).toContain(why)
    expect(raw.lines).toEqual([])
  })
})
