// An invitation on the whole gateway and both databases: from its creation to the session, and nowhere a trace of the token.
import { describe, expect, it, onTestFinished } from 'vitest'
import { bothEngines } from './engines.fixture.ts'
import { passwordOf, sessionOf, startGateway } from './gateway.fixture.ts'

const DAY_MS = 86_400_000

describe.each(bothEngines())('an invitation, on $on', ({ hasEngine, anEngine }) => {
  it.skipIf(!hasEngine)('is accepted once, and its token is in no log, no row and no header', async () => {
    const { env, folder, query } = await anEngine()
    const gateway = await startGateway({ LOG_LEVEL: 'trace', ...env }, folder)
    onTestFinished(() => gateway.end())
    const expiresAt = new Date(Date.now() + DAY_MS).toISOString()
    const made = await gateway.admin('/admin-api/users', {
      method: 'POST',
      body: { username: 'ada', role: 'operator', invitation: { expiresAt } },
      headers: { 'idempotency-key': 'invite-ada' },
    })
    const { invitationUrl } = made.json as { invitationUrl: string } // as its contract says
    const path = new URL(invitationUrl).pathname
    const token = path.split('/').at(-1) ?? ''
    const page = await gateway.ask(path, { headers: { accept: 'text/html' } })
    expect(page.status).toBe(200)
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.text).not.toContain(token)

    const post = (where: string, body: object) => gateway.ask(where, { method: 'POST', body })
    expect((await post('/admin-api/auth/invitation', { token })).json).toEqual({ username: 'ada', expiresAt })
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((by) =>
        post('/admin-api/auth/invitation/accept', { token, password: passwordOf(by) }),
      ),
    )
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 410, 410])
    const accepted = answers.find(({ status }) => status === 200)
    const me = accepted && (await gateway.ask('/admin-api/auth/me', { headers: sessionOf(accepted) }))
    expect(me?.json).toMatchObject({ user: { username: 'ada', role: 'operator' } })

    // The creation again, with its key: the link was shown that one time.
    const again = await gateway.admin('/admin-api/users', {
      method: 'POST',
      body: { username: 'ada', role: 'operator', invitation: { expiresAt } },
      headers: { 'idempotency-key': 'invite-ada' },
    })
    expect([again.status, again.json]).toMatchObject([201, { username: 'ada', invitationUrl: null }])

    const rows = await Promise.all(['users', 'audit_log', 'idempotency_keys'].map((t) => query(`select * from ${t}`)))
    expect(rows[0]).toHaveLength(1)
    await gateway.stop()
    expect(gateway.output()).toContain('/admin-api/auth/invitation/accept')
    for (const text of [JSON.stringify(rows), gateway.output()]) expect(text).not.toContain(token)
  })
})
