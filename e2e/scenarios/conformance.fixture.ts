// Referees that are not ours: the two conformance suites, run as programs against a URL, and what they say of it.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { endedWithUs } from '../../tools/ended-with.ts'
import { aFolder, type Env, type Gateway, startGateway } from './gateway.fixture.ts'
import { COMPILED } from './gateway-process.fixture.ts'

const require = createRequire(import.meta.url)
/** Where a package lies; its own exports may hide its files. */
export const packageFolder = (name: string): string => {
  const found = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name)).find(isPackage)
  if (found === undefined) throw new Error(`${name} is not installed`)
  return found
}
const isPackage = (folder: string): boolean => {
  try {
    return dirname(require.resolve(join(folder, 'package.json'))) === folder
  } catch {
    return false
  }
}

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** A program of Node, to its end. Its home is a folder that goes with the test. */
export function runNode(args: readonly string[], env: Env = {}): Promise<Ran> {
  const folder = aFolder()
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endedWithUs(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

export type Verdict = {
  readonly code: number | null
  /** By scenario: how many of its checks passed and failed. */
  readonly scenarios: Readonly<Record<string, { readonly passed: number; readonly failed: number }>>
}

function verdictOf({ code, stdout, stderr }: Ran): Verdict {
  const summary = stdout.split('=== SUMMARY ===')[1] ?? ''
  const found = [...summary.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)]
  if (found.length === 0 && !/=== /.test(stdout)) throw new Error(`The referee printed nothing:\n${stdout}\n${stderr}`)
  const scenarios = Object.fromEntries(
    found.map(([, name = '', passed, failed]) => [name, { passed: Number(passed), failed: Number(failed) }]),
  )
  return { code, scenarios }
}

const suite = (alias: string): string => join(packageFolder(`@modelcontextprotocol/${alias}`), 'dist/index.js')

/** The released suite: all its active server scenarios. */
export async function judgeReleased(url: string): Promise<Verdict> {
  return verdictOf(await runNode([suite('conformance'), 'server', '--url', url]))
}

/** The next one: what a revision requires, at its own wire. */
export async function judgeRevision(url: string, revision: '2025-11-25' | '2026-07-28'): Promise<Verdict> {
  return verdictOf(await runNode([suite('conformance-next'), 'server', '--url', url, '--requirements', revision]))
}

/** Of a client that `url` acts for: the scenarios without a failure or warning, and the others. */
export async function judgeClient(
  alias: 'conformance' | 'conformance-next',
  args: readonly string[],
  url: string,
): Promise<{ readonly passed: readonly string[]; readonly others: readonly string[]; readonly output: string }> {
  const command = `${process.execPath} ${new URL('conformance-client.mjs', import.meta.url).pathname} ${url}`
  const { stdout, stderr } = await runNode([suite(alias), 'client', '--command', command, ...args])
  const summary = stdout.split('=== SUITE SUMMARY ===')[1]
  if (summary === undefined) throw new Error(`The referee printed no summary:\n${stdout}\n${stderr}`)
  const named = (mark: string): string[] =>
    [...summary.matchAll(/^([✓✗]) (\S+):/gm)]
      .flatMap(([, given, name = '']) => (given === mark ? [name] : []))
      .toSorted()
  return { passed: named('✓'), others: named('✗'), output: stdout + stderr }
}

/** The checks of all scenarios together. */
export function totalOf({ scenarios }: Verdict): { readonly passed: number; readonly failed: number } {
  const all = Object.values(scenarios)
  const sum = (of: 'passed' | 'failed'): number => all.reduce((before, scenario) => before + scenario[of], 0)
  return { passed: sum('passed'), failed: sum('failed') }
}

/** The checks that fail, by scenario: what is a failure of the thing judged, and what of an extension it does not claim. */
export const failedIn = ({ scenarios }: Verdict): readonly string[] =>
  Object.entries(scenarios).flatMap(([name, { failed }]) => (failed > 0 ? [name] : []))

/** A gateway with room for a referee, which opens many sessions and never waits. */
export function aRefereedGateway(env: Env = {}): Promise<Gateway> {
  return startGateway({
    ALLOW_PRIVATE_IPS: 'true',
    RATE_LIMIT_MCP: '1000000',
    RATE_LIMIT_REGISTER: '1000000',
    MAX_SESSIONS: '10000',
    ...env,
  })
}

export async function registerUpstream(
  gateway: Gateway,
  name: string,
  url: string,
  transport: 'streamable-http' | 'sse' = 'streamable-http',
): Promise<void> {
  const body = { name, mcp_url: url, mcp_transport: transport }
  const made = await gateway.admin('/register', { method: 'POST', body })
  if (made.status !== 200) throw new Error(`Registering answered ${made.status}: ${made.text}`)
}

/** A bundle of every tool of a backend, each callable by its own name. */
export async function bundleAll(gateway: Gateway, bundle: string, client: string, headers: Env = {}): Promise<void> {
  const listed = await gateway.ask(`/mcp/${client}`, {
    method: 'POST',
    headers,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  const { result } = listed.json as { result: { tools: { name: string }[] } } // what a shard answers to it
  const own = result.tools.filter(({ name }) => name !== 'search_tools')
  const tools = own.map(({ name }) => ({ client, tool: name }))
  const made = await gateway.admin('/admin-api/bundles', { method: 'POST', body: { name: bundle, tools } })
  if (made.status !== 201) throw new Error(`Bundling answered ${made.status}: ${made.text}`)
}
