// A collection becomes its requests: folders in the names, variables filled, credentials taken out.
import { describe, expect, it } from 'vitest'
import { discoverCollection } from './collection.ts'
import { corpus, corpusJson } from './corpora.fixture.ts'
import { buildRequest } from './request.ts'

const collection = (item: unknown, more: object = {}) => ({ info: { name: 'x' }, item, ...more })
const discover = (item: unknown, more: object = {}) => discoverCollection(collection(item, more), 100)
const request = (more: object) => ({ name: 'r', request: { method: 'GET', url: 'https://a.example/x', ...more } })

describe('refuses', () => {
  it.each([
    ['text that is not JSON', '{"item":[', /cut off/],
    ['something else', { a: 1 }, /not a collection/],
    ['format v1', { requests: [], order: [] }, /export it as v2.1/],
    ['a spec', { openapi: '3.0.0', paths: {} }, /register it as openapi_url/],
    ['a collection without requests', collection([{ name: 'empty', item: [] }]), /no request/],
    ['another scheme', collection([request({ url: 'file:///etc/passwd' })]), /not an http or https URL/],
  ])('%s', (_, source, message) => {
    expect(() => discoverCollection(source, 100)).toThrow(message)
  })

  it('more requests than may become tools', () => {
    expect(() => discoverCollection(collection([request({}), request({})]), 1)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    )
  })
})

describe('names and addresses', () => {
  it('puts folders before the name', () => {
    const { tools, skipped } = discover([
      { name: 'Users', item: [{ ...request({}), name: 'Get one' }, { name: 'note' }] },
    ])
    expect(tools.map(({ name, sourceName }) => [name, sourceName])).toEqual([['users_get_one', 'Users/Get one']])
    expect(skipped).toEqual([{ operation: 'Users/note', reason: 'has no request' }])
  })

  it('fills variables, and makes arguments of those it cannot fill', () => {
    const url = {
      raw: '{{base}}/u/{{id}}/:part/{{ver}}?q={{q}}&n=1',
      query: [
        { key: 'q', value: '{{q}}' },
        { key: 'n', value: '1' },
        { key: 'off', value: '1', disabled: true },
      ],
      variable: [{ key: 'part', value: 'p' }],
    }
    const { tools, baseUrl } = discover([request({ url })], {
      variable: [
        { key: 'base', value: 'https://{{host}}' },
        { key: 'host', value: 'a.example' },
        { key: 'ver', value: 'v2' },
      ],
    })
    expect(baseUrl).toBe('https://a.example')
    expect(tools[0]?.endpoint).toBe('/u/{id}/{part}/v2')
    expect(tools[0]?.inputSchema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        part: { type: 'string', default: 'p' },
        q: { type: 'string' },
        n: { type: 'string', default: '1' },
      },
      required: ['id'],
    })
  })

  it('keeps a request of another server there, and an open host nowhere', () => {
    const { tools, baseUrl } = discover([
      request({}),
      request({ url: 'https://b.example/y' }),
      request({ url: '{{host}}/z' }),
    ])
    expect([baseUrl, ...tools.map((tool) => tool.baseUrl)]).toEqual([
      'https://a.example',
      undefined,
      'https://b.example',
      undefined,
    ])
    expect(tools[2]?.path).toEqual(['/z'])
  })
})

describe('what was written in an editor', () => {
  const only = (given: object) => discover([request(given)]).tools[0]

  it('is not escaped twice where it is escaped already', () => {
    const query = [
      { key: 'a%5Bb%5D', value: 'x%26y' },
      { key: 'n', value: '100%' },
    ]
    const variable = [{ key: 'id', value: 'p%2Fq' }]
    const url = {
      raw: 'https://a.example/:id?a%5Bb%5D=x%26y&n=100%',
      host: ['a', 'example'],
      path: [':id'],
      query,
      variable,
    }
    expect(only({ url })?.inputSchema.properties).toEqual({
      id: { type: 'string', default: 'p/q' },
      'a[b]': { type: 'string', default: 'x&y' },
      n: { type: 'string', default: '100%' },
    })
  })

  it('is one list where two headers have one name', () => {
    const header = [
      { key: 'Accept', value: 'text/plain' },
      { key: 'accept', value: 'text/html' },
    ]
    expect(only({ header })?.staticHeaders).toEqual({ Accept: 'text/plain, text/html' })
  })
})

describe('what a collection says beside its requests (security case SS-15)', () => {
  const pieces = { protocol: 'https', host: ['a', 'example'], path: ['x'] }

  it('is left out where the pieces of an address name another host, and reported where they name another path', () => {
    const { tools, skipped, warnings } = discover(
      [
        request({ url: { raw: 'https://a.example/x?a=1', ...pieces } }),
        request({ url: { raw: 'https://A.example:443/x/', ...pieces, protocol: 'https:' } }),
        request({ url: { raw: 'https://evil.example/x', ...pieces } }),
        request({ url: { raw: '{{base}}/x', host: ['{{base}}'], path: ['x'] } }),
      ],
      { variable: [{ key: 'base', value: 'https://a.example' }] },
    )
    expect(tools).toHaveLength(3)
    expect(skipped).toEqual([{ operation: 'r', reason: expect.stringContaining('different hosts') }])
    expect(warnings).toEqual(['The request r is left out: its address and the pieces of it name different hosts.'])
    const other = discover([request({ url: { raw: 'https://a.example/y', ...pieces } })])
    expect(other.tools[0]?.path).toEqual(['/y'])
    expect(other.warnings.join()).toContain('another path')
  })

  it.each([
    ['of the collection', [request({})], { exec: ['process.exit(1)'] }],
    ['of a folder', [{ name: 'f', item: [request({})], event: [{ script: { exec: ['x'] } }] }], undefined],
    ['of a request', [{ ...request({}), event: [{ listen: 'test', script: { exec: 'x' } }] }], undefined],
  ])('scripts %s are not run, which is reported', (_where, items, script) => {
    const { tools, warnings } = discover(items, script ? { event: [{ listen: 'prerequest', script }] } : {})
    expect(tools).toHaveLength(1)
    expect(warnings).toEqual(['Scripts of the collection are not run.'])
    expect(JSON.stringify(tools)).not.toContain('exec')
  })

  it('an event without a script is nothing to tell', () => {
    expect(discover([request({})], { event: [{ listen: 'test', script: { exec: [] } }] }).warnings).toEqual([])
  })
})

describe('headers and credentials', () => {
  it('sends plain headers, asks for open ones and keeps no credential on the tool', () => {
    const header = [
      { key: 'Accept', value: 'text/plain' },
      { key: 'X-Org', value: '{{org}}' },
      { key: 'Off', value: 'x', disabled: true },
      { key: 'Authorization', value: 'Bearer {{t}}' },
      { key: 'Host', value: 'evil' },
    ]
    const { tools, credential, warnings } = discover([request({ header })])
    expect(tools[0]).toMatchObject({ staticHeaders: { Accept: 'text/plain' }, places: { 'X-Org': { in: 'header' } } })
    expect(Object.keys(tools[0]?.places ?? {})).toEqual(['X-Org'])
    expect(credential).toBeUndefined()
    expect(warnings.join()).toMatch(/variables without a value/)
  })

  it('inherits authentication from folder and collection', () => {
    const basic = {
      type: 'basic',
      basic: [
        { key: 'username', value: 'u' },
        { key: 'password', value: 'p' },
      ],
    }
    expect(discover([{ name: 'f', item: [request({})], auth: basic }]).credential).toEqual({
      type: 'basic',
      username: 'u',
      password: 'p',
    })
    expect(discover([request({ auth: { type: 'noauth' } })], { auth: basic }).credential).toBeUndefined()
    const apikey = {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-K' },
        { key: 'value', value: '{{k}}' },
      ],
    }
    // The one most requests use, not the one that comes first.
    const items = [request({ auth: basic }), request({}), request({})]
    const bearer = { type: 'bearer', bearer: [{ key: 'token', value: 't' }] }
    expect(discover(items, { auth: bearer }).credential).toEqual({ type: 'bearer', token: 't' })
    const variable = [{ key: 'k', value: 'secret' }]
    expect(discover([request({})], { auth: apikey, variable }).credential).toEqual({
      type: 'header',
      headerName: 'X-K',
      value: 'secret',
    })
  })
})

describe('bodies', () => {
  const bodyOf = (body: unknown, header: unknown = []) => discover([request({ method: 'POST', body, header })]).tools[0]

  it.each([
    [
      'JSON',
      { mode: 'raw', raw: '{"a":1,"b":{{b}}}' },
      'json',
      { a: { type: 'integer', default: 1 }, b: { type: 'string' } },
    ],
    [
      'JSON with comments, which are never sent',
      { mode: 'raw', raw: '{\n "a": "//1", // one\n /* two */ "b": {{b}}\n}' },
      'json',
      { a: { type: 'string', default: '//1' }, b: { type: 'string' } },
    ],
    ['text', { mode: 'raw', raw: 'hello' }, 'raw', { body: { type: 'string', default: 'hello' } }],
    [
      'a form',
      {
        mode: 'urlencoded',
        urlencoded: [
          { key: 'a', value: '1' },
          { key: 'b', value: '2', disabled: true },
        ],
      },
      'form',
      { a: { type: 'string', default: '1' } },
    ],
    [
      'parts',
      { mode: 'formdata', formdata: [{ key: 'a', value: '1', type: 'text' }] },
      'multipart',
      { a: { type: 'string', default: '1' } },
    ],
    [
      'GraphQL',
      { mode: 'graphql', graphql: { query: '{ a }', variables: '{"v":1}' } },
      'json',
      {
        query: { type: 'string', default: '{ a }' },
        variables: { type: 'object', properties: { v: { type: 'integer' } }, default: { v: 1 } },
      },
    ],
  ])('%s', (_, body, encoding, properties) => {
    const tool = bodyOf(body)
    expect(tool?.body?.encoding).toBe(encoding)
    expect(tool?.inputSchema.properties).toEqual(properties)
  })

  it('makes a file an argument without a sample', () => {
    const tool = bodyOf({ mode: 'formdata', formdata: [{ key: 'f', type: 'file', src: '/etc/passwd' }] })
    expect(tool?.places).toEqual({ f: { in: 'body', name: 'f', binary: true } })
    expect(JSON.stringify(tool)).not.toContain('passwd')
  })

  it('leaves out an empty or a disabled body', () => {
    expect(bodyOf({ mode: 'raw', raw: ' ' })?.body).toBeUndefined()
    expect(bodyOf({ mode: 'raw', raw: 'x', disabled: true })?.body).toBeUndefined()
    expect(bodyOf({ mode: 'formdata', formdata: [] })?.body).toBeUndefined()
  })
})

type Item = {
  folders: string[]
  name: string
  flatName: string
  method: string
  url: string
  unresolvedVars?: string[]
  query?: { key: string; value: string; disabled?: boolean }[]
  pathVariables?: { key: string }[]
  bodyMode?: string
  body?: unknown
}
type Expected = Record<string, { requests: number; itemsWithoutRequest: number; items: Item[] }>

describe('real collections', () => {
  // The documented shape of the expectation file.
  const expected = corpusJson('expected-shared/postman.json') as Expected

  it.each(Object.keys(expected))('%s', (file) => {
    const { tools, skipped } = discoverCollection(corpus(`postman/${file}`), 1000)
    const items = expected[file]?.items ?? []
    expect(tools.length + skipped.length).toBeGreaterThanOrEqual(items.length)
    const usable = items.filter(
      (item) => !skipped.some((skip) => skip.operation === [...item.folders, item.name].join('/')),
    )
    expect(tools).toHaveLength(usable.length)
    usable.forEach((item, index) => {
      const tool = tools[index]
      expect(tool?.name.replace(/_\d+$/, ''), item.name).toBe(item.flatName.slice(0, 128).replace(/_\d+$/, ''))
      expect(tool?.method).toBe(item.method.trim() === '' ? 'GET' : item.method)
      const inQuery = Object.values(tool?.places ?? {})
        .filter((place) => place.in === 'query')
        .map((place) => place.name)
      expect(inQuery.sort(), item.url).toEqual(
        [...new Set((item.query ?? []).filter(({ disabled }) => disabled !== true).map(({ key }) => key))].sort(),
      )
      for (const { key } of item.pathVariables ?? []) expect(tool?.places, item.url).toHaveProperty([key])
      const open = (item.unresolvedVars ?? []).length > 0 || (item.pathVariables ?? []).length > 0
      if (tool !== undefined && !open && /^https?:/.test(item.url)) {
        const built = buildRequest(tool, {})
        expect(built.ok && built.request.path).toBe(new URL(item.url).pathname)
      }
    })
  })

  const OPEN = /\{\{/
  type Field = { key: string; value?: string; type?: string; disabled?: boolean }
  const fieldsOf = (item: Item) => (item.body as Field[]).filter(({ disabled, key }) => disabled !== true && key !== '')

  it('send, with nothing given, the bodies their editors hold', () => {
    const compared: Record<string, number> = {}
    for (const file of Object.keys(expected)) {
      const { tools } = discoverCollection(corpus(`postman/${file}`), 1000)
      const sources = new Map(
        (expected[file]?.items ?? []).map((item) => [[...item.folders, item.name].join('/'), item]),
      )
      const twins = Map.groupBy(tools, ({ sourceName }) => sourceName)
      for (const [source, [tool, twin]] of twins) {
        const item = sources.get(source)
        // Switched off in its collection, which the expectation does not tell.
        if (item?.name === 'body disabled') continue
        const filled = item?.bodyMode !== undefined && !OPEN.test(JSON.stringify(item.body) + item.url)
        if (tool === undefined || twin || !filled || (item.pathVariables ?? []).length > 0) continue
        // As a call with nothing given is filled in before it is sent.
        const { properties = {} } = tool.inputSchema as { properties?: Record<string, { default?: unknown }> }
        const samples = Object.entries(properties).flatMap(([name, schema]) =>
          'default' in schema ? [[name, schema.default] as const] : [],
        )
        const built = buildRequest(tool, Object.fromEntries(samples))
        if (!built.ok) throw new Error(`${file} ${source}: ${built.problem.path} ${built.problem.message}`)
        const { body } = built.request
        const text = body && 'content' in body ? String(body.content) : undefined
        const where = `${file} ${source}`
        compared[item.bodyMode ?? ''] = (compared[item.bodyMode ?? ''] ?? 0) + 1
        switch (item.bodyMode) {
          case 'raw':
            expect(text ?? '', where).toBe(String(item.body).trim() === '' ? '' : item.body)
            break
          case 'urlencoded':
            expect([...new URLSearchParams(text)], where).toEqual(
              fieldsOf(item).map(({ key, value = '' }) => [key, value]),
            )
            break
          case 'formdata': {
            const parts = body && 'parts' in body ? body.parts : []
            const texts = fieldsOf(item).filter(({ type }) => type !== 'file')
            expect(
              parts.map(({ name, content }) => [name, String(content)]),
              where,
            ).toEqual(texts.map(({ key, value = '' }) => [key, value]))
            break
          }
          case 'graphql': {
            const { query, variables } = item.body as { query: string; variables?: string }
            expect(JSON.parse(text ?? '{}'), where).toMatchObject({
              query,
              variables: JSON.parse(variables?.trim() === '' ? '{}' : (variables ?? '{}')),
            })
            break
          }
          default:
            // A file is given by the caller.
            expect(text, where).toBeUndefined()
        }
      }
    }
    expect(Object.keys(compared).sort()).toEqual(['file', 'formdata', 'graphql', 'raw', 'urlencoded'])
  })
})
