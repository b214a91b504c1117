// Long lists of tools: their bytes whole, as listed and compressed, the processor time of one, and how long the official client takes to load it.
import { existsSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { discover } from '../../gateway/discovery/discover.ts'
import { listedSchema } from '../../gateway/discovery/shorter-schema.ts'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { ask, GANTRY, gantryEnv, headersOf, KEY } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { cpuMicroseconds } from './mcp-load.ts'
import { median, type Server, startServer } from './server.ts'
import { timed } from './timed.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
/** The large collection where it is beside the project, else what the project has. */
const FOLDERS = ['../shared', '../../shared', 'e2e'].map((folder) => path.join(ROOT, folder, 'corpora/openapi'))
const SPECS = [
  'adyen-checkout.v31.json',
  'digitalocean.v30.json',
  'docker-engine.v30.json',
  'openai.v31.yaml',
  'plaid.v30.json',
  'slack-web.v2.json',
  'stripe.v30.json',
  'twilio-api-v2010.v30.json',
]
const LIMITS = { maxTools: 10_000, graphqlMaxTypes: 5_000, graphqlSelectionMaxDepth: 3, graphqlInputMaxDepth: 4 }
const ROUNDS = 5
/** Tools of one page. */
const PAGE = 1_000
const ENCODINGS = ['identity', 'gzip', 'br'] as const

const object = (properties: object): object => ({ type: 'object', properties })
const listOf = (items: object): object => ({ type: 'array', items })
const KINDS = 40
const OPERATIONS = 1_123

/** As large as that of Kubernetes: bodies of 40 kinds that hold one object three times, four levels deep. */
function generated(): string {
  const schemas: Record<string, object> = {}
  for (let kind = 0; kind < KINDS; kind++) {
    const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}${kind}` })
    const fields = (count: number, of: string): Record<string, object> =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `${of}Field${kind * count + at}`,
          { type: 'string', description: `What field ${at} of the ${of} of kind ${kind} says, and its default.` },
        ]),
      )
    const probes = Object.fromEntries(['live', 'ready', 'start'].map((name) => [name, ref('Probe')]))
    const containers = Object.fromEntries(['main', 'init', 'debug'].map((name) => [name, listOf(ref('Container'))]))
    schemas[`Probe${kind}`] = object(fields(6, 'probe'))
    schemas[`Container${kind}`] = object({ ...fields(12, 'container'), ...probes })
    schemas[`Plan${kind}`] = object({ ...fields(6, 'plan'), ...containers })
    const spec = object({ template: object({ spec: ref('Plan') }) })
    schemas[`Work${kind}`] = object({ metadata: object(fields(4, 'work')), spec })
  }
  const operation = (at: number): object => ({
    operationId: `makeWork${at}`,
    requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/Work${at % KINDS}` } } } },
  })
  const paths = Object.fromEntries(
    Array.from({ length: OPERATIONS }, (_, at) => [`/works/${at}`, { post: operation(at) }]),
  )
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'Works', version: '1' }, components: { schemas }, paths })
}

type Source = { readonly name: string; readonly text: string }
function sources(): readonly Source[] {
  const found = SPECS.flatMap((name) => {
    const file = FOLDERS.map((folder) => path.join(folder, name)).find(existsSync)
    return file === undefined ? [] : [{ name: name.split('.')[0] ?? name, text: readFileSync(file, 'utf8') }]
  })
  return [...found, { name: 'generated', text: generated() }]
}

/** Bytes that the first page saves before any compression. */
async function saved({ text }: Source): Promise<number> {
  const { tools } = await discover({ kind: 'openapi', text }, LIMITS)
  const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
  return tools.slice(0, PAGE).reduce((sum, tool) => sum + size(tool.inputSchema) - size(listedSchema(tool)), 0)
}

type Loaded = { readonly bytes: number; readonly cpuMs: number }

/** The first page, as it comes: `fetch` would decompress them. */
async function load({ url, pid }: Server, name: string, encoding: string): Promise<Loaded> {
  const before = cpuMicroseconds(pid)
  const headers = { ...headersOf(KEY), 'accept-encoding': encoding }
  const bytes = await new Promise<number>((resolve, reject) => {
    const asked = request(`${url}/mcp/${name}`, { method: 'POST', headers }, (response) => {
      let length = 0
      response.on('data', (chunk: Buffer) => (length += chunk.length))
      response.on('end', () => resolve(length))
    })
    asked.on('error', reject).end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
  })
  return { bytes, cpuMs: (cpuMicroseconds(pid) - before) / 1_000 }
}

async function withClient({ url }: Server, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${KEY}` }
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/${name}`), { requestInit: { headers } }))
  let tools = 0
  let cursor: string | undefined
  do {
    const page = await client.listTools({ cursor })
    tools += page.tools.length
    cursor = page.nextCursor
  } while (cursor !== undefined)
  await client.close()
  return tools
}

const kib = (bytes: number): string => Math.round(bytes / 1024).toLocaleString('en')

async function rowsOf(gateway: Server, source: Source, specs: string): Promise<readonly BenchRow[]> {
  const { name } = source
  await ask(gateway, 'POST', '/register', { name, openapi_url: `${specs}/${name}`, base_url: specs })
  const first = await load(gateway, name, 'identity')
  const rounds: Record<string, Loaded[]> = {}
  for (const encoding of ENCODINGS) {
    // The first of its encoding compresses.
    const compressing = await load(gateway, name, encoding)
    rounds[`${encoding} first`] = [compressing]
    rounds[encoding] = []
    for (let round = 0; round < ROUNDS; round++) rounds[encoding].push(await load(gateway, name, encoding))
  }
  const bytes = (encoding: string): number => rounds[encoding]?.[0]?.bytes ?? 0
  const cpu = (encoding: string): string => median((rounds[encoding] ?? []).map(({ cpuMs }) => cpuMs)).toFixed(1)
  let tools = 0
  const client: number[] = []
  for (let round = 0; round < ROUNDS; round++)
    client.push(await timed(async () => (tools = await withClient(gateway, name))))
  return [
    {
      label: `${name}, ${tools} tools: KiB of the first page`,
      value: `${kib(bytes('identity'))} listed`,
      beside: `${kib(await saved(source))} left out, ${kib(bytes('gzip'))} gzip, ${kib(bytes('br'))} br`,
    },
    {
      label: `${name}: CPU of a list, ms`,
      value: `${first.cpuMs.toFixed(0)} the first`,
      beside: `${cpu('identity')} plain, ${cpu('gzip')} gzip (${cpu('gzip first')} the first), ${cpu('br')} br (${cpu('br first')})`,
    },
    { label: `${name}: all pages by the official client`, value: `${median(client).toFixed(0)} ms` },
  ]
}

export const lists: BenchPart = {
  name: 'lists',
  async *run() {
    const all = sources()
    const server = createServer((asked, response) => {
      const found = all.find(({ name }) => asked.url === `/${name}`)
      response.writeHead(found ? 200 : 404).end(found?.text)
    })
    const { url } = await listening(server)
    const gateway = await startServer(GANTRY, { ...gantryEnv, OPENAPI_DISCOVERY_TIMEOUT_MS: '60000' })
    try {
      for (const source of all) yield* await rowsOf(gateway, source, url)
    } finally {
      await gateway.stop()
      server.close()
    }
  },
}
