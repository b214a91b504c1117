// The gateway never dials itself, under any permission, and does not forward a request that returns to it.
import { networkInterfaces } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aServer } from '../registry/upstream-server.fixture.ts'
import { createLoopGuard, HOPS_HEADER, type LoopGuard } from './loop-guard.ts'
import { createOutbound } from './outbound.ts'

const bounds = { deadlineMs: 5_000, maxBytes: 1_000 }

function door(own: LoopGuard, resolve?: () => Promise<readonly string[]>) {
  const outbound = createOutbound({ allowPrivate: true, connections: 2, own, ...(resolve ? { resolve } : {}) })
  onTestFinished(() => outbound.close())
  return outbound
}

describe('its own listener', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', 80, true],
    ['127.0.0.1', '::ffff:7f00:1', 80, true],
    ['127.0.0.1', '0.0.0.0', 80, true],
    ['127.0.0.1', '::', 80, true],
    ['127.0.0.1', '::ffff:0:0', 80, true],
    ['127.0.0.1', '127.0.0.1', 81, false],
    ['127.0.0.1', '127.0.0.2', 80, false],
    ['127.0.0.1', '::1', 80, false],
    ['::1', '0:0::1', 80, true],
    ['0.0.0.0', '127.0.0.9', 80, true],
    ['::', '127.0.0.1', 80, true],
    ['::', '93.184.215.14', 80, false],
  ])('bound to %s is %s port %i: %s', (bound, address, port, expected) => {
    const own = createLoopGuard('x')
    expect(own.isListener(address, port)).toBe(false)
    own.listensAt({ address: bound, port: 80 })
    expect(own.isListener(address, port)).toBe(expected)
  })

  it('bound to every address matches every address of the machine', () => {
    const own = createLoopGuard('x')
    own.listensAt({ address: '0.0.0.0', port: 80 })
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    for (const { address } of addresses) expect(own.isListener(address, 80), address).toBe(true)
  })

  it('is not dialled under any name or stored pin, even if private addresses are permitted', async () => {
    const server = await aServer()
    const own = createLoopGuard('x')
    const outbound = door(own, async () => ['127.0.0.1'])
    expect((await outbound.request({ url: server.url, ...bounds })).status).toBe(200)
    own.listensAt({ address: '127.0.0.1', port: server.port })
    for (const host of [
      '127.0.0.1',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '[::]',
      'gateway.test',
      'gateway.test.',
    ])
      await expect(outbound.pin(`http://${host}:${server.port}/mcp/x`), host).rejects.toMatchObject({
        code: 'SSRF_BLOCKED',
      })
    const url = `http://gateway.test:${server.port}/`
    const pin = outbound.repin(url, ['127.0.0.1'])
    await expect(outbound.request({ url, pin, ...bounds })).rejects.toMatchObject({ kind: 'blocked' })
    expect(server.hits).toHaveLength(1)
    const other = await aServer()
    expect((await outbound.request({ url: other.url, ...bounds })).status).toBe(200)
  })

  it('and metadata services stay refused where private addresses are permitted (security case SS-20)', async () => {
    const outbound = door(createLoopGuard('x'))
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '168.63.129.16', '[::ffff:a9fe:a9fe]'])
      await expect(outbound.pin(`http://${host}/`), host).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
  })
})

describe('the hops of a request', () => {
  const [one, two] = [createLoopGuard('one'), createLoopGuard('two')]

  it('are added to all requests made for it, and cannot be overwritten by an argument', async () => {
    const server = await aServer()
    const outbound = door(two)
    await outbound.request({ url: server.url, headers: { [HOPS_HEADER]: '' }, ...bounds })
    const sent = Promise.withResolvers<unknown>()
    two.within({ [HOPS_HEADER]: one.hops() }, () => {
      // Some ticks later, as in a handler.
      setImmediate(() => void outbound.request({ url: server.url, ...bounds }).then(sent.resolve, sent.reject))
    })
    await sent.promise
    await outbound.request({ url: server.url, ...bounds })
    expect(server.hits.map(({ headers }) => headers[HOPS_HEADER])).toEqual([
      two.hops(),
      `${one.hops()}, ${two.hops()}`,
      two.hops(),
    ])
    expect(one.hops()).toMatch(/^[0-9a-f]{8}$/)
    expect(one.hops()).not.toBe(two.hops())
  })

  it.each([
    [undefined, false],
    ['', false],
    ['11111111', false],
    ['11111111, 22222222', false],
    ['11111111, 22222222, 33333333', true],
    [',,', true],
    ['x'.repeat(20_000), false],
    [one.hops(), true],
    [`11111111,${one.hops()}`, true],
  ])('%s is one too far: %s', (header, refused) => {
    const refusal = one.refusal(header === undefined ? {} : { [HOPS_HEADER]: header })
    expect(refusal !== undefined).toBe(refused)
    if (refusal) expect(refusal).toMatchObject({ status: 400, extras: { details: { reason: 'loop_detected' } } })
  })
})
