// Hand-written tools: every mistake is named with its path; what is right goes where its author says.
import { describe, expect, it } from 'vitest'
import { discoverManual } from './manual.ts'
import { buildRequest } from './request.ts'

const definition = { name: 'get_user', method: 'get', endpoint: '/users/:id', description: 'One user' }
const tools = (more: object) => [{ ...definition, ...more }]
const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

describe('refuses', () => {
  it.each([
    ['name', { name: 'a b' }],
    ['name', { name: 'search_tools' }],
    ['method', { method: 'GET\r\n' }],
    ['method', { method: 'TRACE' }],
    ['endpoint', { endpoint: 'users' }],
    ['endpoint', { endpoint: '/a/../b' }],
    ['endpoint', { endpoint: '/a/%2e%2E/b' }],
    ['endpoint', { endpoint: '/a/..%2fb' }],
    ['endpoint', { endpoint: '/a\\b' }],
    ['endpoint', { endpoint: '/a#b' }],
    ['description', { description: '' }],
    ['inputSchema.type', { inputSchema: { type: 'array' } }],
    ['inputSchema', { inputSchema: schema({ a: { description: 'x'.repeat(70_000) } }) }],
    ['inputSchema', { inputSchema: schema({ a: { $ref: 'http://a.example/s.json' } }) }],
    ['paramLocations.x', { inputSchema: schema({}), paramLocations: { x: 'query' } }],
    ['paramLocations.Host', { inputSchema: schema({ Host: {} }), paramLocations: { Host: 'header' } }],
  ])('%s: %j (security cases HI-08, SS-10)', (path, more) => {
    expect(() => discoverManual(tools(more), 10)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        extras: { fields: expect.arrayContaining([{ path: `tools.0.${path}`, message: expect.any(String) }]) },
      }),
    )
  })

  it('the same name twice and more tools than allowed', () => {
    expect(() => discoverManual([definition, definition], 10)).toThrow(/tools.1.name: "get_user" is used twice/)
    expect(() => discoverManual([definition, { ...definition, name: 'b' }], 1)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    )
  })
})

describe('places', () => {
  it('are the path, then the declared place, then query or body by method', () => {
    const properties = { id: { type: 'integer' }, h: {}, c: {}, rest: {} }
    const [tool] = discoverManual(
      tools({ method: 'POST', inputSchema: schema(properties), paramLocations: { h: 'header', c: 'cookie' } }),
      10,
    ).tools
    expect(tool?.places).toEqual({
      id: { in: 'path', name: 'id', style: 'simple', explode: false },
      h: { in: 'header', name: 'h' },
      c: { in: 'cookie', name: 'c' },
      rest: { in: 'body', name: 'rest' },
    })
    expect(tool?.inputSchema.required).toEqual(['id'])
    const [get] = discoverManual(tools({ inputSchema: schema({ rest: {} }) }), 10).tools
    expect(get?.places.rest).toEqual({ in: 'query', name: 'rest' })
    expect(get?.inputSchema.properties).toEqual({ rest: {}, id: { type: 'string' } })
  })

  it('include undeclared arguments only where the schema allows them', () => {
    const [open] = discoverManual(
      tools({ method: 'PUT', bodyEncoding: 'form', inputSchema: schema({}, { additionalProperties: true }) }),
      10,
    ).tools
    const [closed] = discoverManual(tools({ method: 'PUT', inputSchema: schema({}) }), 10).tools
    if (open === undefined || closed === undefined) throw new Error('no tool')
    expect(buildRequest(open, { id: 1, x: 'a b' })).toMatchObject({
      request: { path: '/users/1', body: { content: 'x=a%20b' } },
    })
    expect(buildRequest(closed, { id: 1, x: 'a b' })).toMatchObject({ ok: true, request: { query: [] } })
  })
})
