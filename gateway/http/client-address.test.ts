import type { IncomingMessage } from 'node:http'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { type TrustProxy, trustFunction } from '../settings/trust-proxy.ts'
import { addressKey, clientAddress, requestScheme } from './client-address.ts'
import { openFront } from './http.fixture.ts'

/** A double of a request that came from an address no test machine has. */
const from = (remoteAddress: string, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage // only what the functions read

const FORGED = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9', 'x-forwarded-proto': 'https' }
const ip = (peer: string, trust: TrustProxy) => clientAddress(from(peer, FORGED), trustFunction(trust))
const scheme = (peer: string, trust: TrustProxy) => requestScheme(from(peer, FORGED), trustFunction(trust))

describe('forwarded headers', () => {
  it('are not believed from an untrusted peer', () => {
    for (const trust of [false, ['10.0.0.0/8'], 1, 2] as const) {
      expect(ip('192.0.2.1', trust)).toBe('192.0.2.1')
      expect(scheme('192.0.2.1', trust)).toBe('http')
    }
    expect(clientAddress(from('192.0.2.1', FORGED), undefined)).toBe('192.0.2.1')
  })

  it('are believed from a trusted peer, up to the first address it does not vouch past', () => {
    expect(ip('10.1.2.3', ['10.0.0.0/8'])).toBe('203.0.113.9')
    expect(ip('::ffff:10.1.2.3', ['10.0.0.0/8'])).toBe('203.0.113.9')
    expect(ip('10.1.2.3', ['10.0.0.0/8', '203.0.113.0/24'])).toBe('198.51.100.7')
    expect(ip('127.0.0.1', 1)).toBe('203.0.113.9')
    expect(ip('127.0.0.1', 2)).toBe('198.51.100.7')
    expect(scheme('10.1.2.3', ['10.0.0.0/8'])).toBe('https')
    expect(scheme('127.0.0.1', 1)).toBe('https')
  })

  it('that are no addresses end the walk at the last one known', () => {
    const garbled = (value: string) => clientAddress(from('10.0.0.1', { 'x-forwarded-for': value }), () => true)
    expect(garbled('unknown')).toBe('10.0.0.1')
    expect(garbled('evil", 203.0.113.9')).toBe('203.0.113.9')
    expect(garbled('')).toBe('10.0.0.1')
  })

  it('take the word of the proxy itself for the scheme, not of who came before', () => {
    const printed = (value: string) => requestScheme(from('10.0.0.1', { 'x-forwarded-proto': value }), () => true)
    expect(printed('https, http')).toBe('http')
    expect(printed('javascript')).toBe('http')
    expect(printed('http, HTTPS')).toBe('https')
  })
})

describe('address keys (security case RL-02)', () => {
  it.each([
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:9:8:7:6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::ffff:7f00:1', '127.0.0.1'],
    ['198.51.100.7', '198.51.100.7'],
  ])('%s is counted under %s', (address, key) => expect(addressKey(address)).toBe(key))
})

describe('a direct client of a running gateway (security cases OH-11, RL-03)', () => {
  const MATRIX: readonly (readonly [name: string, trust: TrustProxy, believed: boolean])[] = [
    ['unset', false, false],
    ['a foreign range', ['10.0.0.0/8'], false],
    ['the loopback range', ['127.0.0.0/8'], true],
    ['one hop', 1, true],
    ['two hops', 2, true],
  ]
  it.each(MATRIX)(
    'TRUST_PROXY %s: address, scheme and host [gw.llms.4-forwarded gw.llms.4-origin]',
    async (_name, trust, believed) => {
      const front = await openFront({}, { trust: trustFunction(trust) }, ({ app }) => {
        app.get('/who', (seen) => ({ ip: seen.context.ip }))
      })
      const headers = {
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'evil.test',
        forwarded: 'for=203.0.113.8;proto=https;host=evil.test',
      }
      const who = (await (await request(`${front.url}/who`, { headers })).body.json()) as { ip: string }
      expect(who.ip).toBe(believed ? '203.0.113.9' : '127.0.0.1')
      const guide = await (await request(`${front.url}/llms.txt`, { headers })).body.text()
      expect(guide).toContain(`Base URL: ${believed ? 'https' : 'http'}://127.0.0.1:${front.port}\n`)
      expect(guide).not.toContain('evil.test')
      await front.stop()
    },
  )
})
