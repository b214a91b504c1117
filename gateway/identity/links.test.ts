// Links that connect a person: ten minutes, one use, one person. And who a person is.
import { expect, it } from 'vitest'
import { insertBackend } from '../storage/backends.ts'
import { aDatabase } from '../storage/database.fixture.ts'
import { jsonText } from '../storage/json-text.ts'
import { takeConnect } from '../storage/upstream-grants.ts'
import { insertUser } from '../storage/users.ts'
import { createLinks, hashed } from './links.ts'
import { createPrincipals } from './principals.ts'

const AT = '2026-01-01T00:00:00.000Z'
const MINUTE_MS = 60_000
const ada = { id: '["user","1"]', name: 'ada' }
const bob = { id: '["user","2"]', name: 'bob' }

async function aPlace() {
  const database = await aDatabase()
  const time = { nowMs: Date.parse(AT) }
  const id = await database.write((tx) =>
    insertBackend(tx, {
      name: 'people',
      kind: 'rest',
      source: 'manual',
      enabled: 1,
      base_url: 'https://people.test',
      tags: jsonText([]),
      discovered_at: AT,
      revision: 1,
      created_at: AT,
      updated_at: AT,
    }),
  )
  const links = createLinks({ database, clock: { now: () => time.nowMs } }, () => 'https://gantry.test')
  const codeOf = ({ url }: { readonly url: string }): string => url.split('/').at(-1) ?? ''
  return { database, time, id, links, codeOf }
}

it('works for its person until ten minutes have passed', async () => {
  const { time, id, links, codeOf } = await aPlace()
  const made = await links.make({ id }, ada, ['read'])
  expect(made.expiresAt).toBe('2026-01-01T00:10:00.000Z')
  await expect(links.find(codeOf(made), bob)).rejects.toMatchObject({ code: 'CONNECT_LINK_ENDED' })
  time.nowMs += 10 * MINUTE_MS - 1
  expect(await links.find(codeOf(made), ada)).toMatchObject({ backend_id: id, scopes: 'read' })
  time.nowMs += 1
  await expect(links.find(codeOf(made), ada)).rejects.toMatchObject({ code: 'CONNECT_LINK_ENDED' })
})

it('is the same for a call that is repeated, while most of its time is left', async () => {
  const { time, id, links } = await aPlace()
  const first = await links.make({ id }, ada, ['read'])
  time.nowMs += 4 * MINUTE_MS
  expect(await links.make({ id }, ada, ['read'])).toEqual(first)
  expect(await links.make({ id }, ada, ['read', 'write'])).not.toEqual(first)
  time.nowMs += 2 * MINUTE_MS
  expect(await links.make({ id }, ada, ['read'])).not.toEqual(first)
})

it('is taken by one of those who use it at once', async () => {
  const { database, id, links, codeOf } = await aPlace()
  const code = codeOf(await links.make({ id }, ada, []))
  const taken = await Promise.all(
    Array.from({ length: 8 }, () => database.write((tx) => takeConnect(tx, { link: hashed(code) }))),
  )
  expect(taken.filter((row) => row !== undefined)).toHaveLength(1)
  await expect(links.find(code, ada)).rejects.toMatchObject({ code: 'CONNECT_LINK_ENDED' })
})

it('takes a user of single sign-on and a token of the same subject for one person, and an inactive user for none', async () => {
  const { database } = await aPlace()
  const subject = { kind: 'subject', issuer: 'https://idp.test', subject: 's-1' } as const
  const ofSubject = JSON.stringify(['subject', 'https://idp.test', 's-1'])
  const find = (): ReturnType<typeof createPrincipals> => createPrincipals({ database, monotonic: () => 0 })
  expect(await find().of(subject)).toEqual({ id: ofSubject, name: 's-1' })
  await database.write((tx) =>
    insertUser(tx, {
      username: 'ada',
      password_hash: null,
      role: 'viewer',
      is_active: 1,
      oidc_issuer: subject.issuer,
      oidc_subject: subject.subject,
      team_id: null,
      auth_method: 'oidc',
      created_at: AT,
      updated_at: AT,
    }),
  )
  const user = { kind: 'user', username: 'ada' } as const
  expect(await find().of(user)).toEqual({ id: ofSubject, name: 'ada' })
  expect(await find().of(subject)).toEqual({ id: ofSubject, name: 'ada' })
  expect(await find().of({ ...subject, issuer: 'https://other.test' })).toMatchObject({ name: 's-1' })
  await database.write((tx) => tx.updateTable('users').set({ is_active: 0 }).where('username', '=', 'ada').execute())
  for (const person of [user, subject]) expect(await find().of(person)).toBeUndefined()
})
