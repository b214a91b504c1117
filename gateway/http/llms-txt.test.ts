import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { openFront, rawExchange, statusOf } from './http.fixture.ts'

describe('/llms.txt (security case OH-12)', () => {
  it.each([
    'a"><script>alert(1)</script>',
    'a.test\r\nX-Injected: 1',
    'a'.repeat(4096),
    'u:p@a.test',
    'a.test/path',
    'a.test?x#y',
  ])('never repeats the hostile Host %j, even where any host is accepted', async (host) => {
    const front = await openFront({ HOST: '0.0.0.0' })
    const response = await rawExchange(
      front.port,
      `GET /llms.txt HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    )
    expect(response).not.toContain('script')
    if (host.includes('\r\n')) expect(response).toContain('Base URL: http://a.test\n')
    else expect(statusOf(response)).toBe(400)
    await front.stop()
  })

  it('has its own budget per address [ct.3.llms-limit gw.llms.5-budget]', async () => {
    const front = await openFront({ RATE_LIMIT_LLMS_TXT: 2, RATE_LIMIT_INSTALL_LINK: 1 })
    const get = async (): Promise<number> => {
      const answer = await request(`${front.url}/llms.txt`)
      await answer.body.dump()
      return answer.statusCode
    }
    expect([await get(), await get(), await get()]).toEqual([200, 200, 429])
    await front.stop()
  })

  it('is public, plain and byte-identical [ct.3.llms gw.llms.1-public gw.llms.3-identical]', async () => {
    const front = await openFront()
    const read = async () => {
      const answer = await request(`${front.url}/llms.txt`)
      return { headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) }
    }
    const [first, second] = [await read(), await read()]
    expect(first.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    expect(first.bytes.equals(second.bytes)).toBe(true)
    await front.stop()
  })

  it('uses GATEWAY_PUBLIC_URL verbatim, prefix included, for every request [gw.llms.4-public-url]', async () => {
    const front = await openFront({ GATEWAY_PUBLIC_URL: 'https://tools.example/gantry/' })
    const text = await (await request(`${front.url}/llms.txt`)).body.text()
    expect(text).toContain('Base URL: https://tools.example/gantry/\n')
    expect(text).toContain('https://tools.example/gantry/mcp-custom/<bundle>')
    expect(text).not.toContain('127.0.0.1')
    await front.stop()
  })

  it('gives an agent the endpoints, the credentials and an entry it can paste [ct.3.llms-text gw.llms.2-shape]', async () => {
    const front = await openFront()
    const text = await (await request(`${front.url}/llms.txt`)).body.text()
    const entry = JSON.parse(/```json\n([\s\S]+?)\n```/.exec(text)?.[1] ?? '') as {
      mcpServers: Record<string, unknown>
    }
    expect(entry.mcpServers['gantry']).toEqual({
      type: 'http',
      url: `${front.url}/mcp-custom/<bundle>`,
      headers: { Authorization: 'Bearer <key>' },
    })
    for (const path of [
      '/mcp/',
      '/mcp',
      '/health',
      '/livez',
      '/readyz',
      '/metrics',
      '/docs',
      '/admin',
      '/install/',
      '/register',
      '/clients/',
      '/admin-api/',
    ])
      expect(text).toContain(front.url + path)
    expect(text).toContain('Authorization: Bearer')
    await front.stop()
  })
})
