// Discovery of the largest real spec beside what a library alone takes to read it, what registering it does to others, and what many backends cost to hold.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { $RefParser } from '@apidevtools/json-schema-ref-parser'
import { parse } from 'yaml'
import { discoverInWorker } from '../../gateway/discovery/discover-in-worker.ts'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { held } from './held-backends.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { median, startServer, wait } from './server.ts'
import { longestTurn, timed } from './timed.ts'

const CORPORA = path.join(import.meta.dirname, '../../../shared/corpora/openapi')
const GANTRY = path.join(import.meta.dirname, '../../dist/gateway/serve.js')
const ROUNDS = 3
const LIMITS = { maxTools: 10_000, graphqlMaxTypes: 2000, graphqlSelectionMaxDepth: 2, graphqlInputMaxDepth: 3 }
const MIB = 1024 * 1024

/** The largest spec beside the project, or one of the same size made here. */
function largestSpec(): { readonly name: string; readonly text: string } {
  const files = existsSync(CORPORA) ? readdirSync(CORPORA) : []
  const texts = files.map((name) => ({ name, text: readFileSync(path.join(CORPORA, name), 'utf8') }))
  const [largest] = texts.toSorted((a, b) => b.text.length - a.text.length)
  if (largest) return largest
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `field${at}`,
      { type: 'string', description: 'A field of a record. '.repeat(4) },
    ]),
  )
  const operation = (at: number) => ({
    post: {
      operationId: `operation${at}`,
      requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
    },
  })
  const paths = Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [`/p${at}`, operation(at)]))
  return { name: 'a generated spec', text: JSON.stringify({ openapi: '3.1.0', info: {}, paths }) }
}

const parsed = (text: string): unknown => (text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text))

async function discovery(): Promise<readonly BenchRow[]> {
  const { name, text } = largestSpec()
  const plain: number[] = []
  const library: number[] = []
  const whole: number[] = []
  const turns: number[] = []
  let peak = 0
  const discover = () => discoverInWorker({ kind: 'openapi', text }, LIMITS, { timeoutMs: 120_000 })
  // Before anything else has filled this thread's memory: clearing up after the library is not discovery's turn.
  for (let round = 0; round < ROUNDS; round += 1) turns.push(await longestTurn(discover))
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(await timed(() => parsed(text)))
    // Nothing outside the document is followed, by neither.
    const options = { resolve: { external: false }, dereference: { circular: 'ignore' } } as const
    library.push(await timed(() => $RefParser.dereference(parsed(text), options)))
    const before = process.memoryUsage.rss()
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss() - before)), 5)
    whole.push(await timed(discover))
    clearInterval(watch)
  }
  const ratio = (beside: readonly number[]): string => median(whole.map((ms, at) => ms / (beside[at] ?? ms))).toFixed(2)
  const size = `${(text.length / MIB).toFixed(1)} MiB`
  return [
    {
      label: `discover ${name} (${size})`,
      value: `${median(whole).toFixed(0)} ms`,
      beside: `${median(library).toFixed(0)} ms the library alone`,
      ratio: ratio(library),
      aim: '≤ 1.5',
    },
    {
      label: 'the same beside a plain parse',
      value: '',
      beside: `${median(plain).toFixed(0)} ms`,
      ratio: ratio(plain),
    },
    { label: 'longest turn of the main thread in the meantime', value: `${median(turns).toFixed(0)} ms`, aim: '≤ 50' },
    { label: 'peak memory of it', value: `${(peak / MIB).toFixed(0)} MiB` },
  ]
}

/** What others notice of a registration: how long the slowest of their requests waits while it goes on. */
async function registering(): Promise<readonly BenchRow[]> {
  const { name, text } = largestSpec()
  const spec = createServer((_request, response) => response.end(text))
  const { url } = await listening(spec)
  const server = await startServer(GANTRY, {
    ADMIN_API_KEYS: 'bench-key-of-the-admin',
    ALLOW_PRIVATE_IPS: 'true',
    MAX_TOOLS_PER_CLIENT: '10000',
    OPENAPI_DISCOVERY_TIMEOUT_MS: '120000',
    RATE_LIMIT_GLOBAL: '1000000',
  })
  const register = async (round: number): Promise<void> => {
    const answer = await fetch(`${server.url}/register`, {
      method: 'POST',
      headers: { authorization: 'Bearer bench-key-of-the-admin', 'content-type': 'application/json' },
      body: JSON.stringify({
        name: `spec-${round % 2}`,
        openapi_url: `${url}/spec`,
        base_url: url,
      }),
    })
    if (!answer.ok) throw new Error(`Registering answered ${answer.status}: ${await answer.text()}`)
    await answer.text()
  }
  const slowest = async (work: () => Promise<unknown>): Promise<number> => {
    let longest = 0
    const over = new AbortController()
    const asking = (async () => {
      while (!over.signal.aborted)
        longest = Math.max(longest, await timed(() => fetch(`${server.url}/livez`).then((one) => one.text())))
    })()
    await work()
    over.abort()
    await asking
    return longest
  }
  const busy: number[] = []
  const idle: number[] = []
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    busy.push(await slowest(async () => took.push(await timed(() => register(round)))))
    idle.push(await slowest(() => wait(1000)))
  }
  await server.stop()
  spec.close()
  return [
    { label: `register ${name}`, value: `${median(took).toFixed(0)} ms` },
    {
      label: 'slowest other request in the meantime',
      value: `${median(busy).toFixed(0)} ms`,
      beside: `${median(idle).toFixed(0)} ms idle`,
    },
  ]
}

export const registration: BenchPart = {
  name: 'registration',
  run: async () => [...(await discovery()), ...(await registering()), ...(await held())],
}
