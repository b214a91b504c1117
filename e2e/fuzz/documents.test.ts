// Specifications and configuration documents, valid and then spoiled: each is taken whole or refused whole, and what is listed afterwards is safe to read.
import { request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { type McpPeer, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { ADMIN_KEY, type Answer } from '../scenarios/gateway.fixture.ts'
import {
  type Case,
  CONFIGURATION,
  type ConfigurationCase,
  configurationOf,
  configurations,
  KINDS,
  type Kind,
  specificationOf,
  specifications,
} from './documents.fixture.ts'
import { hiddenIn, unsafeIn } from './hostile.ts'
import { FUZZ_TIMEOUT_MS, fuzz } from './mode.ts'
import { CONFIGURATIONS, SPECIFICATIONS } from './regressions.ts'
import { startWatched, type Watched } from './watched.ts'

type Answered = Pick<Answer, 'status' | 'text' | 'json'>

let watched: Watched
let pages: UpstreamServer
let peer: McpPeer
let current: Buffer = Buffer.alloc(0)

beforeAll(async () => {
  ;[watched, pages, peer] = await Promise.all([
    startWatched({
      SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
      GANTRY_SECRET_FUZZ: 'a-secret-of-the-environment',
      RATE_LIMIT_EXPENSIVE: '1000000',
    }),
    startServer((_hit, response) => response.setHeader('content-type', 'application/json').end(current)),
    startMcpPeer({
      era: 'legacy',
      intercept: ({ method, id, response }) => {
        if (method !== 'tools/list') return false
        const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":`
        response
          .setHeader('content-type', 'application/json')
          .end(Buffer.concat([Buffer.from(head), current, Buffer.from('}}')]))
        return true
      },
    }),
  ])
  await watched.baseline(async () => {
    for (const kind of Object.keys(KINDS) as Kind[]) {
      current = specificationOf({ kind, changes: [], bytes: PLAIN })
      const { status, text } = await register(kind)
      if (status !== 200) throw new Error(`${kind} answered ${status}: ${text}`)
      await forget()
    }
    await imported(Buffer.from(JSON.stringify(CONFIGURATION)), { raw: false, mode: 'replace', dryRun: true })
  })
})
afterAll(async () => {
  await Promise.all([watched.gateway.end(), pages.close(), peer.close()])
})

const PLAIN = { how: 'none', at: 0, byte: 0 } as const

/** A body that may be no JSON at all. */
async function post(path: string, body: Buffer): Promise<Answered> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}` }
  const { statusCode, body: answer } = await request(watched.gateway.url + path, { method: 'POST', headers, body })
  const text = await answer.text()
  return { status: statusCode, text, json: JSON.parse(text) as unknown }
}

const inside = (before: string, after: string): Buffer =>
  Buffer.concat([Buffer.from(before), current, Buffer.from(after)])
function register(kind: Kind): Promise<Answered> {
  const at = (body: object): Buffer => Buffer.from(JSON.stringify({ name: 'fuzzed', ...body }))
  switch (kind) {
    case 'openapi':
    case 'swagger':
      return post('/register', at({ openapi_url: `${pages.url}/spec` }))
    case 'graphql':
      return post('/register', at({ graphql_url: `${pages.url}/graphql` }))
    case 'mcp':
      return post('/register', at({ mcp_url: peer.url }))
    case 'collection':
      return post('/register', inside('{"name":"fuzzed","client_collection":', '}'))
    case 'manual':
      return post('/register', inside(`{"name":"fuzzed","base_url":"${pages.url}","tools":`, '}'))
    case 'curl':
      return post('/register', at({ curl_input: curlOf(current) }))
  }
}

/** The command where the document is still whole, else what it became. */
function curlOf(document: Buffer): string {
  const text = document.toString()
  try {
    const value = JSON.parse(text) as { text?: unknown } | null // may be anything
    return typeof value?.text === 'string' ? value.text : text
  } catch {
    return text
  }
}

const forget = (): Promise<Answered> => watched.gateway.admin('/admin-api/clients/fuzzed', { method: 'DELETE' })

/** Refused in the envelope, with a status that says whose fault it is. */
function refusedInForm({ status, text, json }: Answered): void {
  expect([status, text]).toEqual([
    expect.toSatisfy((code: number) => [400, 409, 413, 415, 422, 502, 504].includes(code)),
    text,
  ])
  const { error } = json as { error: { code: string; message: string } } // the envelope of every error
  expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String) })
  expect(unsafeIn(error.message)).toBeUndefined()
  expect(text).not.toMatch(/\.[jt]s:\d|at \w+ \(/)
}

/** The texts of a schema that a model reads, and the names of its arguments. */
function metadataIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(metadataIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    ['name', 'title', 'description'].includes(key) && typeof inner === 'string' ? [inner] : metadataIn(inner),
  )
}

async function listedSafely(): Promise<void> {
  const { status, json } = await watched.gateway.ask('/mcp/fuzzed', {
    method: 'POST',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  const { result } = json as { result: { tools: { name: string; inputSchema: { type: string } }[] } } // checked next
  expect([status, result.tools.length]).toEqual([200, expect.any(Number)])
  for (const { name, inputSchema } of result.tools) {
    expect(name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
    expect(inputSchema).toMatchObject({ type: 'object' })
  }
  for (const text of metadataIn(result.tools)) expect(hiddenIn(text)).toBeUndefined()
}

async function specified(one: Case): Promise<void> {
  current = specificationOf(one)
  const answer = await register(one.kind)
  if (answer.status === 200) {
    try {
      await listedSafely()
    } finally {
      // What is left fails every smaller case.
      await forget()
    }
  } else {
    refusedInForm(answer)
    expect((await watched.gateway.admin('/admin-api/clients/fuzzed')).status).toBe(404)
  }
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
}

it(
  'a specification is registered whole or refused whole, and what is listed is safe to read (security cases BL-05, BL-07, BL-08, RS-04)',
  async () => {
    await fuzz(
      specifications,
      async (one) => {
        await specified(one)
        await watched.sound()
      },
      { runs: 300, known: SPECIFICATIONS },
    )
  },
  FUZZ_TIMEOUT_MS,
)

type Wish = Pick<ConfigurationCase, 'raw' | 'mode' | 'dryRun'>
function imported(document: Buffer, { raw, mode, dryRun }: Wish): Promise<Answered> {
  const wish = `"mode":"${mode}","dryRun":${dryRun},"registerClients":true`
  const body = raw
    ? Buffer.from(`{"format":"yaml","raw":${JSON.stringify(document.toString())},${wish}}`)
    : Buffer.concat([Buffer.from('{"data":'), document, Buffer.from(`,${wish}}`)])
  return post('/admin-api/config/import?confirm=true', body)
}

const exported = async (): Promise<string> => (await watched.gateway.admin('/admin-api/config/export')).text
const peopleAndKeys = async (): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      ['users', 'mcp-keys'].map(async (path) => (await watched.gateway.admin(`/admin-api/${path}`)).json),
    ),
  )

async function configured(one: ConfigurationCase): Promise<void> {
  const [before, people] = [await exported(), await peopleAndKeys()]
  const answer = await imported(configurationOf(one), one)
  const after = await exported()
  if (answer.status !== 200) refusedInForm(answer)
  if (answer.status !== 200 || one.dryRun) expect(after).toBe(before)
  expect(await peopleAndKeys()).toBe(people)
  expect(after).not.toContain('a-secret-of-the-environment')
  // What was taken is a document that is taken again, and changes nothing.
  if (after !== before) {
    const again = await imported(Buffer.from(after), { raw: false, mode: 'merge', dryRun: false })
    expect([again.status, again.text]).toEqual([200, again.text])
    expect(await exported()).toBe(after)
  }
}

it(
  'a configuration document is applied whole or refused whole, and its export is taken again (security cases ST-11, ST-13)',
  async () => {
    await fuzz(
      configurations,
      async (one) => {
        await configured(one)
        await watched.sound()
      },
      { runs: 120, known: CONFIGURATIONS },
    )
    expect((await watched.gateway.admin('/admin-api/audit-log/verify')).json).toMatchObject({ valid: true })
  },
  FUZZ_TIMEOUT_MS,
)
