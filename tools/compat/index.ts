// `npm run compat`: clients and servers of other projects against the gateway. Installs them into a temporary folder and writes docs/compatibility.md.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { CLIENTS } from './clients.mjs'
import { PACKAGES } from './packages.ts'
import { ADMIN_KEY, freePort, type Running, startClient, startGateway, startServer } from './processes.ts'
import { type ClientResult, report, type ServerResult } from './report.ts'
import { SERVERS, type ServerRow } from './servers.ts'

const USAGE = 'npm run compat -- [--packages <folder with the packages installed>] [--only <client or server>]'
const REPORT = path.resolve(import.meta.dirname, '../../docs/compatibility.md')
const DRIVERS = ['clients.mjs', 'claude-agent.mjs', 'drive.mjs', 'framework-server.mjs']
const KEY = 'the-key-of-the-compatibility-run'

type Surface = {
  readonly name: string
  readonly path: string
  readonly tool: string
  readonly given: object
  readonly answer: string
}
const SURFACES: readonly Surface[] = [
  { name: 'shard', path: '/mcp/everything', tool: 'echo', given: { message: 'compat' }, answer: 'compat' },
  { name: 'bundle', path: '/mcp-custom/all', tool: 'everything__echo', given: { message: 'compat' }, answer: 'compat' },
  { name: 'PCG', path: '/mcp/pcg', tool: 'list_pcg_node_types', given: {}, answer: 'PCG' },
]

function install(folder: string): void {
  const names = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`)
  console.log(`Installing ${names.length} packages into ${folder}`)
  writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...options, ...names], { cwd: folder, stdio: 'inherit' })
}

/** By its own name: it may be installed under another. */
function installed(folder: string, name: string): Pick<ServerResult, 'package' | 'version'> {
  const file = path.join(folder, 'node_modules', name, 'package.json')
  const { name: own, version } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string } // a package of npm
  return { package: own, version }
}

async function admin(gateway: Running, route: string, body: object): Promise<void> {
  const response = await fetch(gateway.url + route, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}` },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`)
}

/** `ok`, or what went wrong in the words of the client. */
async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'ok'
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 160) : String(error)
  }
}

function expectIn(text: unknown, wanted: string): void {
  if (!JSON.stringify(text).includes(wanted))
    throw new Error(`the answer does not hold "${wanted}": ${JSON.stringify(text).slice(0, 100)}`)
}

type Used = { readonly first: string; readonly again: string }

/** One client on all surfaces of a gateway at once, before and after its restart. */
async function used(folder: string, gateway: Running, client: string, headers: object): Promise<readonly Used[]> {
  const drivers = SURFACES.map((surface) => startClient(folder, client, gateway.url + surface.path, headers))
  const called = (at: number, { tool, given, answer }: Surface): Promise<string> =>
    outcome(async () => expectIn(await drivers[at]?.take({ step: 'call', tool, args: given }), answer))
  const opened = (at: number, { tool }: Surface): Promise<string> =>
    outcome(async () => {
      await drivers[at]?.take({ step: 'open' })
      expectIn(await drivers[at]?.take({ step: 'list' }), `"${tool}"`)
    })
  const first = await Promise.all(
    SURFACES.map(async (surface, at) => {
      const open = await opened(at, surface)
      return open === 'ok' ? called(at, surface) : open
    }),
  )
  await gateway.restart()
  const again = await Promise.all(
    SURFACES.map(async (surface, at) => (first[at] === 'ok' ? called(at, surface) : 'not run')),
  )
  await Promise.all(drivers.map((driver) => driver.end()))
  return first.map((before, at) => ({ first: before, again: again[at] ?? '' }))
}

/** A wrong key: the client has to report an error, and not to hang. */
function refused(folder: string, gateway: Running, client: string): Promise<readonly string[]> {
  return Promise.all(
    SURFACES.map(async (surface) => {
      const driver = startClient(folder, client, gateway.url + surface.path, { Authorization: 'Bearer wrong-key' })
      const opened = await outcome(async () => {
        await driver.take({ step: 'open' })
        await driver.take({ step: 'list' })
      })
      await driver.end()
      if (opened === 'ok') return 'was let in'
      return /timed? ?out|operation was aborted/i.test(opened) ? `no error in time: ${opened}` : 'ok'
    }),
  )
}

async function judgeClient(
  folder: string,
  open: Running,
  keyed: Running,
  name: string,
  row: { package: string },
): Promise<ClientResult> {
  const [free, withKey] = await Promise.all([
    used(folder, open, name, {}),
    used(folder, keyed, name, { Authorization: `Bearer ${KEY}` }),
  ])
  const rejected = await refused(folder, keyed, name)
  const cells = SURFACES.map(({ name: surface }, at) => ({
    surface,
    open: free[at]?.first ?? '',
    keyed: withKey[at]?.first ?? '',
    refused: rejected[at] ?? '',
    restarted: [free[at]?.again ?? '', withKey[at]?.again ?? ''].find((each) => each !== 'ok') ?? 'ok',
  }))
  return { name, ...installed(folder, row.package), cells }
}

async function judgeServer(folder: string, gateway: Running, row: ServerRow, at: number): Promise<ServerResult> {
  const port = await freePort()
  const name = `server-${at}`
  let server: Running | undefined
  const call = async (): Promise<void> => {
    const response = await fetch(`${gateway.url}/mcp/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: row.tool, arguments: row.given },
      }),
    })
    expectIn(await response.text(), row.answer)
  }
  const registered = await outcome(async () => {
    server = await startServer(folder, row.args(port, folder), { port, endpoint: row.endpoint })
    await admin(gateway, '/register', {
      name,
      mcp_url: server.url,
      ...(row.transport && { mcp_transport: row.transport }),
    })
  })
  const called = registered === 'ok' ? await outcome(call) : 'not run'
  const restarted = called === 'ok' ? await outcome(async () => server?.restart().then(call)) : 'not run'
  await server?.stop()
  return {
    name: row.name,
    ...installed(folder, row.package),
    registered,
    called,
    restarted,
  }
}

async function run(folder: string, only: string | undefined): Promise<number> {
  const wanted = ({ name }: { name: string }): boolean => only === undefined || name === only
  const homes = [1, 2].map(() => mkdtempSync(path.join(tmpdir(), 'gantry-compat-home-')))
  const [open, keyed] = await Promise.all([startGateway(homes[0] ?? '', undefined), startGateway(homes[1] ?? '', KEY)])
  const port = await freePort()
  const everything = ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'streamableHttp']
  const upstream = await startServer(folder, everything, { port, endpoint: '/mcp' })
  try {
    for (const gateway of [open, keyed]) {
      await admin(gateway, '/register', { name: 'everything', mcp_url: upstream.url })
      await admin(gateway, '/admin-api/bundles', { name: 'all', tools: [{ client: 'everything', tool: 'echo' }] })
    }
    const clients: ClientResult[] = []
    for (const [name, row] of Object.entries(CLIENTS).filter(([name]) => wanted({ name }))) {
      clients.push(await judgeClient(folder, open, keyed, name, row))
      console.log(JSON.stringify(clients.at(-1)))
    }
    const servers: ServerResult[] = []
    for (const [at, row] of SERVERS.entries()) {
      if (!wanted(row)) continue
      servers.push(await judgeServer(folder, open, row, at))
      console.log(JSON.stringify(servers.at(-1)))
    }
    if (only === undefined) writeFileSync(REPORT, report(clients, servers, new Date()))
    const failures = [
      ...clients.flatMap(({ cells }) =>
        cells.flatMap(({ open: o, keyed: k, refused: r, restarted: s }) => [o, k, r, s]),
      ),
      ...servers.flatMap(({ registered, called, restarted }) => [registered, called, restarted]),
    ].filter((cell) => cell !== 'ok')
    return failures.length
  } finally {
    await Promise.all([open.stop(), keyed.stop(), upstream.stop()])
    for (const home of homes) rmSync(home, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: { packages: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const folder =
  values.packages === undefined ? mkdtempSync(path.join(tmpdir(), 'gantry-compat-')) : path.resolve(values.packages)
if (!existsSync(path.join(folder, 'node_modules'))) install(folder)
for (const file of DRIVERS) copyFileSync(path.join(import.meta.dirname, file), path.join(folder, file))
const failures = await run(folder, values.only)
if (values.packages === undefined) rmSync(folder, { recursive: true, force: true })
console.log(failures === 0 ? 'Everything works.' : `${failures} checks failed.`)
process.exit(failures === 0 ? 0 : 1)
