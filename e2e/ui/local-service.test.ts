// A service on the same computer: refused at first, allowed by an admin in one click, revoked on the page of its backend.
import { afterAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { startGateway } from '../scenarios/gateway.fixture.ts'
import { PETS } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, soon, undo, useGateway, visitAs, where } from './ui.fixture.ts'

let upstream: UpstreamServer
const gateway = useGateway({}, async (env) => {
  upstream = await startServer((_hit, response) => answerJson(response, { ...PETS, servers: undefined }))
  return startGateway(env)
})
afterAll(() => upstream.close())

describe.skipIf(!hasBrowser)(`a local service (${where})`, () => {
  it('is added with one click more than a public one', async () => {
    const page = await visitAs('admin', '/admin/add-backend?source=openapi')
    await page.getByLabel('Document URL').fill(`${upstream.url}/openapi.json`)
    await page.getByRole('button', { name: 'Preview tools' }).click()
    const offer = page.getByRole('region', { name: 'Local service' })
    await offer.getByRole('button', { name: `Allow 127.0.0.1:${upstream.port}` }).waitFor()
    expect(await page.getByText('does not lead to a permitted public address').count()).toBe(2) // the field and the error
    expect(await barriers(page)).toEqual([])
    await offer.getByRole('button', { name: `Allow 127.0.0.1:${upstream.port}` }).click()
    await page.getByRole('button', { name: 'Add with 3 tools' }).click()
    await heading(page, 'pets').waitFor()
    const answer = async () => (await gateway().admin('/admin-api/clients/pets')).json
    expect(await answer()).toMatchObject({ localService: { address: '127.0.0.1', port: upstream.port, by: 'admin' } })
  })

  it('is refused again where the admin revokes it, and allowed by undo', async () => {
    const page = await visitAs('admin', '/admin/backends/pets?view=connection')
    const fact = page.getByRole('region', { name: 'Address' })
    const ok = async () => {
      const { json } = await gateway().admin('/admin-api/clients/pets/health-check', { method: 'POST' })
      return (json as { ok: boolean }).ok
    }
    expect(await ok()).toBe(true)
    await fact.getByRole('button', { name: 'Revoke' }).click()
    await fact.getByRole('button', { name: 'Allow for this backend' }).waitFor()
    expect(await ok()).toBe(false)
    expect(await barriers(page)).toEqual([])
    await undo(page, 'is refused for pets')
    await fact.getByText('allowed by admin').waitFor()
    await soon(ok).toBe(true)
  })
})
