// What the specs say to the page of the desktop window, in the words of its preload.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'vitest'
import type { ChannelInput, ChannelOutput, Desktop, GatewayStatus } from '#channels'
import type { DesktopApp } from './app.ts'

/** Asks until it is so, with the patience that a busy machine needs. */
export const soon = <T>(ask: () => Promise<T> | T) => expect.poll(ask)

type DesktopWindow = Window & { readonly desktop: Desktop }

export const gatewayStatus = ({ page }: DesktopApp): Promise<GatewayStatus> =>
  page.evaluate(() => (window as unknown as DesktopWindow).desktop.gatewayStatus())

export const adminRequest = (
  { page }: DesktopApp,
  request: ChannelInput<'admin:request'>,
): Promise<ChannelOutput<'admin:request'>> =>
  page.evaluate((given) => (window as unknown as DesktopWindow).desktop.adminRequest(given), request)

export const openExternal = ({ page }: DesktopApp, url: string): Promise<void> =>
  page.evaluate((given) => (window as unknown as DesktopWindow).desktop.openExternal(given), url)

/** The gateway's address as soon as it runs. */
export async function runningUrl(app: DesktopApp): Promise<string> {
  for (;;) {
    const { state, url, reason } = await gatewayStatus(app)
    if (state === 'running' && url !== null) return url
    if (state === 'stopped' && reason !== null) throw new Error(`The gateway did not start: ${reason}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The process of the gateway that runs now. */
export async function gatewayPid(app: DesktopApp): Promise<number> {
  for (;;) {
    const [gateway] = (await app.facts()).processes
    if (gateway && gateway.pid > 0) return gateway.pid
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const agentKey = ({ page }: DesktopApp): Promise<string | null> =>
  page.evaluate(() => (window as unknown as DesktopWindow).desktop.agentKey())

/** An MCP client with the key of the first run. */
export async function agent(app: DesktopApp, backend: string): Promise<Client> {
  const client = new Client({ name: 'an agent', version: '1' })
  const authorization = `Bearer ${await agentKey(app)}`
  const url = new URL(`${await runningUrl(app)}/mcp/${backend}`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }))
  return client
}

/** A backend with one tool, over an API at that port of loopback. */
export async function addShop(app: DesktopApp, port: number): Promise<void> {
  const tools = [{ name: 'item', method: 'GET', endpoint: '/items/:id', description: 'Reads one item' }]
  const added = await adminRequest(app, {
    method: 'POST',
    path: '/register',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'shop', base_url: `http://127.0.0.1:${port}`, tools }),
  })
  expect(added.status, added.body).toBeLessThan(300)
}
