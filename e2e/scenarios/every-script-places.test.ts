// Generated texts of every script in every place of a request, to every kind of client, in prompts and in failures. What arrives is what was sent.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { type McpPeer, type PeerOptions, startMcpPeer } from '../../gateway/upstream/mcp-peer.fixture.ts'
import { IS_LONG } from '../fuzz/mode.ts'
import { call, type Result, ROOMY } from './data-plane.fixture.ts'
import { type Gateway, startGateway } from './gateway.fixture.ts'
import { registered } from './registration.fixture.ts'
import { SEEDS, scripts } from './scripts.fixture.ts'
import { aSession, aStateless, type Message } from './transparent.fixture.ts'

/** A URL has room for these; the others are pages. */
const LONGEST = 2_000
const TEXTS = SEEDS.flatMap(scripts)
const LINES = TEXTS.filter(({ text }) => text.length < LONGEST)
/** Each client is given every text by one of its backends, and each backend every text by one of its clients; in the long mode, by all. */
const partOf = (client: number, backend: number, backends: number): typeof TEXTS =>
  TEXTS.filter((_text, at) => IS_LONG || at === TEXTS.length - 1 || (at + backend) % backends === client % backends)
/** No encoding of Unicode has them; JSON does, as escapes. Model APIs reject a request that holds one. */
const HALVES = ['\ud800', 'a\udfffb', '\udc00\ud800']

let gateway: Gateway
let api: UpstreamServer
let received: unknown

const text = { type: 'string' }
const fields = { type: 'object', properties: { text } }
const sent = (type: string, schema: object) => ({ requestBody: { required: true, content: { [type]: { schema } } } })
const inPlace = (place: string, schema: object = text) => ({
  parameters: [{ in: place, name: 'text', required: true, schema }],
})
const OPERATIONS: Readonly<Record<string, readonly [path: string, method: string, operation: object]>> = {
  'a path': ['/path/{text}', 'get', inPlace('path')],
  'a query': ['/query', 'get', inPlace('query')],
  'a list in a query': ['/list', 'get', inPlace('query', { type: 'array', items: text })],
  JSON: ['/json', 'post', sent('application/json', fields)],
  'a form': ['/form', 'post', sent('application/x-www-form-urlencoded', fields)],
  'a multipart body': ['/multipart', 'post', sent('multipart/form-data', fields)],
  'plain text': ['/plain', 'post', sent('text/plain', text)],
}
/** A header has room for Latin-1, a cookie for part of ASCII. */
const NARROW: typeof OPERATIONS = {
  header: ['/header', 'get', inPlace('header')],
  cookie: ['/cookie', 'get', inPlace('cookie')],
}
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Places', version: '1' },
  paths: Object.fromEntries(
    [...Object.values(OPERATIONS), ...Object.values(NARROW)].map(([path, method, operation]) => [
      path,
      { [method]: { operationId: path.split('/')[1], ...operation } },
    ]),
  ),
}

/** The text as a server of that kind decodes it. */
async function decoded(url: URL, headers: Record<string, string | undefined>, body: string): Promise<unknown> {
  const [, place, rest = ''] = url.pathname.split('/')
  switch (place) {
    case 'path':
      return decodeURIComponent(rest)
    case 'query':
      return url.searchParams.get('text')
    case 'list':
      return url.searchParams.getAll('text')
    case 'plain':
      return body
    case 'json':
      return (JSON.parse(body) as { text: unknown }).text // the schema of the tool
    default: {
      const type = { 'content-type': headers['content-type'] ?? '' }
      return (await new Response(body, { headers: type }).formData()).get('text')
    }
  }
}

const ERAS: Readonly<Record<string, PeerOptions>> = {
  modern: { era: 'modern', as: 'json' },
  stateful: { era: 'legacy', as: 'sse', splitBytes: 5 },
}
const peers: McpPeer[] = []

const intercept: PeerOptions['intercept'] = ({ method, id, params, answer }) => {
  const given = params.arguments as Record<string, unknown> | undefined // as it is asked below
  const content = { type: 'text', text: given?.text }
  const results: Readonly<Record<string, object>> = {
    'prompts/get': { messages: [{ role: 'user', content }], description: 'd' },
    'tools/call': { content: [content], isError: true },
  }
  const result = results[method]
  if (result === undefined || (method === 'tools/call' && params.name !== 'fail')) return false
  received = given?.text
  void answer({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
  return true
}

beforeAll(async () => {
  ;[gateway, api] = await Promise.all([
    startGateway(ROOMY),
    startServer(({ url, headers, body }, response) => {
      if (url === '/openapi.json') return answerJson(response, DOCUMENT)
      void decoded(new URL(url, 'http://api'), headers as Record<string, string | undefined>, body).then((value) => {
        received = value
        answerJson(response, { text: value }, url === '/json/fails' ? 422 : 200)
      })
      return undefined
    }),
  ])
  await registered(gateway, { name: 'api', openapi_url: `${api.url}/openapi.json`, base_url: api.url })
  const tool = { name: 'fail', description: 'd', method: 'POST', endpoint: '/json/fails', inputSchema: fields }
  await registered(gateway, { name: 'failing', base_url: api.url, tools: [tool] })
  for (const [name, options] of Object.entries(ERAS)) {
    const peer = await startMcpPeer({ ...options, besideTools: true, intercept })
    peers.push(peer)
    await registered(gateway, { name, mcp_url: peer.url })
  }
})
afterAll(async () => {
  await Promise.all([gateway.end(), api.close()])
  for (const peer of peers) await peer.close()
})

const firstText = ({ content }: Pick<Result, 'content'>): string => content[0]?.text ?? ''

describe.each(Object.entries(OPERATIONS))('an argument in %s', (place, [path]) => {
  it('arrives as it was given, and returns [ct.0.10.results]', async () => {
    const name = path.split('/')[1] ?? ''
    const argument = place === 'plain text' ? 'body' : 'text'
    const isList = place === 'a list in a query'
    for (const { what, text: given } of place === 'JSON' ? TEXTS : LINES) {
      received = undefined
      const value = isList ? [given, `,${given}`] : given
      const { structuredContent } = await call(gateway, name, { [argument]: value }, '/mcp/api')
      expect([what, received]).toEqual([what, value])
      expect([what, structuredContent]).toEqual([what, { text: value }])
    }
  })
})

it.each(Object.keys(NARROW))(
  'an argument that a %s cannot carry is refused, and no other text is sent',
  async (place) => {
    for (const { what, text: given } of LINES.filter(({ text: each }) => /[^\0-\xff]/.test(each))) {
      received = undefined
      const result = await call(gateway, place, { text: given }, '/mcp/api')
      expect([what, result.isError, received, firstText(result)]).toEqual([
        what,
        true,
        undefined,
        expect.stringContaining(`a ${place} cannot carry`),
      ])
    }
  },
)

type Asking = (method: string, params: object) => Promise<Message>
const sessionOf =
  (accept: string) =>
  async (path: string): Promise<Asking> => {
    const client = await aSession(gateway, {}, { path, headers: { accept } })
    return async (method, params) => (await client.ask(method, params)).answer
  }
const statelessOf =
  (accept: string) =>
  async (path: string): Promise<Asking> => {
    const client = aStateless(gateway, {}, { path, headers: { accept } })
    return async (method, params) => (await client.ask(method, params)).answer
  }
const CLIENTS = {
  'with a session, JSON': sessionOf('application/json'),
  'with a session, events': sessionOf('text/event-stream'),
  'without sessions, JSON': statelessOf('application/json'),
  'without sessions, events': statelessOf('text/event-stream'),
}

const BACKENDS = ['api', ...Object.keys(ERAS)]
const ROWS = Object.entries(CLIENTS).map(([name, opened], at) => ({ name, opened, at }))

describe.each(ROWS)('a client $name', ({ opened, at: client }) => {
  it.each(BACKENDS)(
    'sends and receives its texts (%s; in the long mode: each) [ct.0.10.results]',
    async (backend) => {
      const ask = await opened(`/mcp/${backend}`)
      const name = backend === 'api' ? 'json' : 'echo'
      for (const { what, text: given } of partOf(client, BACKENDS.indexOf(backend), BACKENDS.length)) {
        const answer = await ask('tools/call', { name, arguments: { text: given } })
        const { result } = answer
        expect([what, result?.structuredContent ?? answer]).toEqual([what, { text: given }])
        expect([what, JSON.parse(firstText(result as Result))]).toEqual([what, { text: given }]) // of a tool
      }
    },
    60_000,
  )

  it.each(Object.keys(ERAS))(
    'gives a prompt its argument and receives it (%s; in the long mode: each text) [ct.0.10.results]',
    async (backend) => {
      const ask = await opened(`/mcp/${backend}`)
      const eras = Object.keys(ERAS)
      for (const { what, text: given } of partOf(client, eras.indexOf(backend), eras.length)) {
        received = undefined
        const { result } = await ask('prompts/get', { name: 'greet', arguments: { text: given } })
        expect([what, received]).toEqual([what, given])
        expect([what, result?.messages]).toEqual([what, [{ role: 'user', content: { type: 'text', text: given } }]])
      }
    },
    60_000,
  )
})

it.each(['failing', ...Object.keys(ERAS)])('a failure keeps its text (%s) [ct.0.10.results]', async (backend) => {
  for (const { what, text: given } of LINES) {
    const result = await call(gateway, 'fail', { text: given }, `/mcp/${backend}`)
    expect([what, result.isError, received]).toEqual([what, true, given])
    const shown = firstText(result)
    expect([what, shown.includes(given) || shown.includes(JSON.stringify(given))]).toEqual([what, true])
  }
})

it('half of a surrogate pair, which is no text, is sent as it was given and returns as U+FFFD', async () => {
  for (const given of HALVES) {
    const { structuredContent } = await call(gateway, 'json', { text: given }, '/mcp/api')
    expect([received, structuredContent]).toEqual([given, { text: given.toWellFormed() }])
  }
})
