// A stopped gateway leaves nothing in the process of the tests: the next file of the worker runs in the same process.
import { readdirSync } from 'node:fs'
import { getGlobalDispatcher } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { subscribe } from './access.fixture.ts'
import { call, ROOMY } from './data-plane.fixture.ts'
import { startGateway } from './gateway.fixture.ts'
import { echoing, PETS, registered } from './registration.fixture.ts'

/** Sockets, servers, timers and threads that keep this process alive. */
const active = () => process.getActiveResourcesInfo().toSorted()
const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)])

it('leaves no socket, timer, thread, listener or open file', async () => {
  const api = await startServer((hit, response) =>
    hit.url === '/openapi.json' ? response.end(JSON.stringify(PETS)) : echoing(hit, response),
  )
  onTestFinished(() => api.close())
  const before = { active: active(), listeners: listeners(), dispatcher: getGlobalDispatcher() }
  const gateway = await startGateway(ROOMY)
  onTestFinished(() => gateway.end())
  // One thread reads the specification, one verifies the audit log, one counts the calls.
  await registered(gateway, { name: 'petstore', openapi_url: `${api.url}/openapi.json`, base_url: api.url })
  const stream = await subscribe(gateway, {})
  expect(stream.status).toBe(200)
  expect((await call(gateway, 'getPet', { id: 1 }, '/mcp/petstore')).isError).not.toBe(true)
  for (const path of ['/admin-api/audit-log/verify', '/admin-api/overview', '/admin-api/calls', '/metrics'])
    expect([path, (await gateway.admin(path)).status]).toEqual([path, 200])
  expect(active()).not.toEqual(before.active)

  await gateway.stop()
  await stream.ended
  await expect.poll(active).toEqual(before.active)
  expect(listeners()).toEqual(before.listeners)
  expect(getGlobalDispatcher()).toBe(before.dispatcher)
  // The last connection to the database removes its two files, whichever thread it belongs to.
  expect(readdirSync(gateway.folder).filter((name) => name.startsWith('gantry.db-'))).toEqual([])
  await expect(gateway.ask('/livez')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

it('takes no options of Node', async () => {
  await expect(startGateway({ NODE_OPTIONS: '' })).rejects.toThrow('spawnGateway')
})
