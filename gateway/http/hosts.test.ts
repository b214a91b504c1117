import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyOf, type Front, openFront, rawExchange, statusOf } from './http.fixture.ts'

let front: Front
let bodiesRead = 0
beforeAll(async () => {
  front = await openFront({}, {}, ({ app }) => {
    app.post('/admin-api/echo', (request, reply) => {
      bodiesRead += 1
      reply.send({ got: request.body })
    })
  })
})
afterAll(() => front.stop())

const get = (headers: string, target = '/health', version = '1.1'): Promise<string> =>
  rawExchange(front.port, `GET ${target} HTTP/${version}\r\n${headers}Connection: close\r\n\r\n`)
const codeOf = (response: string): string => (JSON.parse(bodyOf(response)) as { error: { code: string } }).error.code

describe('a gateway on loopback without ALLOWED_HOSTS', () => {
  it.each([
    'evil.test',
    'evil.test:PORT',
    'localhost.evil.test:PORT',
    '127.0.0.1.evil.test:PORT',
    '0.0.0.0:PORT',
    '[::ffff:127.0.0.1]:PORT',
    'localhost:1',
    '127.0.0.1',
    '127.0.0.2:PORT',
  ])('refuses Host %s, probes included (security cases OH-01, OH-09) [ct.18.host_not_allowed]', async (host) => {
    const response = await get(`Host: ${host.replace('PORT', String(front.port))}\r\n`)
    expect(statusOf(response)).toBe(403)
    expect(codeOf(response)).toBe('HOST_NOT_ALLOWED')
  })

  it.each([
    ['no Host', ''],
    ['an empty Host', 'Host:\r\n'],
    ['userinfo', 'Host: a@127.0.0.1:PORT\r\n'],
    ['a tab inside', 'Host: 127.0.0.1\t:PORT\r\n'],
    ['a trailing dot', 'Host: localhost.:PORT\r\n'],
    ['upper case', 'Host: LOCALHOST:PORT\r\n'],
    ['markup', 'Host: a"><script>\r\n'],
    ['four kilobytes', `Host: ${'a'.repeat(4096)}\r\n`],
    ['two Hosts, ours first', 'Host: 127.0.0.1:PORT\r\nHost: evil.test\r\n'],
    ['two Hosts, ours last', 'Host: evil.test\r\nhost: 127.0.0.1:PORT\r\n'],
    ['two equal Hosts', 'Host: 127.0.0.1:PORT\r\nHOST: 127.0.0.1:PORT\r\n'],
  ])('answers 400 to %s (security case OH-02)', async (_what, headers) => {
    expect(statusOf(await get(headers.replaceAll('PORT', String(front.port))))).toBe(400)
  })

  it('answers 400 to HTTP/1.0 without Host', async () => {
    expect(statusOf(await get('', '/health', '1.0'))).toBe(400)
  })

  it.each(['http://evil.test/health', 'http://127.0.0.1:PORT/health', '*'])(
    'answers 400 to the request target %s',
    async (target) => {
      const port = String(front.port)
      const response = await get(`Host: 127.0.0.1:${port}\r\n`, target.replace('PORT', port))
      expect(statusOf(response)).toBe(400)
      expect(codeOf(response)).toBe('INVALID_REQUEST')
    },
  )

  it('answers 400 to more header lines than Node would keep', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `x-${index}: 1\r\n`).join('')
    expect(statusOf(await get(`Host: 127.0.0.1:${front.port}\r\n${many}`))).toBe(400)
  })

  it('refuses before the body is read, on unknown routes and preflights too [ct.1.5.host]', async () => {
    const send = (head: string) => rawExchange(front.port, head.replaceAll('\n', '\r\n'))
    const post =
      'POST /admin-api/echo HTTP/1.1\nHost: evil.test\nContent-Type: application/json\nContent-Length: 2\nConnection: close\n\n{}'
    expect(statusOf(await send(post))).toBe(403)
    expect(bodiesRead).toBe(0)
    expect(statusOf(await get('Host: evil.test\r\n', '/nowhere'))).toBe(403)
    expect(statusOf(await get('Host: evil.test\r\n', '/%zz'))).toBe(403)
    const preflight =
      'OPTIONS /admin-api/echo HTTP/1.1\nHost: evil.test\nOrigin: https://a\nAccess-Control-Request-Method: POST\nConnection: close\n\n'
    expect(statusOf(await send(preflight))).toBe(403)
  })

  it.each(['127.0.0.1', 'localhost', '[::1]'])('serves %s with its port', async (name) => {
    expect(statusOf(await get(`Host: ${name}:${front.port}\r\nX-Forwarded-Host: evil.test\r\n`))).toBe(200)
  })

  it('lets an injected request of the own process pass', async () => {
    expect((await front.app.inject('/health')).statusCode).toBe(200)
  })
})

describe('configured hosts', () => {
  it('serves exactly ALLOWED_HOSTS and the public URL [gw.setting.allowed_hosts]', async () => {
    const other = await openFront({
      ALLOWED_HOSTS: ['gateway.example', 'exact.example:8080'],
      GATEWAY_PUBLIC_URL: 'https://public.example/prefix',
    })
    const ask = async (host: string): Promise<number> =>
      statusOf(await rawExchange(other.port, `GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))
    expect(await ask(`127.0.0.1:${other.port}`)).toBe(403)
    expect(await ask('exact.example')).toBe(403)
    expect(await ask('exact.example:8081')).toBe(403)
    expect(await ask('gateway.example:1234')).toBe(200)
    expect(await ask('gateway.example')).toBe(200)
    expect(await ask('exact.example:8080')).toBe(200)
    expect(await ask('public.example')).toBe(200)
    await other.stop()
  })

  it('serves any well-formed host when bound to every address and no list is given', async () => {
    const other = await openFront({ HOST: '0.0.0.0' })
    const response = await rawExchange(
      other.port,
      'GET /livez HTTP/1.1\r\nHost: any.example\r\nConnection: close\r\n\r\n',
    )
    expect(statusOf(response)).toBe(200)
    await other.stop()
  })
})
