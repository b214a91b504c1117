import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Front, openFront, rawExchange, statusOf } from './http.fixture.ts'
import { UI_CONTENT_SECURITY_POLICY } from './security-headers.ts'

const SCRIPT = 'console.log("gantry")'
const root = mkdtempSync(join(tmpdir(), 'gantry-ui-'))
let front: Front
beforeAll(async () => {
  const built = join(root, 'built')
  mkdirSync(join(built, 'assets'), { recursive: true })
  writeFileSync(join(root, 'secret.txt'), 'outside')
  writeFileSync(join(built, 'index.html'), '<!doctype html><title>app</title>')
  writeFileSync(join(built, 'icon.svg'), '<svg/>')
  writeFileSync(join(built, 'assets/index-Ab3dE_9x.js'), SCRIPT)
  writeFileSync(join(built, 'assets/index-Ab3dE_9x.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(built, 'assets/index-Ab3dE_9x.js.gz'), gzipSync(SCRIPT))
  symlinkSync(join(root, 'secret.txt'), join(built, 'link.txt'))
  symlinkSync(root, join(built, 'folder'))
  front = await openFront({}, { uiDirectory: built })
})
afterAll(async () => {
  await front.stop()
  rmSync(root, { recursive: true })
})

const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await request(front.url + path, { headers })
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) }
}

describe('the admin application', () => {
  it.each([
    '/admin/../secret.txt',
    '/admin/..%2fsecret.txt',
    '/admin/%2e%2e/secret.txt',
    '/admin/%2e%2e%2fsecret.txt',
    '/admin/..%5csecret.txt',
    '/admin//etc/passwd.txt',
    '/admin/assets/../../secret.txt',
    '/admin/index.html%00.js',
    '/admin/__proto__.js',
  ])('never leaves its directory by %s (security case LK-10)', async (path) => {
    const response = await rawExchange(
      front.port,
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${front.port}\r\nConnection: close\r\n\r\n`,
    )
    expect(statusOf(response)).toBe(404)
    expect(response).not.toContain('outside')
  })

  it('does not follow a link out of it: security case LK-11', async () => {
    for (const path of ['link.txt', 'folder/secret.txt', 'folder/built/icon.svg']) {
      const answer = await get(`/admin/${path}`)
      expect([path, answer.status, answer.body.includes('outside')]).toEqual([path, 404, false])
    }
  })

  it('answers a missing file in JSON, also when it looks like a page to no browser', async () => {
    for (const [path, headers] of [
      ['/admin/assets/gone-12345678.js', {}],
      ['/admin/gone.png', { accept: 'text/html' }],
      ['/admin/tools', { accept: 'application/json' }],
      ['/admin/tools', { 'sec-fetch-dest': 'script' }],
    ] as const) {
      const answer = await get(path, headers)
      expect(answer.status).toBe(404)
      expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'NOT_FOUND' } })
    }
  })

  it('is one page for every client route, revalidated, under its policy (security case CS-07)', async () => {
    for (const path of ['/admin', '/admin/', '/admin/bundles/a%20b', '/admin/index.html']) {
      const answer = await get(path, { accept: 'text/html' })
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.body.toString()).toContain('<title>app</title>')
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': UI_CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      expect(UI_CONTENT_SECURITY_POLICY).toContain("frame-ancestors 'none'")
      const again = await get(path, { accept: 'text/html', 'if-none-match': String(answer.headers['etag']) })
      expect([again.status, again.body.length]).toEqual([304, 0])
    }
  })

  it('serves hashed files for ever, in the smallest form the browser takes', async () => {
    const path = '/admin/assets/index-Ab3dE_9x.js'
    const plain = await get(path)
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
    expect(plain.body.toString()).toBe(SCRIPT)
    const brotli = await get(path, { 'accept-encoding': 'gzip, br' })
    expect(brotli.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT)
    const gzip = await get(path, { 'accept-encoding': 'gzip, br;q=0' })
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.body).toString()).toBe(SCRIPT)
    expect((await get('/admin/icon.svg')).headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'image/svg+xml',
    })
    expect((await get(`${path}.br`)).status).toBe(404)
  })

  it('is where / leads [ct.3.root]', async () => {
    expect(await get('/')).toMatchObject({ status: 302, headers: { location: '/admin' } })
  })

  it('says plainly when it is not built, and is gone when switched off', async () => {
    const bare = await openFront({}, { uiDirectory: join(root, 'nothing') })
    const page = await request(`${bare.url}/admin`)
    expect([page.statusCode, await page.body.text()]).toEqual([200, expect.stringContaining('not built')])
    await bare.stop()
    const off = await openFront({ UI_ENABLED: false })
    for (const path of ['/', '/admin', '/admin/x']) expect((await request(off.url + path)).statusCode).toBe(404)
    await off.stop()
  })
})
