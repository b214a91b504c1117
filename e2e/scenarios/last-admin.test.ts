// The last admin cannot go, and an admin of a team is neither its successor nor its equal.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { addUser, aGateway, FIRST_ADMIN, type Gateway, passwordOf, signIn, startGateway } from './gateway.fixture.ts'
import { change, codeOf, user } from './identity.fixture.ts'

describe('the last admin', () => {
  // cites: ct.7.6.last-admin ct.18.last_admin_protected
  it('is not demoted, switched off or deleted', async () => {
    const own = await aGateway(FIRST_ADMIN)
    const only = await own.admin(user('admin'))
    expect(only.json).toMatchObject({ role: 'admin', isActive: true })
    expect(codeOf(await change(own, 'admin', { role: 'viewer' }))).toBe('409 LAST_ADMIN_PROTECTED')
    expect(codeOf(await change(own, 'admin', { isActive: false }))).toBe('409 LAST_ADMIN_PROTECTED')
    expect(codeOf(await own.admin(user('admin'), { method: 'DELETE' }))).toBe('409 LAST_ADMIN_PROTECTED')
    await addUser(own, 'asleep', 'admin')
    await change(own, 'asleep', { isActive: false })
    expect(codeOf(await own.admin(user('admin'), { method: 'DELETE' }))).toBe('409 LAST_ADMIN_PROTECTED')
    await addUser(own, 'second', 'admin')
    expect((await own.admin(user('admin'), { method: 'DELETE' })).status).toBe(204)
  })
})

describe('an admin of a team', () => {
  let own: Gateway
  beforeAll(async () => {
    own = await startGateway(FIRST_ADMIN)
    const { json } = await own.admin('/admin-api/teams', { method: 'POST', body: { name: 'one' } })
    const { id: teamId } = z.object({ id: z.number() }).parse(json)
    const body = { username: 'teamed', password: passwordOf('teamed'), role: 'admin', teamId }
    expect((await own.admin('/admin-api/users', { method: 'POST', body })).status).toBe(201)
  })
  afterAll(() => own.end())

  it('does not reach users, backup and settings [gw.auth.7-global-routes ct.19.22.superadmin ct.2.3.s]', async () => {
    const headers = await signIn(own, 'teamed', passwordOf('teamed'))
    for (const path of ['/admin-api/users', '/admin-api/users/teamed', '/admin-api/config/effective'])
      expect(codeOf(await own.ask(path, { headers }))).toBe('403 FORBIDDEN')
    expect(codeOf(await own.ask('/admin-api/backup', { method: 'POST', headers }))).toBe('403 FORBIDDEN')
    expect((await own.ask('/admin-api/overview', { headers })).json).toMatchObject({ adminUsers: null })
  })

  it('is no successor of the last admin without one [ct.7.6.last-superadmin ct.18.last_superadmin_protected]', async () => {
    for (const body of [{ role: 'viewer' }, { isActive: false }])
      expect(codeOf(await change(own, 'admin', body))).toBe('409 LAST_SUPERADMIN_PROTECTED')
    expect(codeOf(await own.admin(user('admin'), { method: 'DELETE' }))).toBe('409 LAST_SUPERADMIN_PROTECTED')
    await addUser(own, 'third', 'admin')
    expect((await own.admin(user('admin'), { method: 'DELETE' })).status).toBe(204)
  })
})
