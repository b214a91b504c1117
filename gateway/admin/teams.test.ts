// Teams over the admin API: who may, what a name is, what keeps a team from going, what a change of team ends.

import { describe, expect, it } from 'vitest'
import { Team, UserRecord } from '#contract'
import type { JsonText } from '../storage/json-text.ts'
import { aHouse, type House, PASSWORD } from './admin.fixture.ts'

const aTeam = async (house: House, name: string): Promise<Team> =>
  Team.parse((await house.asKey('/admin-api/teams', { method: 'POST', body: { name } })).json)
const put = (house: House, username: string, body: unknown, headers = {}) =>
  house.asKey(`/admin-api/users/${username}/team`, { method: 'PUT', body, headers })
const audit = async (house: House, action: string) =>
  (await house.asKey(`/admin-api/audit-log?action=${action}`)).json.items as Record<string, unknown>[]

describe('a team', () => {
  it('has a valid name that no other team has [ct.7.6.team-create]', async () => {
    const house = await aHouse()
    expect(await aTeam(house, 'Payments 2')).toEqual({
      id: 1,
      name: 'Payments 2',
      clients: 0,
      users: 0,
      revision: 1,
      createdAt: '2026-01-31T09:15:00.000Z',
      updatedAt: '2026-01-31T09:15:00.000Z',
      createdBy: expect.stringMatching(/^bearer:/),
    })
    const create = (name: unknown) => house.asKey('/admin-api/teams', { method: 'POST', body: { name } })
    for (const name of ['', ' a', '-a', 'a'.repeat(64), 'a/b', 'ä', 7])
      expect(await create(name)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(await create('Payments 2')).toMatchObject({ status: 409, code: 'ALREADY_EXISTS' })
    expect(await audit(house, 'team.create')).toMatchObject([{ target: 'Payments 2', detail: { id: 1 } }])
  })

  it('is renamed; an unknown number is not found [ct.7.6.team ct.18.team_not_found]', async () => {
    const house = await aHouse()
    const { id } = await aTeam(house, 'a')
    await aTeam(house, 'b')
    const rename = (body: unknown, headers = {}) =>
      house.asKey(`/admin-api/teams/${id}`, { method: 'PATCH', body, headers })
    expect(await rename({ name: 'c' }, { 'if-match': '"7"' })).toMatchObject({ status: 412 })
    expect(await rename({ name: 'b' })).toMatchObject({ status: 409, code: 'ALREADY_EXISTS' })
    expect((await rename({ name: 'c' })).json).toMatchObject({ name: 'c', revision: 2 })
    expect((await rename({ name: 'c' })).json).toMatchObject({ revision: 2 })
    expect(await audit(house, 'team.update')).toMatchObject([
      { target: 'c', detail: { before: { name: 'a' }, after: { name: 'c' } } },
    ])
    for (const none of ['99', '0', 'x', '1.5', '-1', '9'.repeat(30)])
      for (const method of ['GET', 'PATCH', 'DELETE'])
        expect(
          await house.asKey(`/admin-api/teams/${none}`, { method, ...(method === 'PATCH' && { body: {} }) }),
        ).toMatchObject({ status: 404, code: 'TEAM_NOT_FOUND' })
  })

  it('stays while anything belongs to it, and lists what does (security case TN-06) [ct.7.6.team ct.18.team_not_empty ct.10.4.team ct.19.22.team]', async () => {
    const house = await aHouse()
    const { id } = await aTeam(house, 'a')
    await house.addUser('ada', 'viewer', { teamId: id })
    await house.database.write(async (tx) => {
      const entry = '{}' as JsonText<never> // never read
      await tx
        .insertInto('catalog_entries')
        .values({ slug: 's', entry, team_id: id, revision: 1, created_at: '', updated_at: '', created_by: null })
        .execute()
    })
    expect((await house.asKey(`/admin-api/teams/${id}`)).json).toMatchObject({ clients: 0, users: 1 })
    const remove = () => house.asKey(`/admin-api/teams/${id}`, { method: 'DELETE' })
    const answer = await remove()
    expect(answer).toMatchObject({ status: 409, code: 'TEAM_NOT_EMPTY' })
    expect(answer.json.error).toMatchObject({ details: { clients: 0, users: 1, other: 1 } })
    await house.asKey('/admin-api/users/ada', { method: 'DELETE' })
    await house.database.write(async (tx) => void (await tx.deleteFrom('catalog_entries').execute()))
    expect((await remove()).status).toBe(204)
    expect((await remove()).status).toBe(404)
    expect(await audit(house, 'team.delete')).toMatchObject([{ target: 'a', detail: { id } }])
  })

  it('is all that its people see of teams [ct.7.6.teams]', async () => {
    const house = await aHouse()
    const names = ['c', 'a', 'b']
    for (const name of names) await aTeam(house, name)
    const list = async (headers: Readonly<Record<string, string>>) => {
      const { json } = await house.ask('/admin-api/teams?limit=2', { headers })
      return json as { items: Team[]; nextCursor?: string }
    }
    const viewer = await house.aSession('ada', 'viewer', { teamId: 3 })
    expect((await list(viewer)).items.map(({ name }) => name)).toEqual(['b'])
    expect((await house.ask('/admin-api/teams/3', { headers: viewer })).status).toBe(200)
    expect(await house.ask('/admin-api/teams/1', { headers: viewer })).toMatchObject({ code: 'TEAM_NOT_FOUND' })
    const boss = await house.aSession('boss', 'admin')
    const first = await list(boss)
    expect(first.items.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(first.nextCursor).toBeDefined()
  })
})

describe('a user', () => {
  it('is made into a team that is there [ct.7.6.user-team]', async () => {
    const house = await aHouse()
    const { id } = await aTeam(house, 'a')
    const create = (username: string, teamId: number) =>
      house.asKey('/admin-api/users', { method: 'POST', body: { username, password: PASSWORD, teamId } })
    expect(await create('ada', 99)).toMatchObject({ status: 404, code: 'TEAM_NOT_FOUND' })
    expect(UserRecord.parse((await create('ada', id)).json)).toMatchObject({ teamId: id })
  })

  it('changes team, which ends the sessions of before [ct.7.6.user-set-team ct.2.5.revoke-team ct.13.2.user.team.set]', async () => {
    const house = await aHouse()
    const { id } = await aTeam(house, 'a')
    const session = await house.aSession('ada', 'operator')
    expect(await put(house, 'ada', { teamId: 99 })).toMatchObject({ status: 404, code: 'TEAM_NOT_FOUND' })
    expect(await put(house, 'missing', { teamId: id })).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' })
    expect(await put(house, 'ada', { teamId: id, revision: 9 })).toMatchObject({ status: 412 })
    expect((await house.ask('/admin-api/auth/me', { headers: session })).status).toBe(200)
    expect((await put(house, 'ada', { teamId: id })).json).toMatchObject({ teamId: id, revision: 2 })
    expect((await house.ask('/admin-api/auth/me', { headers: session })).status).toBe(401)
    const again = await house.signIn('ada')
    expect((await put(house, 'ada', { teamId: id })).json).toMatchObject({ revision: 2 })
    expect((await house.ask('/admin-api/auth/me', { headers: again })).json).toMatchObject({ user: { teamId: id } })
    expect(await audit(house, 'user.team.set')).toMatchObject([
      { target: 'ada', detail: { before: { teamId: null }, after: { teamId: id } } },
    ])
  })

  it('is not taken into a team when no admin without one would be left', async () => {
    const house = await aHouse()
    const { id } = await aTeam(house, 'a')
    await house.addUser('boss', 'admin')
    expect(await put(house, 'boss', { teamId: id })).toMatchObject({ status: 409, code: 'LAST_SUPERADMIN_PROTECTED' })
    await house.addUser('second', 'admin')
    expect((await put(house, 'boss', { teamId: id })).status).toBe(200)
    expect((await put(house, 'boss', { teamId: null })).status).toBe(200)
  })
})

describe('the audit log of a team', () => {
  it('is its own part: what was done by its people or to its records', async () => {
    const house = await aHouse()
    const [one, two] = [await aTeam(house, 'one'), await aTeam(house, 'two')]
    const ada = await house.aSession('ada', 'auditor', { teamId: one.id })
    const bob = await house.aSession('bob', 'auditor', { teamId: two.id })
    await house.asKey('/admin-api/users/bob', { method: 'PATCH', body: { role: 'viewer' } })
    await house.asKey('/admin-api/users/bob', { method: 'PATCH', body: { role: 'auditor' } })
    const read = async (session: Readonly<Record<string, string>>, path = '') =>
      (await house.ask(`/admin-api/audit-log${path}`, { headers: session })).json.items as {
        actor: string
        action: string
        target: string
      }[]
    expect((await read(ada)).map(({ actor, action }) => `${actor} ${action}`)).toEqual(['ada auth.login'])
    const again = await house.signIn('bob')
    expect((await read(again)).map(({ action, target }) => `${action} ${target}`)).toEqual([
      'auth.login bob',
      'user.update bob',
      'user.update bob',
      'auth.login bob',
    ])
    expect(bob).not.toEqual(again)
    const exported = await house.ask('/admin-api/audit-log/export?format=json', { headers: ada })
    expect((exported.json.items as { actor: string }[]).every(({ actor }) => actor === 'ada')).toBe(true)
    const verdict = await house.ask('/admin-api/audit-log/verify', { headers: ada })
    const whole = await house.asKey('/admin-api/audit-log/verify')
    expect(verdict.json.checked).toBe(whole.json.checked)
    expect(verdict.json).toMatchObject({ valid: true })
  })

  it('keeps what was written about a user who is gone', async () => {
    const house = await aHouse()
    const { id } = await aTeam(house, 'one')
    const ada = await house.aSession('ada', 'viewer', { teamId: id })
    await house.addUser('bob', 'viewer', { teamId: id })
    await house.asKey('/admin-api/users/bob', { method: 'PATCH', body: { role: 'operator' } })
    await house.asKey('/admin-api/users/bob', { method: 'DELETE' })
    const { json } = await house.ask('/admin-api/audit-log?target=bob', { headers: ada })
    expect((json.items as { action: string }[]).map(({ action }) => action)).toEqual(['user.delete', 'user.update'])
  })
})
