// The payload of a filled form, and what prevents sending it.
import { describe, expect, it } from 'vitest'
import { emptyDraft, nameFromTitle, payloadOf, SOURCES, type SourceRow, suggestedName } from './sources.ts'

const source = (key: string): SourceRow => {
  const found = SOURCES.find((row) => row.key === key)
  if (!found) throw new Error(key)
  return found
}

describe('the sources of a backend', () => {
  it.each(SOURCES)('$key wants its first field', (row) => {
    expect(payloadOf(row, emptyDraft(row))).toHaveProperty('problems')
  })

  it('names a field with invalid JSON', () => {
    expect(payloadOf(source('manual'), { base_url: 'https://a.example', tools: '[{' })).toEqual({
      problems: { tools: 'is not JSON' },
    })
  })

  it('sends lists as lists, and omits empty fields', () => {
    const draft = { ...emptyDraft(source('openapi')), openapi_url: ' https://a.example/o.json ', include_tags: 'a, b,' }
    expect(payloadOf(source('openapi'), draft)).toEqual({
      payload: { openapi_url: 'https://a.example/o.json', include_tags: ['a', 'b'] },
    })
  })

  it('sends the kind and the switches', () => {
    const draft = {
      ...emptyDraft(source('graphql')),
      graphql_url: 'https://a.example/graphql',
      include_mutations: false,
    }
    expect(payloadOf(source('graphql'), draft)).toEqual({
      payload: { kind: 'graphql', graphql_url: 'https://a.example/graphql', include_mutations: false },
    })
  })

  it('leaves a switch off that asks for something special, and sends it only where it is on', () => {
    const mcp = { ...emptyDraft(source('mcp')), mcp_url: 'https://a.example/mcp' }
    const payload = { kind: 'mcp', mcp_url: 'https://a.example/mcp', mcp_transport: 'streamable-http', mcp_era: 'auto' }
    expect(payloadOf(source('mcp'), mcp)).toEqual({ payload })
    expect(payloadOf(source('mcp'), { ...mcp, mcp_sign_in: true })).toEqual({
      payload: { ...payload, mcp_sign_in: true },
    })
  })

  it.each([
    [{ openapi_url: 'https://api.petstore.example/v3/openapi.json' }, 'petstore'],
    [{ curl_input: "curl 'https://www.My_Shop.example/x'" }, 'my-shop'],
    [{ mcp_url: 'not an address' }, ''],
    [{ openapi_url: 'http://127.0.0.1:8080/openapi.json' }, ''],
    [{ mcp_url: 'http://[::1]:8080/mcp' }, ''],
    [{ mcp_url: 'https://3scale.net/mcp' }, '3scale'],
  ])('suggests a name for %j', (draft, name) => {
    expect(suggestedName(draft)).toBe(name)
  })
})

describe('the name from the title of a document', () => {
  it.each([
    ['Swagger Petstore - OpenAPI 3.0', 'petstore'],
    ['The Billing API v2', 'billing'],
    ['API', 'api'],
    ['Größe & Gewicht', 'gr-e-gewicht'],
    [undefined, ''],
  ])('%s: %s', (title, name) => {
    expect(nameFromTitle(title)).toBe(name)
  })
})
