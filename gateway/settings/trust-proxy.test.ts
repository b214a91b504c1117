// Which peers may set X-Forwarded-For: the function alone, and through Fastify over real connections.
import fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { type TrustProxy, trustFunction, trustProxy, trustsTooWidely } from './trust-proxy.ts'

const parse = (text: string) => trustProxy('').parse(text)

function parsed(text: string): TrustProxy {
  const result = parse(text)
  if (!('value' in result)) throw new Error(`${text} ${result.wrong}`)
  return result.value
}

describe('parsing', () => {
  it.each(['true', 'TRUE', 'True'])('never takes %s [gw.setting.trust_proxy]', (text) => {
    expect(parse(text)).toMatchObject({ refuse: 'outside development' })
  })

  it.each([
    'yes',
    '-1',
    '33',
    '1.5',
    '10.0.0.0/33',
    '10.0.0.256',
    '::1/129',
    'fe80::1%eth0/64',
    'loopback,everyone',
    'constructor',
  ])('refuses %s', (text) => expect(parse(text)).toHaveProperty('wrong'))

  it('takes hop counts, presets and ranges of both families [gw.setting.trust_proxy]', () => {
    expect(parsed('false')).toBe(false)
    expect(parsed('0')).toBe(false)
    expect(parsed('2')).toBe(2)
    expect(parsed('loopback, 10.1.2.3,fd00::/8')).toEqual(['127.0.0.0/8', '::1/128', '10.1.2.3', 'fd00::/8'])
  })
})

describe('trust', () => {
  it.each<[setting: string, address: string | undefined, hop: number, trusted: boolean]>([
    ['false', '127.0.0.1', 0, false],
    ['1', '203.0.113.9', 0, false],
    ['1', undefined, 0, false],
    ['1', 'not an address', 0, false],
    ['1', '10.0.0.5', 0, true],
    ['1', '::ffff:192.168.1.1', 0, true],
    ['1', 'fe80::1%eth0', 0, true],
    ['1', '10.0.0.5', 1, false],
    ['2', '203.0.113.9', 0, false],
    ['2', '203.0.113.9', 1, true],
    ['2', '203.0.113.9', 2, false],
    ['loopback', '::1', 0, true],
    ['loopback', '127.9.9.9', 0, true],
    ['loopback', '10.0.0.5', 0, false],
    ['uniquelocal', 'fd12::1', 0, true],
    ['uniquelocal', '172.32.0.1', 0, false],
    ['linklocal', '169.254.3.4', 0, true],
    ['203.0.113.0/24', '203.0.113.77', 3, true],
    ['203.0.113.0/24', '203.0.114.1', 0, false],
    ['2001:db8::/32', '2001:db8:1::1', 0, true],
    ['2001:db8::/32', '2001:db9::1', 0, false],
  ])('%s: %s at hop %i → %s', (setting, address, hop, trusted) => {
    expect(trustFunction(parsed(setting))(address, hop)).toBe(trusted)
  })

  it('detects a range that covers much of the internet', () => {
    for (const wide of ['0.0.0.0/0', '::/0', '128.0.0.0/1', '10.0.0.0/8,0.0.0.0/2'])
      expect(trustsTooWidely(parsed(wide))).toBe(true)
    for (const narrow of ['false', '2', 'uniquelocal', '10.0.0.0/8', '2001:db8::/32'])
      expect(trustsTooWidely(parsed(narrow))).toBe(false)
  })
})

describe('through Fastify', () => {
  const opened: ReturnType<typeof fastify>[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((app) => app.close()))
  })

  /** The peer is always 127.0.0.1; `forwarded` is the received header. */
  async function seen(setting: string, forwarded: string): Promise<{ ip: string; protocol: string }> {
    const app = fastify({ trustProxy: trustFunction(parsed(setting)) })
    opened.push(app)
    app.get('/', (request) => ({ ip: request.ip, protocol: request.protocol }))
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const headers = { 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' }
    return (await (await fetch(url, { headers })).json()) as { ip: string; protocol: string }
  }

  it('ignores the header of an untrusted peer', async () => {
    for (const setting of ['false', '203.0.113.0/24', 'linklocal'])
      expect(await seen(setting, '198.51.100.1')).toEqual({ ip: '127.0.0.1', protocol: 'http' })
  })

  it('uses the address from the nearest proxy, not the client’s prefix', async () => {
    expect(await seen('1', '6.6.6.6, 198.51.100.1')).toEqual({ ip: '198.51.100.1', protocol: 'https' })
    expect(await seen('loopback', '6.6.6.6, 198.51.100.1')).toEqual({ ip: '198.51.100.1', protocol: 'https' })
  })

  it('counts two hops, the outer one on a public address', async () => {
    expect((await seen('2', '6.6.6.6, 198.51.100.1, 203.0.113.9')).ip).toBe('198.51.100.1')
  })
})
