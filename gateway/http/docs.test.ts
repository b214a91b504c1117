import { Script } from 'node:vm'
import { request } from 'undici'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openFront } from './http.fixture.ts'

const PATHS = ['/docs', '/docs/openapi.json', '/docs/openapi.yaml', '/docs/explorer.js', '/docs/explorer.css']
const DOCUMENT = { openapi: '3.1.0', info: { title: 'Gantry', version: '1.0.0' }, paths: {} }
const get = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await request(url, { headers })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

describe('/docs (security case LK-08)', () => {
  it('needs a viewer outside development [ct.3.docs-access gw.ops.docs]', async () => {
    const front = await openFront({ NODE_ENV: null })
    for (const path of PATHS) {
      expect([path, (await get(front.url + path)).status]).toEqual([path, 401])
      expect((await get(front.url + path, { authorization: 'Bearer good' })).status).toBe(200)
    }
    await front.stop()
    const development = await openFront({ NODE_ENV: 'development' })
    for (const path of PATHS) expect((await get(development.url + path)).status).toBe(200)
    await development.stop()
  })

  it('is open when set so, and gone when switched off [gw.ops.docs-public ct.17.effect.docs_enabled]', async () => {
    const open = await openFront({ EXPOSE_DOCS_UNAUTHENTICATED: true })
    for (const path of PATHS) expect((await get(open.url + path)).status).toBe(200)
    await open.stop()
    const off = await openFront({ DOCS_ENABLED: false, EXPOSE_DOCS_UNAUTHENTICATED: true })
    for (const path of PATHS) expect((await get(off.url + path)).status).toBe(404)
    await off.stop()
  })

  it('is a page under a policy without inline script, or the document (security case CS-07) [ct.3.docs ct.3.docs-json]', async () => {
    const front = await openFront({ EXPOSE_DOCS_UNAUTHENTICATED: true })
    const page = await get(`${front.url}/docs`, { accept: 'text/html,application/json;q=0.9' })
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(page.text).not.toMatch(/<style|style=|onclick|<script(?! src)/)
    // The script is the text of a function: it must parse alone and lean on nothing a bundler put around it.
    const script = (await get(`${front.url}/docs/explorer.js`)).text
    expect(() => new Script(script)).not.toThrow()
    expect(script).not.toMatch(/__vite|__name|require\(|import /)
    const json = await get(`${front.url}/docs`, { accept: 'application/json' })
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(JSON.parse(json.text)).toEqual(DOCUMENT)
    expect(JSON.parse((await get(`${front.url}/docs/openapi.json`)).text)).toEqual(DOCUMENT)
    expect(parse((await get(`${front.url}/docs/openapi.yaml`)).text)).toEqual(DOCUMENT)
    await front.stop()
  })
})
