import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyAddress, isLocalAddress, isLoopback, mayDial } from './address.ts'

describe('addresses that are not the public internet', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.0.9',
    '169.254.1.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.255',
    '203.0.113.7',
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001:0:53aa:64c:0:fffe:80ff:fffe',
    'fe80::1',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2001:db8::1',
    '3fff::1',
    '::5efe:a00:1',
  ])('%s is refused', (address) => {
    expect(classifyAddress(address)).not.toBe('public')
    expect(mayDial(address, 443, { allowPrivate: false })).toBe(false)
  })

  it.each([
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
  ])('the metadata address %s stays refused when private addresses are permitted', (address) =>
    expect(mayDial(address, 443, { allowPrivate: true })).toBe(false),
  )

  it.each(['', 'localhost', 'fe80::1%eth0', '127.1', '0x7f.1', '1.2.3.4.5', ':::1'])('%j is no address', (text) => {
    expect(classifyAddress(text)).toBeUndefined()
    expect(mayDial(text, 443, { allowPrivate: true })).toBe(false)
  })

  it('a private IPv4 address stays private in every IPv6 form', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const privates = fc.oneof(
      fc.tuple(fc.constant(10), octet, octet, octet),
      fc.tuple(fc.constant(127), octet, octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    )
    fc.assert(
      fc.property(privates, ([a, b, c, d]) => {
        const high = (a * 256 + b).toString(16)
        const low = (c * 256 + d).toString(16)
        for (const text of [
          `${a}.${b}.${c}.${d}`,
          `::ffff:${a}.${b}.${c}.${d}`,
          `::${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `2002:${high}:${low}::1`,
        ])
          expect(mayDial(text, 443, { allowPrivate: false })).toBe(false)
      }),
    )
  })
})

describe('public addresses', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::200e',
    '::ffff:8.8.8.8',
  ])('%s is permitted', (address) => expect(mayDial(address, 443, { allowPrivate: false })).toBe(true))
})

describe('loopback', () => {
  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('%s is loopback', (address) =>
    expect(isLoopback(address)).toBe(true),
  )
  it.each(['10.0.0.1', '::', '::2', '8.8.8.8', 'localhost'])('%s is not', (address) =>
    expect(isLoopback(address)).toBe(false),
  )
})

describe('an allowed local service', () => {
  const local = { address: '127.0.0.1', port: 8080 }
  const reach = { allowPrivate: false, local }

  it('opens exactly its address and port', () => {
    expect(mayDial('127.0.0.1', 8080, reach)).toBe(true)
    for (const port of [8081, 80, 443]) expect(mayDial('127.0.0.1', port, reach)).toBe(false)
    const others = ['127.0.0.2', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '10.0.0.1', '0.0.0.0']
    for (const address of others) expect([address, mayDial(address, 8080, reach)]).toEqual([address, false])
  })

  it('is never the own listener', () => {
    expect(mayDial('127.0.0.1', 8080, { ...reach, isListener: () => true })).toBe(false)
  })

  it.each(['169.254.169.254', '169.254.1.1', 'fe80::1', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16'])(
    'is never %s, even where it is stored',
    (address) => {
      expect(isLocalAddress(address)).toBe(false)
      expect(mayDial(address, 80, { allowPrivate: false, local: { address, port: 80 } })).toBe(false)
    },
  )

  it.each(['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.10', '100.64.0.1', '::1', 'fd12:3456::1'])(
    'can be %s',
    (address) => expect(isLocalAddress(address)).toBe(true),
  )

  it.each([
    '8.8.8.8',
    '2606:4700::1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '::',
    '0:0:0:0:0:0:0:1',
    'FD12::1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '::1%lo',
    '127.1',
    'localhost',
    '',
  ])('cannot be %j', (address) => expect(isLocalAddress(address)).toBe(false))
})
