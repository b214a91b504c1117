// Pinned backends over real TLS: dials the pinned address, checks the name, and sends nothing if it does not match.
import { createServer } from 'node:https'
import tls, { type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { aLeaf, anAuthority, type Leaf } from './certificates.fixture.ts'
import { listening } from './listening.fixture.ts'
import { createOutbound } from './outbound.ts'

const NAME = 'api.backend.test'
const authority = anAuthority()
const before = tls.getCACertificates('default')
beforeAll(() => tls.setDefaultCACertificates([...before, authority.certificate]))
afterAll(() => tls.setDefaultCACertificates(before))

type Seen = { readonly sni: unknown; readonly host: string | undefined; readonly from: string | undefined }

async function aTlsServer(leaf: Leaf) {
  const seen: Seen[] = []
  const handshakes: string[] = []
  const server = createServer(
    { ...leaf, SNICallback: (name, done) => (handshakes.push(name), done(null)) },
    (request, response) => {
      const { servername, localAddress } = request.socket as TLSSocket
      seen.push({ sni: servername, host: request.headers.host, from: localAddress })
      response.end('here')
    },
  )
  // These tests expect clients to disconnect during the handshake.
  server.on('tlsClientError', () => undefined)
  const { port, close } = await listening(server, '127.0.0.2')
  onTestFinished(close)
  return { port, seen, handshakes }
}

async function ask(port: number, host = NAME) {
  let asked = 0
  const outbound = createOutbound({
    allowPrivate: true,
    connections: 2,
    // Later lookups return another address.
    resolve: async () => (asked++ === 0 ? ['127.0.0.2'] : ['127.0.0.3']),
  })
  onTestFinished(() => outbound.close())
  const url = `https://${host}:${port}/x`
  const pin = await outbound.pin(url)
  const headers = { authorization: 'Bearer secret' }
  return outbound.request({ url, pin, headers, deadlineMs: 10_000, maxBytes: 1_000 })
}

describe('a certificate of another name (security case SS-07)', () => {
  it.each<[string, () => Leaf]>([
    ['of another name', () => aLeaf('other.test', authority)],
    ['of the address it is dialled at', () => aLeaf('127.0.0.2', authority)],
    ['that has expired', () => aLeaf(NAME, authority, [-10, -5])],
    ['that is not valid yet', () => aLeaf(NAME, authority, [5, 10])],
    ['signed by itself', () => aLeaf(NAME)],
    ['of an unknown authority', () => aLeaf(NAME, anAuthority('unknown'))],
  ])('%s ends the call before anything is sent', async (_what, leaf) => {
    const { port, seen, handshakes } = await aTlsServer(leaf())
    await expect(ask(port)).rejects.toMatchObject({ kind: 'network', message: 'TLS failed' })
    expect(handshakes).toEqual([NAME])
    expect(seen).toEqual([])
  })
})

it('the pinned address is dialled, and SNI, Host and certificate are those of the name (security case SS-07)', async () => {
  const { port, seen } = await aTlsServer(aLeaf(NAME, authority))
  const { status, body } = await ask(port)
  expect([status, body.toString()]).toEqual([200, 'here'])
  expect(seen).toEqual([{ sni: NAME, host: `${NAME}:${port}`, from: '127.0.0.2' }])
})
