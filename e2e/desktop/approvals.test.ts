// An agent's call that needs a person, in the desktop: announced outside the window, decided in it, passed once.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listening } from '../../gateway/net/listening.fixture.ts'
import { addShop, adminRequest, agent, soon } from './desktop.fixture.ts'
import { hasHost, hostName, useApp } from './launch.ts'

let server: Server
let reached: string[]
beforeAll(async () => {
  reached = []
  server = createServer(({ url }, response) => {
    reached.push(url ?? '')
    response.setHeader('content-type', 'application/json').end('{"sold":true}')
  })
  await listening(server)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

type Refused = { readonly code: string; readonly reason: string; readonly approval?: { readonly id: number } }
const refusalOf = ({ structuredContent }: Awaited<ReturnType<Client['callTool']>>): Refused =>
  structuredContent as Refused // looked at by the test

describe.skipIf(!hasHost)(`approvals in the desktop (${hostName})`, () => {
  const running = useApp({ ALLOW_PRIVATE_IPS: 'true' })

  it('wait in the tray, are decided in the window, and let one call through', async () => {
    const app = running()
    const { port } = server.address() as AddressInfo // a TCP server has one
    await addShop(app, port)
    const gated = await adminRequest(app, {
      method: 'PATCH',
      path: '/admin-api/clients/shop/tools/item',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requiresApproval: true }),
    })
    expect(gated.status, gated.body).toBe(200)
    const client = await agent(app, 'shop')
    const call = (more: object = {}) => client.callTool({ name: 'item', arguments: { id: '5', ...more } })
    const queued = refusalOf(await call())
    expect(queued).toMatchObject({ code: 'approval', reason: 'queued' })
    const id = queued.approval?.id ?? 0

    await soon(async () => (await app.facts()).tray).toContain('1 call waits for approval…')
    expect(JSON.stringify((await app.facts()).notices)).toContain('A call waits for you')
    // A page that is still loading is led there too.
    await app.page.reload({ waitUntil: 'commit' })
    await app.clickTray('1 call waits for approval…')
    await app.page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
    await app.page.getByRole('row').filter({ hasText: 'item' }).click()
    await app.page.getByRole('heading', { name: `Ticket ${id}` }).waitFor()
    await app.page.keyboard.press('a')
    await app.page.getByRole('dialog', { name: 'Approve this call?' }).waitFor()
    await app.page.keyboard.press('Enter')
    await app.page.getByText('No pending approvals').waitFor()
    await soon(async () => (await app.facts()).tray.join()).not.toContain('for approval')

    expect(reached).toEqual([])
    const passed = await call({ __approval_id: id })
    expect([passed.isError, reached]).toEqual([undefined, ['/items/5']])
    expect(refusalOf(await call({ __approval_id: id }))).toMatchObject({ code: 'approval', reason: 'consumed' })
    expect(reached).toHaveLength(1)
    await client.close()
  })
})
