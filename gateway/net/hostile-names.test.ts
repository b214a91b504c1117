// Addresses and names as attackers write them: every spelling of an internal address is refused without dialling, and a misbehaving name server costs only its timeout.
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { createServer } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listening } from './listening.fixture.ts'
import { createOutbound } from './outbound.ts'
import type { Resolve } from './pin.ts'

function door(resolve?: Resolve, allowPrivate = false) {
  const outbound = createOutbound({ allowPrivate, connections: 2, ...(resolve ? { resolve } : {}) })
  onTestFinished(() => outbound.close())
  return outbound
}

type Octets = readonly [number, number, number, number]
const whole = ([a, b, c, d]: Octets): number => a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
const groups = ([a, b, c, d]: Octets): string => `${hex(a * 256 + b, 4)}:${hex(c * 256 + d, 4)}`
const spread = (text: string, base: number): string =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(base + Number(digit)))

/** Every spelling of an IPv4 address that a URL parser, resolver or translator accepts. */
const SPELLINGS: Readonly<Record<string, (octets: Octets) => string>> = {
  dotted: (octets) => octets.join('.'),
  'with a dot behind it': (octets) => `${octets.join('.')}.`,
  decimal: (octets) => String(whole(octets)),
  hexadecimal: (octets) => `0x${whole(octets).toString(16)}`,
  HEXADECIMAL: (octets) => `0X${whole(octets).toString(16).toUpperCase()}`,
  octal: (octets) => `0${whole(octets).toString(8)}`,
  'octal by part': (octets) => octets.map((part) => `0${part.toString(8)}`).join('.'),
  'hexadecimal by part': (octets) => octets.map((part) => `0x${part.toString(16)}`).join('.'),
  'in two parts': ([a, b, c, d]) => `${a}.${b * 65_536 + c * 256 + d}`,
  'in three parts': ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  'in wide digits': (octets) => spread(octets.join('.'), 0xff10),
  'in bold digits': (octets) => spread(octets.join('.'), 0x1d7ce),
  'with ideographic dots': (octets) => octets.join('。'),
  'percent-encoded': (octets) => octets.join('%2e'),
  mapped: (octets) => `[::ffff:${octets.join('.')}]`,
  'mapped in groups': (octets) => `[0:0:0:0:0:FFFF:${groups(octets)}]`,
  compatible: (octets) => `[::${groups(octets)}]`,
  'through NAT64': (octets) => `[64:ff9b::${groups(octets)}]`,
  'through local NAT64': (octets) => `[64:ff9b:1::${groups(octets)}]`,
  'through 6to4': (octets) => `[2002:${groups(octets)}::1]`,
  'through Teredo': ([a, b, c, d]) => `[2001:0:4136:e378:8000:63bf:${groups([a ^ 255, b ^ 255, c ^ 255, d ^ 255])}]`,
  'through ISATAP': (octets) => `[2606:4700::5efe:${groups(octets)}]`,
}

const octet = fc.integer({ min: 0, max: 255 })
const under = (...first: readonly number[]): fc.Arbitrary<Octets> =>
  fc
    .tuple(octet, octet, octet, octet)
    .map((random) => random.map((value, at) => first[at] ?? value) as unknown as Octets)
const INSIDE = fc.oneof(
  under(0),
  under(10),
  under(127),
  under(169, 254),
  under(172, 16),
  under(172, 31),
  under(192, 168),
  under(100, 64),
  under(100, 127),
  under(192, 0, 2),
  under(198, 18),
  under(203, 0, 113),
  under(224),
  under(255),
  fc.constantFrom<Octets>([169, 254, 169, 254], [168, 63, 129, 16], [100, 100, 100, 200]),
)
const OUTSIDE = fc.oneof(under(8), under(93, 184), under(1, 1), under(142, 250))

describe('an address inside the network', () => {
  it.each(Object.entries(SPELLINGS))(
    '%s is refused, and no name server is asked (security case SS-02)',
    async (_how, spell) => {
      let asked = 0
      const outbound = door(async () => ((asked += 1), ['93.184.215.14']))
      await fc.assert(
        fc.asyncProperty(INSIDE, async (octets) => {
          const refusal = await outbound.pin(`http://${spell(octets)}:8080/x`, 'openapi_url').then(
            () => 'permitted',
            (error: { code: string }) => error.code,
          )
          expect(['SSRF_BLOCKED', 'INVALID_URL']).toContain(refusal)
        }),
        { numRuns: 200 },
      )
      expect(asked).toBe(0)
    },
  )

  it('is refused with the same text, for every target (security case SS-22)', async () => {
    const server = createServer()
    let connections = 0
    server.on('connection', () => (connections += 1))
    const { url } = await listening(server)
    const outbound = door()
    const report = (url: string) =>
      outbound.pin(url, 'health_url').catch((error: unknown) => JSON.stringify([String(error), error]))
    const open = await report(`${url}/`)
    await new Promise((resolve) => server.close(resolve))
    const texts = [open, await report(`${url}/`), await report('http://10.1.2.3/'), await report('http://[fd00::1]/')]
    expect(new Set(texts).size).toBe(1)
    expect(open).not.toMatch(/127\.0|:\d{4}/)
    expect(connections).toBe(0)
  })
})

it('permits a public address in any spelling, including mapped ones', async () => {
  const outbound = door(async () => [])
  const plain = Object.entries(SPELLINGS).filter(([how]) => !/through|compatible/.test(how))
  await fc.assert(
    fc.asyncProperty(OUTSIDE, fc.constantFrom(...plain), async (octets, [, spell]) => {
      expect((await outbound.pin(`http://${spell(octets)}/`)).addresses).toHaveLength(1)
    }),
  )
  expect((await outbound.pin('http://[2606:4700::1111]/')).addresses).toEqual(['2606:4700::1111'])
})

it('reports a failure at a permitted address without the address (security case RS-06)', async () => {
  const outbound = door(async () => ['127.0.0.1'], true)
  const silent = createServer()
  const { port } = await listening(silent)
  await new Promise((resolve) => silent.close(resolve))
  for (const url of [`http://name.test:${port}/`, `https://127.0.0.1:${port}/`])
    await expect(outbound.request({ url, deadlineMs: 5_000, maxBytes: 10 })).rejects.toMatchObject({
      message: expect.not.stringMatching(/127|name\.test|\d{4}/),
    })
})

/** A name server on loopback that answers as configured, or not at all. */
async function aNameServer(
  answer: (question: Buffer) => Buffer | undefined,
): Promise<{ resolve: Resolve; asked: () => number }> {
  const socket = createSocket('udp4')
  let asked = 0
  socket.on('message', (message, { address, port }) => {
    asked += 1
    const reply = answer(message)
    if (reply) socket.send(reply, port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void socket.close(() => resolve())))
  const resolver = new Resolver({ timeout: 60_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  onTestFinished(() => resolver.cancel())
  return { resolve: (name) => resolver.resolve4(name), asked: () => asked }
}

/** Returns the question with these flags and records. */
function reply(question: Buffer, code: number, records: readonly Buffer[] = []): Buffer {
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt16BE(0, 10)
  const end = question.indexOf(0, 12) + 5
  return Buffer.concat([
    head,
    question.subarray(12, end),
    ...records.map((record) => Buffer.concat([Buffer.from([0xc0, 12]), record])),
  ])
}
const address = (...octets: readonly number[]): Buffer => Buffer.from([0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...octets])
/** A compression pointer to the question's name. */
const CNAME_LOOP = Buffer.from([0, 5, 0, 1, 0, 0, 0, 0, 0, 2, 0xc0, 12])

describe('a name server (security case SS-13)', () => {
  it.each<[string, (question: Buffer) => Buffer]>([
    ['that has no such name', (question) => reply(question, 3)],
    ['that failed', (question) => reply(question, 2)],
    ['that answers nothing', (question) => reply(question, 0)],
    ['that leads in a circle', (question) => reply(question, 0, [CNAME_LOOP])],
    [
      'that gives one private address among many',
      (question) => reply(question, 0, [address(93, 184, 215, 14), address(10, 0, 0, 1)]),
    ],
    ['that is cut off', (question) => reply(question, 0, [address(93, 184, 215, 14)]).subarray(0, 20)],
  ])('%s means a refusal in the usual text', async (_what, answer) => {
    const { resolve, asked } = await aNameServer(answer)
    const refusal = door(resolve).pin('http://api.backend.test/', 'base_url')
    await expect(refusal).rejects.toMatchObject({
      code: 'SSRF_BLOCKED',
      message: expect.stringContaining('ALLOW_PRIVATE_IPS'),
    })
    expect(asked()).toBeGreaterThan(0)
  })

  it('that does not answer costs only the resolution timeout', async () => {
    const { resolve, asked } = await aNameServer(() => undefined)
    await expect(door(resolve).pin('http://api.backend.test/')).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
    expect(asked()).toBeGreaterThan(0)
  })

  it('is used once; the pin stays', async () => {
    const { resolve, asked } = await aNameServer((question) => reply(question, 0, [address(93, 184, 215, 14)]))
    const { addresses } = await door(resolve).pin('http://api.backend.test/')
    expect([addresses, asked()]).toEqual([['93.184.215.14'], 1])
  })

  it('with ten thousand addresses yields at most the limit', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `93.184.${at >> 8}.${at & 255}`)
    expect((await door(async () => many).pin('http://many.test/')).addresses).toHaveLength(32)
    const last = [...many, '10.0.0.1']
    await expect(door(async () => last).pin('http://many.test/')).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
  })
})
