// The page server shows the files of one folder under one policy, and nothing beside them.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { APP_ORIGIN, APP_PAGE, fileOf, isOwnPage, servePage } from './page.ts'

const POLICY = "default-src 'self'"
const outer = mkdtempSync(path.join(tmpdir(), 'gantry-page-'))
const folder = path.join(outer, 'renderer')

beforeAll(() => {
  mkdirSync(path.join(folder, 'assets'), { recursive: true })
  writeFileSync(path.join(outer, 'secret.html'), 'a secret')
  mkdirSync(path.join(outer, 'renderer-evil'))
  writeFileSync(path.join(outer, 'renderer-evil', 'x.html'), 'a secret')
  writeFileSync(path.join(folder, APP_PAGE), '<!doctype html>the page')
  writeFileSync(path.join(folder, 'assets', 'index.js'), 'export {}')
  writeFileSync(path.join(folder, 'notes.md'), 'not for the page')
  symlinkSync(path.join(outer, 'secret.html'), path.join(folder, 'link.html'))
})
afterAll(() => rmSync(outer, { recursive: true, force: true }))

const get = (address: string): Promise<Response> => servePage(address, folder, POLICY)

describe('refused is (security case EL-09)', () => {
  it.each([
    ['a step up', '/../secret.html'],
    ['an encoded step up', '/..%2fsecret.html'],
    ['a doubly encoded step up', '/..%252fsecret.html'],
    ['encoded dots', '/%2e%2e/secret.html'],
    ['encoded dots behind a folder', '/assets/%2e%2e%2f%2e%2e%2fsecret.html'],
    ['a backslash', '/..%5csecret.html'],
    ['a folder that begins like ours', '/..%2frenderer-evil/x.html'],
    ['NUL', '/desktop.html%00.js'],
    ['an invalid encoding', '/%E0%A4%A'],
    ['an absolute path', `/${encodeURIComponent('/etc/passwd')}`],
    ['a link that leads out', '/link.html'],
    ['a kind of file the page does not use', '/notes.md'],
    ['a folder', '/assets'],
    ['a missing file', '/assets/none.js'],
  ])('%s', async (_what, pathname) => {
    const response = await get(APP_ORIGIN + pathname)
    expect(response.status).toBe(404)
    expect(await response.text()).toBe('not found')
    expect(response.headers.get('content-security-policy')).toBe(POLICY)
  })

  it.each(['app://evil/desktop.html', 'app://gantry.evil/desktop.html', 'app://gantry:1/desktop.html'])(
    'another host: %s',
    async (address) => {
      expect((await get(address)).status).toBe(404)
    },
  )
})

describe('served is', () => {
  it.each([
    [`/${APP_PAGE}`, 'text/html; charset=utf-8'],
    ['/', 'text/html; charset=utf-8'],
    ['/assets/index.js', 'text/javascript; charset=utf-8'],
  ])('%s with its type under the policy', async (pathname, type) => {
    const response = await get(APP_ORIGIN + pathname)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('content-security-policy')).toBe(POLICY)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('the page with any query and fragment', async () => {
    expect(await (await get(`${APP_ORIGIN}/${APP_PAGE}?x=1#/users`)).text()).toContain('the page')
  })
})

describe('an address', () => {
  it('names a file inside the folder or none', () => {
    expect(fileOf('app://gantry/assets/index.js', folder)).toBe(path.join(folder, 'assets', 'index.js'))
    expect(fileOf('app://gantry/..%2fsecret.html', folder)).toBeUndefined()
    expect(fileOf('no address', folder)).toBeUndefined()
  })

  it.each(['app://gantry.evil/', 'app://gantryevil', 'https://gantry/', 'about:blank', ''])(
    'is not ours: %s',
    (url) => {
      expect(isOwnPage(url)).toBe(false)
    },
  )

  it.each([APP_ORIGIN, `${APP_ORIGIN}/`, `${APP_ORIGIN}/desktop.html#/users`])('is ours: %s', (url) => {
    expect(isOwnPage(url)).toBe(true)
  })
})
