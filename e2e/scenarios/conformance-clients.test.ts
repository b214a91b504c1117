// Clients that people use, against a shard and a bundle: the Inspector in its three eras, mcp-remote, and the official example server behind the gateway.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endedWithUs } from '../../tools/ended-with.ts'
import { type ConformancePeer, startConformancePeer } from '../peers/mcp-conformance.ts'
import {
  aRefereedGateway,
  bundleAll,
  packageFolder,
  type Ran,
  registerUpstream,
  runNode,
} from './conformance.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'

const INSPECTOR = join(packageFolder('@modelcontextprotocol/inspector'), 'clients/launcher/build/index.js')
const REMOTE = join(packageFolder('mcp-remote'), 'dist/proxy.js')
const EVERYTHING = join(packageFolder('@modelcontextprotocol/server-everything'), 'dist/index.js')
const KEY = 'the-key-of-the-inspector'
/** The Inspector calls what it finds in the list, and a bundle lists names with their backend's before them. */
const SURFACES = [
  ['/mcp/ref', ''],
  ['/mcp-custom/all', 'ref__'],
] as const
const AUTHORIZATION = `Authorization: Bearer ${KEY}`

let gateway: Gateway
let peer: ConformancePeer
let everything: ChildProcess

async function aFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('There is no port')
  return address.port
}

async function startEverything(): Promise<string> {
  const port = await aFreePort()
  everything = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PATH: process.env.PATH ?? '', PORT: String(port) },
    stdio: 'ignore',
  })
  endedWithUs(everything)
  const url = `http://127.0.0.1:${port}/mcp`
  for (let tries = 0; tries < 300; tries += 1) {
    const there = await fetch(url).catch(() => undefined)
    if (there) return url
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('The example server does not start')
}

beforeAll(async () => {
  const [started, upstream, example] = await Promise.all([
    aRefereedGateway({ MCP_API_KEYS: KEY }),
    startConformancePeer('both'),
    startEverything(),
  ])
  gateway = started
  peer = upstream
  await registerUpstream(gateway, 'ref', peer.url)
  await registerUpstream(gateway, 'everything', example)
  await bundleAll(gateway, 'all', 'ref', { authorization: `Bearer ${KEY}` })
}, 180_000)
afterAll(async () => {
  everything.kill()
  await gateway.end()
  await peer.close()
})

const inspect = (path: string, era: string, ...args: string[]): Promise<Ran> =>
  runNode([
    INSPECTOR,
    '--cli',
    gateway.url + path,
    '--transport',
    'http',
    '--protocol-era',
    era,
    '--header',
    AUTHORIZATION,
    '--stored-auth-only',
    '--format',
    'json',
    ...args,
  ])

const call = (tool: string, ...args: string[]): string[] => [
  '--method',
  'tools/call',
  '--tool-name',
  tool,
  ...args.flatMap((each) => ['--tool-arg', each]),
]

describe.each(['legacy', 'auto', 'modern'])('the Inspector in the era it calls %s', (era) => {
  it.each(SURFACES)(
    'calls what it lists on %s, and receives what went wrong at a shard',
    async (path, prefix) => {
      const called = await inspect(path, era, ...call(`${prefix}test_simple_text`))
      expect(called.stdout).toContain('This is a simple text response for testing.')
      expect(called.code).toBe(0)
      // One path leads an error to a client, from either surface.
      if (prefix !== '') return
      const failed = await inspect(path, era, ...call(`${prefix}test_error_handling`))
      expect([failed.code, failed.stdout + failed.stderr]).toEqual([
        5,
        expect.stringContaining('intentionally returns an error'),
      ])
    },
    180_000,
  )
})

describe('mcp-remote', () => {
  it.each(SURFACES)(
    'bridges standard input and output to %s',
    async (path, prefix) => {
      const bridged = await runNode([
        INSPECTOR,
        '--cli',
        ...call(`${prefix}test_simple_text`),
        '--format',
        'json',
        '--quiet',
        '--',
        process.execPath,
        REMOTE,
        gateway.url + path,
        '--allow-http',
        '--header',
        AUTHORIZATION,
      ])
      expect([bridged.code, bridged.stdout]).toEqual([
        0,
        expect.stringContaining('This is a simple text response for testing.'),
      ])
    },
    180_000,
  )
})

describe('the official example server', () => {
  it('is the same through a shard: tools, resources and prompts', async () => {
    const path = '/mcp/everything'
    const echoed = await inspect(path, 'auto', ...call('echo', 'message=hello'))
    expect(echoed.stdout).toContain('Echo: hello')
    const summed = await inspect(path, 'modern', ...call('get-sum', 'a=2', 'b=40'))
    expect(summed.stdout).toContain('42')
    const resources = await inspect(path, 'legacy', '--method', 'resources/list')
    expect([resources.code, resources.stdout]).toEqual([0, expect.stringContaining('uri')])
    const prompts = await inspect(path, 'modern', '--method', 'prompts/list')
    expect([prompts.code, prompts.stdout]).toEqual([0, expect.stringContaining('name')])
  }, 180_000)
})
