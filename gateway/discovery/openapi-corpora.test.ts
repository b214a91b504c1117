// Every real spec becomes exactly its operations, and every call becomes the request two independent libraries send.
import { describe, expect, it } from 'vitest'
import { corpus, corpusFiles, corpusJson } from './corpora.fixture.ts'
import { isForbiddenHeader } from './headers.ts'
import { discoverOpenapi } from './openapi.ts'
import { parseText } from './parse.ts'
import { buildRequest } from './request.ts'
import type { DiscoveredTool, Discovery } from './tool.ts'

type Parameter = { name: string; in: string; required?: boolean }
type Operation = {
  method: string
  path: string
  operationId?: string
  params: Parameter[]
  body?: boolean
  bodyRequired?: boolean
}
type RequestCase = {
  id: string
  spec: string
  method: string
  path: string
  args: Partial<Record<'path' | 'query' | 'header' | 'cookie', Record<string, unknown>>> & {
    body?: unknown
    formData?: Record<string, unknown>
  }
  expect: {
    pathname: string
    query: [string, string][]
    headers: Record<string, string>
    cookies?: [string, string][]
    body?: unknown
    contentType?: string
  }
  consensus: { path?: boolean; query?: boolean; headers?: boolean }
}

const discovered = new Map<string, Discovery>()
function discover(file: string): Discovery {
  const known = discovered.get(file)
  if (known !== undefined) return known
  const documentUrl = 'https://spec-host.example/openapi.json'
  const found = discoverOpenapi(parseText(corpus(`openapi/${file}`)).value, { documentUrl, maxTools: 10_000 })
  discovered.set(file, found)
  return found
}

const keyOf = (operation: { method?: string; path?: string; endpoint?: string }) =>
  `${operation.method} ${operation.path ?? operation.endpoint}`

const isSettable = (parameter: Parameter) =>
  parameter.in !== 'header' || !(isForbiddenHeader(parameter.name) || /^accept$/i.test(parameter.name))

// The documented shapes of the expectation files.
const operationsOf = (file: string) => corpusJson(`expected-openapi-ops/${file}`) as readonly Operation[]
const requestCases = () => corpusJson('expected-shared/requests.json') as readonly RequestCase[]

describe('real specs', () => {
  const files = corpusFiles('openapi')

  it.each(files.filter((file) => file !== 'webhooks-only.v31.yaml'))('%s', (file) => {
    const { tools, skipped } = discover(file)
    const left = new Set(
      skipped.filter(({ reason }) => reason === 'marked x-internal').map(({ operation }) => operation),
    )
    const operations = operationsOf(`${file}.ops.json`).filter((operation) => !left.has(keyOf(operation)))
    const find = (operation: Operation) =>
      tools.find((tool) => keyOf({ method: tool.method, path: tool.endpoint }) === keyOf(operation))
    expect(tools).toHaveLength(operations.length)
    expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length)
    for (const operation of operations) {
      const tool = find(operation)
      const wanted = operation.params.filter((p) => p.in !== 'body' && p.in !== 'formData').filter(isSettable)
      const places = Object.values(tool?.places ?? {}).filter((place) => place.in !== 'body')
      const key = (p: { in: string; name: string }) => `${p.in} ${p.name}`
      expect(places.map(key).sort(), keyOf(operation)).toEqual(wanted.map(key).sort())
      expect(tool?.body !== undefined, keyOf(operation)).toBe(
        operation.body === true || operation.params.some((p) => p.in === 'body' || p.in === 'formData'),
      )
      const required = new Set(Array.isArray(tool?.inputSchema.required) ? tool.inputSchema.required : [])
      for (const parameter of wanted) {
        const name = Object.entries(tool?.places ?? {}).find(([, place]) => key(place) === key(parameter))?.[0] ?? ''
        expect(required.has(name), `${keyOf(operation)} ${parameter.name}`).toBe(
          parameter.in === 'path' || parameter.required === true,
        )
      }
    }
  })

  it('refuses a document without operations', () => {
    expect(() => discover('webhooks-only.v31.yaml')).toThrow(/No tool was found/)
  })
})

const EXTERNAL = ['externalPathItemRef.yaml', 'resolution_twolevel_index.yaml']

type Edge = { pass: Record<string, { operations: number | null }>; fail: Record<string, unknown> }

describe('odd specs', () => {
  // The documented shape of the expectation file.
  const edge = corpusJson('expected-shared/openapi-edge.json') as Edge
  const read = (path: string) =>
    discoverOpenapi(parseText(corpus(path)).value, { documentUrl: 'https://spec-host.example/x', maxTools: 1000 })

  it.each(Object.entries(edge.pass))('pass: %s', (file, { operations }) => {
    const found = () => read(`openapi-edge/pass/${file}`)
    if (operations !== null && operations > 0) expect(found().tools).toHaveLength(operations)
    // Its operations are in other documents, which are not read here; or it has none.
    else if (EXTERNAL.includes(file)) expect([found().tools, found().foreign?.length]).toEqual([[], 1])
    else expect(found).toThrow(/./)
  })

  it.each(Object.keys(edge.fail))('fail: %s', (file) => {
    let answer: unknown
    try {
      answer = read(`openapi-edge/fail/${file}`).tools.length
    } catch (cause) {
      answer = cause instanceof Error ? cause.name : cause
    }
    expect(answer === 'GatewayError' || typeof answer === 'number').toBe(true)
  })
})

function argumentsFor(tool: DiscoveredTool, { args }: RequestCase): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  const bodyFields = Object.entries(tool.places).filter(([, place]) => place.in === 'body')
  for (const where of ['path', 'query', 'header', 'cookie'] as const) {
    for (const [wire, value] of Object.entries(args[where] ?? {})) {
      const name = Object.entries(tool.places).find(([, place]) => place.in === where && place.name === wire)?.[0]
      if (name !== undefined) out[name] = value
    }
  }
  const body: unknown = args.body ?? args.formData
  if (body === undefined) return out
  const whole = bodyFields.find(([, place]) => place.whole === true)
  if (whole !== undefined) return { ...out, [whole[0]]: body }
  for (const [wire, value] of Object.entries(body as object) as [string, unknown][]) {
    out[bodyFields.find(([, place]) => place.name === wire)?.[0] ?? wire] = value
  }
  return out
}

const byText = (a: readonly string[], b: readonly string[]) => a.join('=').localeCompare(b.join('='))
const decoded = (list: readonly (readonly [string, string])[]) =>
  list.map((pair) => pair.map((text) => decodeURIComponent(text.replaceAll('+', ' ')))).sort(byText)

const pairsOf = (text: string) =>
  text.split('&').map((pair): [string, string] => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? ''])

function bodyMatches(built: NonNullable<ReturnType<typeof builtOf>['body']>, wanted: unknown): unknown {
  if ('parts' in built) {
    return { formdata: built.parts.map((part) => [part.name, String(part.content)] as [string, string]).sort(byText) }
  }
  const text = String(built.content)
  if (built.mediaType.includes('form-urlencoded')) return decoded(pairsOf(text))
  return typeof wanted === 'string' && built.mediaType !== 'application/json' ? text : JSON.parse(text)
}

function builtOf(tool: DiscoveredTool, given: RequestCase) {
  const built = buildRequest(tool, argumentsFor(tool, given))
  if (!built.ok) throw new Error(`${given.id}: ${built.problem.path} ${built.problem.message}`)
  return built.request
}

// Undeclared properties are dropped, as every undeclared argument is.
function wantedBody(tool: DiscoveredTool, mediaType: string, body: unknown): unknown {
  if (mediaType.includes('form-urlencoded') && typeof body === 'string') return decoded(pairsOf(body))
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  if ('formdata' in body) return { formdata: [...(body.formdata as [string, string][])].sort(byText) }
  if (tool.body?.merged !== true || tool.undeclared === 'body') return body
  const wires = new Set(Object.values(tool.places).map((place) => place.name))
  return Object.fromEntries(Object.entries(body).filter(([name]) => wires.has(name)))
}

// Repeated parts are what multipart servers read as a list; the two libraries join the list with commas instead.
const JOINED_PARTS = new Set(['req-0144', 'req-0563'])

describe('real calls', () => {
  it.each(requestCases().map((c) => [c.id, c.spec, c] as const))('%s %s', (_id, spec, given) => {
    const discovery = discover(spec)
    const tool = discovery.tools.find(
      (candidate) => keyOf({ method: candidate.method, path: candidate.endpoint }) === keyOf(given),
    )
    const internal = discovery.skipped.some(
      (skip) => skip.operation === keyOf(given) && skip.reason === 'marked x-internal',
    )
    expect(tool === undefined).toBe(internal)
    if (tool === undefined) return
    const request = builtOf(tool, given)
    const { consensus } = given
    const base =
      tool.baseUrl === undefined ? (discovery.basePath ?? '') : new URL(tool.baseUrl).pathname.replace(/\/$/, '')
    if (consensus.path !== false) expect(base + request.path).toBe(given.expect.pathname)
    if (consensus.query !== false) expect(decoded(request.query)).toEqual([...given.expect.query].sort(byText))
    if (consensus.headers !== false) {
      for (const [name, value] of Object.entries(given.expect.headers)) {
        if (Object.values(tool.places).some((place) => place.in === 'header' && place.name === name)) {
          expect(request.headers[name]).toBe(value)
        }
      }
    }
    if (given.expect.cookies !== undefined) expect(request.cookies).toEqual(given.expect.cookies)
    if (given.expect.body === undefined || request.body === undefined || JOINED_PARTS.has(given.id)) return
    const wanted = wantedBody(tool, request.body.mediaType, given.expect.body)
    expect(bodyMatches(request.body, wanted)).toEqual(wanted)
  })
})
