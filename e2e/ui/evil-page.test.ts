// A foreign page, in the browser of a signed-in administrator: it makes nothing happen and reads nothing (security case OH 10).
import { createServer, type Server } from 'node:http'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { startChromium } from '../chromium.fixture.ts'
import { openUpstream, ROOMY, register, type Upstream } from '../scenarios/data-plane.fixture.ts'
import { FIRST_ADMIN, type Gateway, startGateway } from '../scenarios/gateway.fixture.ts'
import { bootstrapPassword, fillSignIn, hasBrowser, where } from './ui.fixture.ts'

let gateway: Gateway
let upstream: Upstream
let evil: Server
let browser: Browser
let page: Page
let state = ''

/** What must not change, for any caller: records, entries, calls. */
async function records(): Promise<string> {
  const reads = ['clients', 'bundles', 'mcp-keys', 'users', 'teams', 'audit-log?limit=200']
  const reply = await Promise.all(reads.map((read) => gateway.admin(`/admin-api/${read}`)))
  return reply.map(({ text }) => text.replaceAll(/"last\w+At":"[^"]*"/g, '')).join('\n')
}

if (hasBrowser) {
  beforeAll(async () => {
    // The weakest there is: an open data plane, and nothing configured about hosts or origins.
    ;[gateway, upstream] = await Promise.all([startGateway({ ...ROOMY, ...FIRST_ADMIN }), openUpstream()])
    await register(gateway, upstream)
    evil = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>win a prize</title><body></body>'),
    )
    const { port } = await listening(evil)
    browser = await startChromium(
      '--host-resolver-rules=MAP *.test 127.0.0.1',
      // The browser asks its person before a page reaches loopback; the gateway must not count on that.
      '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights',
    )
    const context = await browser.newContext()
    const inside = await context.newPage()
    await inside.goto(`${gateway.url}/admin`)
    await fillSignIn(inside, 'admin', bootstrapPassword(gateway))
    await inside.getByRole('button', { name: 'Signed in as admin' }).waitFor()
    page = await context.newPage()
    await page.goto(`http://evil.test:${port}/`)
    upstream.seen.length = 0
    state = await records()
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await gateway?.end()
    await upstream?.close()
    evil?.close()
    evil?.closeAllConnections()
  })
}

/** What reached the backend, but for the gateway's own look at its health. */
const called = (): string[] => upstream.seen.filter((line) => line !== 'GET /')

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ok', arguments: {} } })
const PATHS = [
  '/mcp/petstore',
  '/mcp',
  '/admin-api/clients',
  '/admin-api/events',
  '/register',
  '/metrics',
  '/health',
  '/admin',
  '/llms.txt',
]

describe.skipIf(!hasBrowser)(`a page of another user (${where})`, () => {
  it('reads no answer, in any way of asking', async () => {
    const read = await page.evaluate(
      async ({ url, paths, call }) => {
        const got: string[] = []
        const within = <T>(work: Promise<T>): Promise<T | undefined> =>
          Promise.race([work.catch(() => undefined), new Promise<undefined>((resolve) => setTimeout(resolve, 3_000))])
        const json = { 'content-type': 'application/json' }
        const inits: readonly RequestInit[] = [
          {},
          { method: 'POST', body: call, headers: { 'content-type': 'text/plain' } },
          { method: 'POST', body: call, headers: json },
          { method: 'POST', body: call, headers: { ...json, 'x-csrf-token': 'x' } },
          { method: 'POST', body: new URLSearchParams({ name: 'ok' }) },
          { method: 'DELETE' },
        ]
        const modes = ['cors', 'no-cors', 'same-origin'] as const
        const asked = paths.flatMap((path) => modes.flatMap((mode) => inits.map((init) => ({ path, mode, init }))))
        const fetches = asked.map(({ path, mode, init }) =>
          within(
            fetch(url + path, { mode, credentials: 'include', ...init }).then(async (answer) => {
              if ((await answer.text()) !== '' || answer.type !== 'opaque') got.push(`fetch ${mode} ${path}`)
            }),
          ),
        )
        await Promise.all(fetches)
        // Its own server's words it may read: the eye is open.
        if ((await (await fetch(location.href)).text()).includes('prize')) got.push('its own')
        const ask = (path: string, withCredentials: boolean): Promise<void> =>
          new Promise((resolve) => {
            const request = new XMLHttpRequest()
            request.open('GET', url + path)
            request.withCredentials = withCredentials
            request.onload = () => {
              got.push(`xhr ${path}`)
              resolve()
            }
            request.onerror = () => resolve()
            request.send()
          })
        await Promise.all(paths.flatMap((path) => [within(ask(path, true)), within(ask(path, false))]))
        const opened = (kind: string, path: string, target: EventTarget, sign: string): Promise<void> =>
          new Promise((resolve) => {
            target.addEventListener(sign, () => {
              got.push(`${kind} ${path}`)
              resolve()
            })
            target.addEventListener('error', () => resolve())
          })
        for (const path of ['/mcp', '/mcp/petstore', '/admin-api/events', '/admin-api/pcg/editors']) {
          const source = new EventSource(url + path, { withCredentials: true })
          await within(opened('event source', path, source, 'open'))
          source.close()
          const socket = new WebSocket(url.replace('http', 'ws') + path, 'mcp')
          await within(opened('web socket', path, socket, 'open'))
          socket.close()
        }
        for (const path of paths)
          for (const [tag, attribute] of [
            ['script', 'src'],
            ['img', 'src'],
            ['link', 'href'],
          ] as const) {
            const element = document.createElement(tag)
            if (element instanceof HTMLLinkElement) element.rel = 'stylesheet'
            element.setAttribute(attribute, url + path)
            const loaded = opened(tag, path, element, 'load')
            document.body.append(element)
            await within(loaded)
          }
        for (const path of paths) {
          const frame = document.createElement('iframe')
          frame.src = url + path
          document.body.append(frame)
          await within(new Promise((resolve) => frame.addEventListener('load', resolve)))
          try {
            if (frame.contentDocument?.body.textContent) got.push(`iframe ${path}`)
          } catch {
            // Of another origin, as it must be.
          }
        }
        for (const make of [() => new Worker(`${url}/admin`), () => new SharedWorker(`${url}/admin`)])
          try {
            await within(opened('worker', '/admin', make() as EventTarget, 'message'))
          } catch {
            // Refused before it is asked for.
          }
        const registered = await within(
          navigator.serviceWorker?.register(`${url}/admin`) ?? Promise.reject(new Error('not on this page')),
        )
        if (registered) got.push('service worker')
        return got
      },
      { url: gateway.url, paths: PATHS, call: CALL },
    )
    expect(read).toEqual(['its own'])
  }, 240_000)

  it('makes nothing happen, with forms, beacons and windows neither', async () => {
    await page.evaluate(
      async ({ url, paths, call }) => {
        for (const path of paths) {
          navigator.sendBeacon(url + path, new Blob([call], { type: 'text/plain' }))
          for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
            const frame = document.createElement('iframe')
            frame.name = `f${Math.random()}`
            const form = document.createElement('form')
            Object.assign(form, { action: url + path, method: 'POST', enctype, target: frame.name })
            const field = document.createElement('input')
            // The trick that makes a form's text a JSON: {"…":"=…"}.
            Object.assign(field, { name: `${call.slice(0, -1)},"x":"`, value: '"}' })
            form.append(field)
            document.body.append(frame, form)
            const done = new Promise((resolve) => frame.addEventListener('load', resolve))
            form.submit()
            await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 3_000))])
          }
        }
        window.open(`${url}/admin-api/auth/logout`)
      },
      { url: gateway.url, paths: PATHS, call: CALL },
    )
    expect(called()).toEqual([])
    expect(await records()).toBe(state)
  }, 240_000)

  it('is no part of the gateway under a name of its own that leads to it', async () => {
    const { port } = new URL(gateway.url)
    const rebound = await page.context().newPage()
    for (const path of ['/admin', '/admin-api/clients', '/mcp/petstore', '/health']) {
      const answer = await rebound.goto(`http://rebound.test:${port}${path}`)
      expect([path, answer?.status()]).toEqual([path, 403])
    }
    // As after a rebinding: the page is foreign, its origin's address is by now the gateway's.
    const origin = `http://rebound.test:${port}`
    await rebound.route(`${origin}/prize`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>prize' }))
    await rebound.goto(`${origin}/prize`)
    const printed = await rebound.evaluate(
      async ({ call, paths }) => {
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
        const asked = paths.flatMap((path) => [fetch(path), fetch(path, { method: 'POST', headers, body: call })])
        return (await Promise.all(asked)).map(({ status }) => status)
      },
      { call: CALL, paths: PATHS },
    )
    expect([[...new Set(printed)], called()]).toEqual([[403], []])
  })
})
