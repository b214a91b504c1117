// A key's access: as text, as a payload, and its endpoint.
import { describe, expect, it } from 'vitest'
import { pathOf, reachInWords, scopesOf, stateOf } from './reach.ts'

describe('the access of a key', () => {
  it.each([
    [{}, 'Nothing', null],
    [{ clients: [] }, 'Nothing', null],
    [null, 'Everything', null],
    [{ bundles: ['dev'] }, 'Bundle dev', '/mcp-custom/dev'],
    [{ clients: ['a'] }, 'Backend a', '/mcp/a'],
    [{ clients: ['a', 'b'], tools: ['a__x'] }, '2 backends, Tool a__x', null],
    [{ bundles: ['dev', 'ops'] }, '2 bundles', null],
  ])('%j is shown as “%s”', (scopes, words, path) => {
    expect(reachInWords({ scopes })).toBe(words)
    expect(pathOf({ scopes })).toBe(path)
  })

  it('is sent in the gateway’s form', () => {
    expect(scopesOf({ kind: 'all' })).toBeNull()
    expect(scopesOf({ kind: 'bundle', name: 'dev' })).toEqual({ bundles: ['dev'] })
    expect(scopesOf({ kind: 'clients', names: ['a'] })).toEqual({ clients: ['a'] })
  })
})

describe('the state of a key', () => {
  const key = { revokedAt: null, expiresAt: null, enabled: true }
  it('is its first end', () => {
    expect(stateOf({ ...key, revokedAt: '2026-01-01T00:00:00.000Z', enabled: false }, 0)).toBe('revoked')
    expect(stateOf({ ...key, expiresAt: '2026-01-01T00:00:00.000Z' }, Date.parse('2026-01-01T00:00:00.000Z'))).toBe(
      'expired',
    )
    expect(stateOf({ ...key, enabled: false }, 0)).toBe('off')
    expect(stateOf(key, 0)).toBe('active')
  })
})
