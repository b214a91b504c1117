// A secret in an address does not stand in a document, and comes back from the environment.
import { describe, expect, it } from 'vitest'
import { referencesIn, withReferences, withValues } from './secret-query.ts'

const masked = (url: string, client = 'my-shop'): string =>
  withReferences(client, { name: client, openapi_url: url }).openapi_url ?? ''

describe('a value in a query', () => {
  it.each([
    'api_key',
    'apikey',
    'apiKey',
    'X-API-Key',
    'key',
    'token',
    'access_token',
    'accessToken',
    'client_secret',
    'password',
    'sig',
    'code',
    'api%5Fkey',
  ])('of %s is a reference', (param) => {
    const url = masked(`https://api.example.com/v1/openapi.json?v=2&${param}=s3cr%2Bet&x=1#top`)
    expect(url).toMatch(
      /^https:\/\/api\.example\.com\/v1\/openapi\.json\?v=2&[^=]+=\$GANTRY_SECRET_MY__SHOP_OPENAPI_URL_[A-Z0-9_]+&x=1#top$/,
    )
    expect(url).not.toContain('s3cr')
  })

  it.each(['keyboard', 'monkey', 'version', 'page_tokens_left', 'author', 'codec', 'q'])(
    'of %s stays as it is',
    (param) => {
      const url = `https://api.example.com/?${param}=plain`
      expect(masked(url)).toBe(url)
    },
  )

  it('has a variable of its own, in every field and for every backend', () => {
    const url = 'https://api.example.com/?api-key=1&api_key=2'
    const a = withReferences('a-b', { name: 'a-b', openapi_url: url, health_url: url })
    const b = withReferences('a_b', { name: 'a_b', openapi_url: url, health_url: url })
    const names = [...referencesIn(a), ...referencesIn(b)].map(({ name }) => name)
    expect(new Set(names).size).toBe(8)
    for (const name of names) expect(name).toMatch(/^GANTRY_SECRET_[A-Z0-9_]{1,100}$/)
  })

  it('is masked once, and is what it was when the environment holds it', () => {
    const registration = { name: 'shop', base_url: 'https://api.example.com/v1?token=a%26b%3Dc&page=1' }
    const once = withReferences('shop', registration)
    expect(withReferences('shop', once)).toEqual(once)
    expect(withValues('shop', once, () => 'a&b=c')).toEqual(registration)
    for (const nothing of [undefined, '']) expect(withValues('shop', once, () => nothing)).toEqual(once)
  })

  it('that the environment holds cannot add to the query', () => {
    const base_url = 'https://api.example.com/?token=$GANTRY_SECRET_SHOP_BASE_URL_TOKEN'
    expect(withValues('shop', { name: 'shop', base_url }, () => 'a&admin=true#').base_url).toBe(
      'https://api.example.com/?token=a%26admin%3Dtrue%23',
    )
  })

  it('is not that of another backend, for every name in a document', () => {
    for (const name of ['GANTRY_SECRET_BANK_TOKEN', 'GANTRY_SECRET_BANK_BASE_URL_TOKEN']) {
      const registration = { name: 'shop', base_url: `https://evil.example.com/?token=$${name}` }
      expect(withValues('shop', registration, () => 'the secret of the bank')).toEqual(registration)
    }
  })
})
