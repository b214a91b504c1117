// What context costs: recall against BM25, tokens of each form of a list, large answers behind handles, a pipeline whose
// data no model sees, and a query over 10 MB. Each part of docs/context.md is one function here.
import { createServer } from 'node:http'
import path from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { BYTES_PER_TOKEN } from '../../gateway/contract/tokens.ts'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { listCost, listTexts } from '../../gateway/surfaces/list-form.ts'
import { SEARCH_LISTED } from '../../gateway/surfaces/search-tools.ts'
import { scriptRows } from './context-scripts.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { recallRows } from './recall.ts'
import { median, startServer } from './server.ts'
import { CATALOGUE } from './tool-catalogue.ts'

const GANTRY = path.resolve(import.meta.dirname, '..', '..', 'dist/gateway/serve.js')
const KEY = 'of-the-benchmark'
const SEARCH = JSON.stringify(SEARCH_LISTED)
const ITEMS = 99_500
const MARK = 'payload-of-the-benchmark'

const entries = CATALOGUE.map(({ listed }) => ({ listed, json: JSON.stringify(listed) }))

/** Tokens of each form for the first so many tools of the catalogue. */
export function listRows(): readonly BenchRow[] {
  return [10, 50, 200, entries.length].map((count) => {
    const texts = listTexts(entries.slice(0, count), false, [SEARCH])
    const tokens = (text: string): number => countTokens(text)
    const cost = listCost({
      full: tokens(texts.full),
      compact: tokens(texts.compact),
      router: tokens(texts.router),
      search: tokens(texts.search),
    })
    return {
      label: `Tokens of ${count} tools`,
      value: `${cost.full} full, ${cost.compact} short, ${cost.router} + ${cost.perSearch} each search`,
      beside: `break-even ${cost.breakEven} a session; best: ${cost.best}`,
    }
  })
}

const items = (): object[] =>
  Array.from({ length: ITEMS }, (_, id) => ({
    id,
    owner: ['ann', 'bob', 'cy'][id % 3],
    note: `${MARK} ${id}`,
    price: id % 977,
    tags: ['red', 'large'],
  }))

/** The error of the estimate that budgets and the page Context use, over kinds of text. */
export function estimateRows(): readonly BenchRow[] {
  const kinds: readonly (readonly [string, string])[] = [
    ['list of 527 tools', listTexts(entries, false, []).full],
    ['descriptions in prose', CATALOGUE.map(({ listed }) => listed.description).join('\n')],
    ['JSON rows', JSON.stringify(items().slice(0, 2_000))],
    ['indented JSON', JSON.stringify(items().slice(0, 1_000), null, 2)],
  ]
  return kinds.map(([label, text]) => {
    const bytes = Buffer.byteLength(text)
    const counted = countTokens(text)
    const error = bytes / BYTES_PER_TOKEN / counted - 1
    return {
      label: `Estimate of ${label}`,
      value: `${error > 0 ? '+' : ''}${Math.round(error * 100)} %`,
      beside: `${(bytes / counted).toFixed(2)} bytes a token`,
    }
  })
}

type Result = { readonly content: readonly { readonly text?: string }[] }

/** A gateway over a backend with a 10 MB list, a tool that doubles what it is given, and one that takes the last value. */
export async function handleRows(): Promise<readonly BenchRow[]> {
  const large = JSON.stringify({ items: items() })
  const upstream = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      if (request.url === '/large') response.end(large)
      else if (request.url === '/second') response.end(body)
      else response.end(JSON.stringify({ size: body.length }))
    })
  })
  const { port } = await listening(upstream)
  const gateway = await startServer(GANTRY, {
    ADMIN_API_KEYS: KEY,
    ALLOW_PRIVATE_IPS: 'true',
    MAX_RESPONSE_BYTES: String(32 * 1024 * 1024),
    MAX_BODY_BYTES: String(32 * 1024 * 1024),
    SECRET_ENCRYPTION_KEY: 'a key of the benchmark, for nothing else',
  })
  try {
    return await measured(gateway.url, port, Buffer.byteLength(large))
  } finally {
    await gateway.stop()
    upstream.close()
  }
}

async function measured(url: string, port: number, largeBytes: number): Promise<readonly BenchRow[]> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  async function admin(at: string, method: string, body: object): Promise<void> {
    const answer = await fetch(url + at, {
      method,
      headers: { ...headers, authorization: `Bearer ${KEY}` },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`)
  }
  const value = { type: 'object', properties: { value: {} } }
  await admin('/register', 'POST', {
    name: 'bench',
    base_url: `http://127.0.0.1:${port}`,
    tools: [
      { name: 'large', method: 'GET', endpoint: '/large', description: 'A large list' },
      { name: 'second', method: 'POST', endpoint: '/second', description: 'Takes a list', inputSchema: value },
      { name: 'third', method: 'POST', endpoint: '/third', description: 'Takes a value', inputSchema: value },
    ],
  })
  const budget = { mode: 'handle', maxResponseBytes: 1_200, beginning: false }
  for (const tool of ['large', 'second', 'third'])
    await admin(`/admin-api/clients/bench/tools/${tool}`, 'PATCH', { contextBudget: budget })
  const seen: string[] = []
  async function call(name: string, args: object): Promise<string> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
    const answer = await fetch(`${url}/mcp/bench`, { method: 'POST', headers, body })
    const { result } = (await answer.json()) as { result: Result } // of a call
    const text = result.content.map((block) => block.text ?? '').join('')
    seen.push(text)
    return text
  }
  const shown = await call('large', {})
  const handleOf = (text: string): string => /result:[\w-]{22}/.exec(text)?.[0] ?? ''
  const handle = handleOf(shown)
  async function timed(question: object): Promise<number[]> {
    const times: number[] = []
    for (let round = 0; round < 7; round++) {
      const since = performance.now()
      await call('result_query', { handle, ...question })
      times.push(performance.now() - since)
    }
    return times
  }
  const times = await timed({ path: 'items', where: [{ field: 'owner', op: 'eq', value: 'bob' }], sum: 'price' })
  const inSql = await timed({
    sql: 'SELECT owner, sum(price) AS total, count(*) AS n FROM items GROUP BY owner ORDER BY total DESC',
  })
  const inJsonPath = await timed({ jsonpath: "$.items[?@.owner == 'bob' && @.price > 10].id", limit: 5 })
  const second = await call('second', { value: { $ref: `${handle}#/items` } })
  const third = await call('third', { value: { $ref: `${handleOf(second)}#/value/8/note` } })
  if (!/"size": ?\d+/.test(third)) throw new Error(`The pipeline failed: ${second} ${third}`)
  // The query asks for a sum, and returns no text of the payload either.
  const leaked = seen.filter((text) => text.includes(MARK)).length
  const tokens = countTokens(shown)
  return [
    {
      label: `Answer of ${(largeBytes / 1e6).toFixed(1)} MB as shown`,
      value: `${tokens} tokens`,
      aim: '≤ 500',
      met: tokens <= 500,
    },
    {
      ...laterRow('Query over it: sum of one owner', times),
      beside: `${(times[0] ?? 0).toFixed(0)} ms the first time`,
    },
    laterRow('The same in SQL: sums of all owners', inSql),
    laterRow('JSONPath with a filter', inJsonPath),
    { label: 'Pipeline of three tools', value: `${leaked} answers with payload`, aim: '0', met: leaked === 0 },
  ]
}

/** Of questions after the first, which reads the result. */
const laterRow = (label: string, times: readonly number[]): BenchRow => ({
  label,
  value: `${median(times.slice(1)).toFixed(0)} ms`,
  aim: '≤ 100 ms',
  met: median(times.slice(1)) <= 100,
})

const PARTS: readonly (() => readonly BenchRow[] | Promise<readonly BenchRow[]>)[] = [
  recallRows,
  listRows,
  estimateRows,
  handleRows,
  scriptRows,
]

export const context: BenchPart = {
  name: 'context',
  async *run() {
    for (const part of PARTS) for (const row of await part()) yield row
  },
}
