import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { corpusJson } from '../discovery/corpora.fixture.ts'
import { dispatch } from './exchange.ts'
import { listening } from './listening.fixture.ts'
import { createMemoryBudget } from './memory-budget.ts'
import { createOutbound, type Outbound } from './outbound.ts'

const closers: (() => Promise<unknown> | undefined)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const stop = (server: Server | TcpServer) => () =>
  new Promise<void>((resolve) => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close(() => resolve())
  })

async function upstream(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; port: number; hits: string[] }> {
  const hits: string[] = []
  const server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url} host=${request.headers.host}`)
    answer(request, response)
  })
  const { port } = await listening(server)
  closers.push(stop(server))
  return { url: `http://127.0.0.1:${port}`, port, hits }
}

/** Answers each connection with raw bytes and keeps it open. */
async function rawUpstream(bytes: (write: (text: string) => void) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => bytes((text) => socket.write(text)))
  })
  const { url } = await listening(server)
  closers.push(() => (server.close(), undefined))
  return url
}

function door(options: Partial<Parameters<typeof createOutbound>[0]> = {}): Outbound {
  const outbound = createOutbound({ allowPrivate: true, connections: 4, ...options })
  closers.push(() => outbound.close())
  return outbound
}

const bounds = { deadlineMs: 5_000, maxBytes: 1_000_000 }

describe('refusals before dialling', () => {
  it.each([
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://169.254.169.254/',
  ])('%s', async (url) => {
    const asked: string[] = []
    const outbound = door({ allowPrivate: false, resolve: async (name) => (asked.push(name), ['93.184.215.14']) })
    await expect(outbound.request({ url, ...bounds })).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
    expect(asked).toEqual([])
  })

  it.each([
    'ftp://example.com/',
    'http://user:pw@example.com/',
    'http://example.com/#x',
    'nonsense',
    'http://example.com:6379/',
  ])('%s is an invalid URL (security case SS-23)', async (url) => {
    await expect(door().pin(url)).rejects.toMatchObject({ code: 'INVALID_URL' })
  })

  it('a name with one private answer among public ones', async () => {
    const outbound = door({ allowPrivate: false, resolve: async () => ['93.184.215.14', '10.0.0.1'] })
    await expect(outbound.pin('http://mixed.test/')).rejects.toMatchObject({ code: 'SSRF_BLOCKED' })
  })

  it('gives the same answer for a blocked, an unknown and an empty name', async () => {
    const texts = await Promise.all(
      [async () => ['10.0.0.1'], async () => [], async () => Promise.reject(new Error('ENOTFOUND'))].map((resolve) =>
        door({ allowPrivate: false, resolve })
          .pin('http://name.test/')
          .catch((error: Error) => error.message),
      ),
    )
    expect(new Set(texts).size).toBe(1)
  })

  it('a stored pin with an internal address', async () => {
    const target = await upstream((_request, response) => response.end('secret'))
    const outbound = door({ allowPrivate: false })
    const pin = outbound.repin(`http://backend.test:${target.port}/`, ['127.0.0.1'])
    await expect(
      outbound.request({ url: `http://backend.test:${target.port}/`, pin, ...bounds }),
    ).rejects.toMatchObject({ kind: 'blocked' })
    expect(target.hits).toEqual([])
  })
})

describe('pinning', () => {
  it('dials the pinned address with the registered name as Host, for every later answer of DNS (security case SS-04) [ct.4.3.dispatch ct.19.15.pins]', async () => {
    const target = await upstream((_request, response) => response.end('here'))
    let asked = 0
    const outbound = door({ resolve: async () => (asked++ === 0 ? ['127.0.0.1'] : ['10.255.255.1']) })
    const url = `http://moving.test:${target.port}/x`
    const pin = await outbound.pin(url)
    for (let call = 0; call < 3; call++)
      expect((await outbound.request({ url, pin, ...bounds })).body.toString()).toBe('here')
    expect(asked).toBe(1)
    expect(target.hits[0]).toBe(`GET /x host=moving.test:${target.port}`)
  })

  it('sends the registered name as SNI, and rejects other certificates [ct.4.3.dispatch]', async () => {
    const names: string[] = []
    const server = createTlsServer({
      SNICallback(name, done) {
        names.push(name)
        done(new Error('no certificate of that name'))
      },
    })
    server.on('tlsClientError', () => undefined)
    const { port } = await listening(server)
    closers.push(stop(server))
    const outbound = door({ resolve: async () => ['127.0.0.1'] })
    const url = `https://sealed.test:${port}/`
    const pin = await outbound.pin(url)
    await expect(outbound.request({ url, pin, ...bounds })).rejects.toMatchObject({ kind: 'network' })
    expect(names).toEqual(['sealed.test'])
  })

  it('tries the next pinned address when one refuses', async () => {
    const target = await upstream((_request, response) => response.end('second'))
    const outbound = door({ resolve: async () => ['127.0.0.2', '127.0.0.1'] })
    const answer = await outbound.request({ url: `http://two.test:${target.port}/`, ...bounds })
    expect(answer.body.toString()).toBe('second')
  })
})

describe('answers', () => {
  it('does not follow a redirect (security cases SS-08, SS-09) [ct.1.9.no-redirects]', async () => {
    const target = await upstream((_request, response) =>
      response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    )
    expect((await door().request({ url: target.url, headers: { 'x-api-key': 'k' }, ...bounds })).status).toBe(307)
    expect(target.hits).toHaveLength(1)
  })

  it('counts decompressed bytes (security case BL-10)', async () => {
    const bomb = { gzip: gzipSync(Buffer.alloc(20_000_000)), br: brotliCompressSync(Buffer.alloc(20_000_000)) }
    for (const [encoding, bytes] of Object.entries(bomb)) {
      const target = await upstream((_request, response) => response.setHeader('content-encoding', encoding).end(bytes))
      await expect(door().request({ url: target.url, ...bounds })).rejects.toMatchObject({ kind: 'too_large' })
    }
  })

  it('refuses a third layer of compression and an unknown one (security case BL-10)', async () => {
    const twice = gzipSync(gzipSync('x'))
    const good = await upstream((_request, response) => response.setHeader('content-encoding', 'gzip, gzip').end(twice))
    expect((await door().request({ url: good.url, ...bounds })).body.toString()).toBe('x')
    for (const encoding of ['gzip, gzip, gzip', 'snappy']) {
      const target = await upstream((_request, response) =>
        response.setHeader('content-encoding', encoding).end(gzipSync(twice)),
      )
      await expect(door().request({ url: target.url, ...bounds })).rejects.toMatchObject({ kind: 'bad_response' })
    }
  })

  it('are cut off when the memory budget is exhausted, compressed ones too', async () => {
    const body = Buffer.alloc(600_000, 'x')
    const plain = await upstream((_request, response) => response.end(body))
    const packed = await upstream((_request, response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync(body)),
    )
    const outbound = door()
    for (const { url } of [plain, packed]) {
      const pin = await outbound.pin(url)
      const ask = (mostBytes: number) =>
        outbound.exchange(outbound.pool(pin, ''), {
          method: 'GET',
          path: '/',
          headers: {},
          ...bounds,
          account: createMemoryBudget({ mostBytes, mostWorkBytes: mostBytes }).account(),
        })
      await expect(ask(500_000)).rejects.toMatchObject({ kind: 'no_room' })
      expect((await ask(700_000)).body.length).toBe(600_000)
    }
  })

  it.each(['EMFILE', 'ENFILE'])('that never came, because %s, are our own affair', async (code) => {
    // A double: a process without file descriptors cannot run a test.
    const exhausted = {
      dispatch: (_options: unknown, handler: Dispatcher.DispatchHandler) => {
        // The controller is unused before the request starts.
        handler.onResponseError?.(
          undefined as unknown as Dispatcher.DispatchController,
          Object.assign(new Error(), { code }),
        )
        return true
      },
    } as unknown as Dispatcher // the one method that an exchange uses
    const request = { method: 'GET', path: '/', headers: {}, ...bounds } as const
    const answer = await new Promise((resolve) => dispatch(exhausted, request, undefined, resolve))
    expect(answer).toMatchObject({ name: 'ExchangeError', kind: 'no_socket' })
  })

  it('a declared or a real length over the cap is refused', async () => {
    const declared = await upstream((_request, response) => response.setHeader('content-length', 5_000_000).write('x'))
    const chunked = await upstream((_request, response) => response.end(Buffer.alloc(2_000_000)))
    for (const { url } of [declared, chunked])
      await expect(door().request({ url, ...bounds })).rejects.toMatchObject({ kind: 'too_large' })
  })

  it('a drip ends at the deadline (security case NF-02)', async () => {
    const target = await upstream((_request, response) => {
      response.write('a')
      const drip = setInterval(() => response.write('a'), 20)
      response.on('close', () => clearInterval(drip))
    })
    await expect(door().request({ url: target.url, deadlineMs: 200, maxBytes: 1_000 })).rejects.toMatchObject({
      kind: 'timeout',
    })
  })

  it('garbage is a network failure and a truncated body too', async () => {
    const garbage = await rawUpstream((write) => write('SSH-2.0-nonsense\r\n'))
    await expect(door().request({ url: garbage, ...bounds })).rejects.toMatchObject({
      kind: 'network',
      message: 'not an HTTP answer',
    })
    const cut = await upstream((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half')
      setTimeout(() => response.destroy(), 20)
    })
    await expect(door().request({ url: cut.url, ...bounds })).rejects.toMatchObject({ kind: 'network' })
  })

  it('bytes after an answer never reach the next caller (security case NF-03)', async () => {
    const url = await rawUpstream((write) =>
      write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen'),
    )
    const outbound = door({ connections: 1 })
    expect((await outbound.request({ url, ...bounds })).body.toString()).toBe('ok')
    const next = await outbound.request({ url, ...bounds }).then(
      ({ body }) => body.toString(),
      () => 'refused',
    )
    expect(next).not.toBe('stolen')
  })

  it('a cancelled request closes the upstream connection', async () => {
    const gone = Promise.withResolvers<void>()
    const target = await upstream((request) => void request.on('close', () => gone.resolve()))
    const started = door().request({ url: target.url, ...bounds, onStart: (cancel) => setTimeout(cancel, 50) })
    await expect(started).rejects.toMatchObject({ kind: 'cancelled' })
    await gone.promise
  })

  it('hands over chunks as they arrive and ends on request', async () => {
    const target = await upstream((_request, response) => {
      const ticks = setInterval(() => response.write('tick\n'), 5)
      response.on('close', () => clearInterval(ticks))
    })
    let seen = ''
    await door().request({
      url: target.url,
      ...bounds,
      onChunk: (chunk) => ((seen += chunk.toString()), seen.length < 20),
    })
    expect(seen.length).toBeGreaterThanOrEqual(20)
  })
})

type Case = { id: string; url: string; verdict: string }
describe('the URL corpus', () => {
  // The documented shapes of the two files.
  const cases = corpusJson('ssrf/urls.shared.json') as readonly Case[]
  const { names } = corpusJson('ssrf/dns-map.json') as { readonly names: Readonly<Record<string, string[]>> }
  const resolve = async (name: string): Promise<string[]> => names[name] ?? Promise.reject(new Error('ENOTFOUND'))

  it('blocks what must and should be blocked, allows what must be allowed', async () => {
    const outbound = door({ allowPrivate: false, resolve })
    const wrong: string[] = []
    for (const { id, url, verdict } of cases) {
      const permitted = await outbound.pin(url).then(
        () => true,
        () => false,
      )
      if ((verdict === 'must-block' || verdict === 'should-block' || verdict === 'reject-invalid') && permitted)
        wrong.push(`${id} ${url} permitted`)
      if (verdict === 'allow' && !permitted) wrong.push(`${id} ${url} refused`)
    }
    expect(wrong).toEqual([])
  })
})
