// Hostile IPC against the built main: unknown channels, foreign frames, malformed input, paths outside the admin API.
import { describe, expect, it } from 'vitest'
import { CHANNEL_NAMES, type ChannelName } from '#channels'
import type { FrameFacts } from './app.ts'
import { adminRequest, gatewayStatus, openExternal, runningUrl } from './desktop.fixture.ts'
import { hasHost, hostName, useApp } from './launch.ts'

const PAGE: FrameFacts = { url: 'app://gantry/desktop.html', top: true }
const GOOD: Readonly<Record<ChannelName, unknown>> = {
  'admin:request': { method: 'GET', path: '/admin-api/overview', headers: {} },
  'gateway:status': undefined,
  'gateway:restart': undefined,
  'gateway:pause': undefined,
  'gateway:safe-mode': undefined,
  'shell:open-external': 'https://example.com/',
  'shell:show-folder': 'logs',
  'app:facts': undefined,
  'app:change-settings': { closeToTray: true },
  'app:agent-key': undefined,
  'app:give-passphrase': 'correct horse battery',
  'app:check-for-update': undefined,
  'link:take': undefined,
  'page:take': undefined,
  'agents:ask': { ask: 'list' },
  'servers:add': { name: 'no.such/server', hosts: [] },
  'servers:tools': { name: 'no.such/server' },
  'servers:ask': { ask: 'export', name: 'no-such-server' },
}

describe.skipIf(!hasHost)(`IPC (${hostName})`, () => {
  const running = useApp()

  it('refuses unknown channels', async () => {
    const app = running()
    for (const channel of ['app:eval', 'shell:open-path', 'admin:request ', '__proto__', 'constructor', ''])
      await expect(app.invokeAs(PAGE, channel, {})).rejects.toThrow('No handler registered')
  })

  it('refuses every channel to every frame but the page (security case EL-06)', async () => {
    const app = running()
    const foreignFrames: readonly FrameFacts[] = [
      { ...PAGE, top: false },
      { url: '', top: true },
      { url: 'about:blank', top: true },
      { url: 'https://example.com/', top: true },
      { url: 'app://gantry.evil/desktop.html', top: true },
      { url: 'data:text/html,app://gantry/', top: true },
    ]
    for (const channel of CHANNEL_NAMES)
      for (const frame of foreignFrames)
        await expect(app.invokeAs(frame, channel, GOOD[channel])).rejects.toThrow(`${channel}: refused`)
    expect((await app.facts()).opened).toEqual([])
    expect(await app.invokeAs(PAGE, 'gateway:status', undefined)).toMatchObject({ reason: null })
  })

  it('refuses the page itself what breaks the contract, and says nothing of what it was', async () => {
    const app = running()
    const good = { method: 'GET', path: '/admin-api/overview', headers: {} } as const
    const bad: readonly unknown[] = [
      undefined,
      null,
      'GET /admin-api/overview',
      { ...good, method: 'TRACE' },
      { ...good, principal: 'someone else' },
      { ...good, headers: { 'x\r\ny': '1' } },
      { ...good, path: '/mcp/petstore' },
      { ...good, path: '/metrics' },
      { ...good, path: 'https://example.com/admin-api/overview' },
      { ...good, path: '/admin-api/../mcp/petstore' },
      { ...good, path: '/admin-api/%2e%2e/mcp/petstore' },
      { ...good, path: '/admin-api/..%2fmcp' },
    ]
    for (const request of bad) {
      // The page may say what the type forbids.
      const message = adminRequest(app, request as typeof good)
      await expect(message, JSON.stringify(request)).rejects.toThrow(
        /'admin:request': Error: admin:request: invalid input/,
      )
    }
    expect((await adminRequest(app, good)).status).toBe(200)
  })

  it('opens outside what is plain https, and nothing else (security case EL-04)', async () => {
    const app = running()
    for (const url of ['http://example.com/', 'file:///etc/passwd', 'javascript:1', 'https://x"&calc', 'https://a/b c'])
      await expect(openExternal(app, url)).rejects.toThrow('only plain https')
    await openExternal(app, 'https://EXAMPLE.com/docs')
    expect((await app.facts()).opened).toEqual(['https://example.com/docs'])
  })

  it('gives the page an answer that says nothing of the session it is marked with [ct.7.1.me-desktop]', async () => {
    const app = running()
    await runningUrl(app)
    const me = await adminRequest(app, { method: 'GET', path: '/admin-api/auth/me', headers: {} })
    expect(me.status).toBe(200)
    expect(JSON.parse(me.body)).toMatchObject({ authMethod: 'desktop' })
    expect(Object.keys(me.headers)).not.toContain('set-cookie')
    expect(await gatewayStatus(app)).toEqual({
      state: 'running',
      url: expect.any(String),
      reason: null,
      movedFrom: null,
    })
  })
})
