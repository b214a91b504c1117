import { describe, expect, it } from 'vitest'
import { aDatabase } from '../storage/database.fixture.ts'
import { addUser, aTime } from './auth.fixture.ts'
import { bootstrapAdmin } from './bootstrap.ts'
import { createPasswords } from './passwords.ts'

const passwords = createPasswords({ cost: 1 })

async function bootstrap(username: string | null, password: string | null, before: readonly string[] = []) {
  const database = await aDatabase(':memory:')
  for (const name of before) await addUser(database, name)
  const received: string[] = []
  const onAppended = ({ action }: { readonly action: string }): void => void received.push(action)
  const settings = { BOOTSTRAP_ADMIN_USERNAME: username, BOOTSTRAP_ADMIN_PASSWORD: password }
  const parts = { database, passwords, settings, clock: aTime().clock, requestId: 'r-1', onAppended }
  const users = () => database.query.selectFrom('users').selectAll().execute()
  const audit = () => database.query.selectFrom('audit_log').selectAll().execute()
  return { run: () => bootstrapAdmin(parts), users, audit, received }
}

describe('the first admin', () => {
  // cites: gw.bootstrap.one-of-two gw.bootstrap.only-empty
  it.each([
    ['one variable alone: the name', 'root', null, []],
    ['one variable alone: the password', null, 'a first password', []],
    ['both, when there is a user', 'root', 'a first password', ['ada']],
    ['neither, when there is a user', null, null, ['ada']],
  ])('is not made of %s', async (_case, username, password, before) => {
    const { run, users, audit } = await bootstrap(username, password, before)
    expect(await run()).toEqual({ username: null, line: null })
    expect((await users()).map((user) => user.username)).toEqual(before)
    expect(await audit()).toEqual([])
  })

  it('is not created with an invalid name, or with the name as password', async () => {
    const { run, users } = await bootstrap('not a name', 'a first password')
    await expect(run()).rejects.toThrow('BOOTSTRAP_ADMIN_USERNAME')
    const weak = await bootstrap('root-of-them-all', 'root-of-them-all')
    await expect(weak.run()).rejects.toMatchObject({ code: 'WEAK_PASSWORD' })
    expect([...(await users()), ...(await weak.users())]).toEqual([])
  })

  it('is created from the variables, without printing a line [gw.bootstrap.first-admin]', async () => {
    const { run, users } = await bootstrap(' Root ', 'a first password')
    expect(await run()).toEqual({ username: 'root', line: null })
    const [user] = await users()
    expect(user).toMatchObject({ username: 'root', role: 'admin', is_active: 1, team_id: null })
    expect(await passwords.verify('a first password', user?.password_hash ?? null)).toBe(true)
  })

  it('has a generated password in one printed line, and only its hash elsewhere [gw.bootstrap.generated gw.bootstrap.only-hash]', async () => {
    const { run, users, audit } = await bootstrap(null, null)
    const { line } = await run()
    const password = /^bootstrap admin: username=admin password=(\S{24})$/.exec(line ?? '')?.[1] ?? ''
    expect(password).toHaveLength(24)
    expect(JSON.stringify([await users(), await audit()])).not.toContain(password)
    expect(await passwords.verify(password, (await users())[0]?.password_hash ?? null)).toBe(true)
    expect(await run()).toEqual({ username: null, line: null })
  })

  it('is created once by concurrent starts, and audited', async () => {
    const { run, users, audit, received } = await bootstrap(null, null)
    const made = (await Promise.all([run(), run(), run()])).filter(({ username }) => username !== null)
    expect(made).toHaveLength(1)
    expect(await users()).toHaveLength(1)
    expect(received).toEqual(['system.bootstrap_admin'])
    expect(await audit()).toMatchObject([
      {
        actor: 'system',
        action: 'system.bootstrap_admin',
        target: 'admin',
        detail: '{"generated":true,"request_id":"r-1"}',
      },
    ])
  })
})
