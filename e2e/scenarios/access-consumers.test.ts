// Consumers and guard policies over real sockets: a quota to the exact call, and limits written into many tools at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bearer, mint, outcome } from './access.fixture.ts'
import { body, type Mall, make, member, startMall } from './curation.fixture.ts'
import { aShop, aShopGateway, configure, rpc } from './data-plane.fixture.ts'
import type { Answer, Env, Gateway } from './gateway.fixture.ts'

type Made = { readonly id: number; readonly name: string; readonly [field: string]: unknown }
let mall: Mall & { end(): Promise<void> }
beforeAll(async () => {
  mall = await startMall({ RETRY_MAX_ATTEMPTS: '0' })
})
afterAll(() => mall.end())

let serial = 0
const fresh = (what: string): string => `${what} ${(serial += 1)}`
const send = (noun: string, path: string, method: string, given?: object, headers: Env = {}): Promise<Answer> =>
  mall.gateway.admin(`/admin-api/${noun}${path}`, { method, headers, ...(given && { body: given }) })
async function made(noun: string, given: object): Promise<Made> {
  const answer = await send(noun, '', 'POST', given)
  if (answer.status !== 201) throw new Error(`Creating answered ${answer.status}: ${answer.text}`)
  return answer.json as Made // what the contract says a 201 is
}
const codeOf = ({ status, json }: Answer): string => `${status} ${(json as { error?: { code: string } }).error?.code}`
const BOTH = [
  ['consumers', 'CONSUMER'],
  ['policies', 'POLICY'],
] as const

describe.each(BOTH)('the %s', (noun, record) => {
  it('are listed by name, read, changed under their revision and removed; a name is there once [ct.7.6.consumers ct.7.6.consumer ct.7.6.policies ct.7.6.policy ct.18.consumer_not_found ct.18.consumer_exists ct.18.policy_not_found ct.18.policy_exists ct.13.2.consumer]', async () => {
    const names = [fresh('zebra'), fresh('apple')]
    const [zebra, apple] = [await made(noun, { name: names[0] }), await made(noun, { name: names[1] })]
    expect(zebra).toMatchObject({ name: names[0], teamId: null, revision: 1, createdBy: expect.any(String) })
    const listed = async (): Promise<string[]> =>
      (body(await send(noun, '?limit=200', 'GET')).items as Made[]).map(({ name }) => name)
    const all = await listed()
    expect(all).toEqual([...all].sort())
    expect(all).toEqual(expect.arrayContaining(names))
    expect(codeOf(await send(noun, '', 'POST', { name: names[0] }))).toBe(`409 ${record}_EXISTS`)
    expect(codeOf(await send(noun, `/${apple.id}`, 'PATCH', { name: names[0] }))).toBe(`409 ${record}_EXISTS`)
    expect(codeOf(await send(noun, `/${apple.id}`, 'PATCH', { name: 'x' }, { 'if-match': '"9"' }))).toBe(
      '412 PRECONDITION_FAILED',
    )
    const renamed = await send(noun, `/${apple.id}`, 'PATCH', { name: fresh('pear'), revision: 1 })
    expect([renamed.status, renamed.headers.get('etag'), renamed.json]).toMatchObject([200, '"2"', { revision: 2 }])
    expect((await send(noun, `/${apple.id}`, 'DELETE')).status).toBe(204)
    for (const id of [apple.id, 'abc', '0', '-1'])
      for (const method of ['GET', 'PATCH', 'DELETE'] as const)
        expect(codeOf(await send(noun, `/${id}`, method, method === 'PATCH' ? {} : undefined))).toBe(
          `404 ${record}_NOT_FOUND`,
        )
    const entries = body(await mall.gateway.admin('/admin-api/audit-log?limit=20')).items as {
      action: string
      target: string
    }[]
    const verb = noun === 'policies' ? 'policy' : 'consumer'
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining([`${verb}.create`, `${verb}.update`, `${verb}.delete`]),
    )
  })

  it.each<object>(
    noun === 'consumers'
      ? [
          { monthlyQuota: 0 },
          { monthlyQuota: 1e12 + 1 },
          { monthlyQuota: 1.5 },
          { endUserRateLimitPerMin: 0 },
          { endUserRateLimitPerMin: 1e6 + 1 },
          { teamId: 1 },
        ]
      : [
          { rateLimitPerMin: 0 },
          { rateLimitPerMin: 1e6 + 1 },
          { timeoutMs: 0 },
          { timeoutMs: 600_001 },
          { rateLimitPerMin: '5' },
          { teamId: 1 },
        ],
  )('are refused with %j [ct.7.6.consumer-create ct.7.6.policy-create]', async (wrong) => {
    expect(codeOf(await send(noun, '', 'POST', { name: fresh('wrong'), ...wrong }))).toBe('400 VALIDATION_ERROR')
  })
})

describe('a quota', () => {
  it('is used by the calls that pass every gate and by no other, and survives a restart [ct.5.8.quota ct.7.6.consumer-usage ct.10.4.consumer]', async () => {
    const { gateway, upstream } = await aShop({
      AUTO_GATE_WRITE_METHODS: 'true',
      CIRCUIT_BREAKER_FAILURE_THRESHOLD: '2',
      RETRY_MAX_ATTEMPTS: '0',
    })
    const consumer = (
      await gateway.admin('/admin-api/consumers', { method: 'POST', body: { name: 'acme', monthlyQuota: 4 } })
    ).json as Made
    const keys = [
      await mint(gateway, {
        consumerId: consumer.id,
        allowedTools: [
          'petstore__ok',
          'petstore__addPet',
          'petstore__deletePet',
          'petstore__getPetById',
          'petstore__notfound',
          'petstore__broken',
        ],
      }),
      await mint(gateway, { consumerId: consumer.id }),
    ]
    const [first, second] = keys.map(({ key }) => bearer(key)) as [Env, Env] // two of two
    await configure(gateway, 'addPet', { guardrails: { denyPatterns: ['drop'] } })
    await configure(gateway, 'notfound', { guards: { rateLimitPerMin: 1 } })
    const usage = async (on: Gateway = gateway): Promise<unknown> =>
      (await on.admin(`/admin-api/consumers/${consumer.id}/usage`)).json
    const held = [
      await outcome(gateway, first, { name: 'nope' }),
      await outcome(gateway, first, { name: 'hang' }),
      await outcome(gateway, first, { name: 'getPetById', args: { id: 'x' } }),
      await outcome(gateway, first, { name: 'addPet', args: { name: 'drop' } }),
      await outcome(gateway, first, { name: 'deletePet', args: { id: 5 } }),
    ]
    expect(held).toEqual(['key_scope', 'key_scope', 'failed', 'guardrail_input', 'confirm_required'])
    expect([upstream.seen, await usage()]).toMatchObject([[], { used: 0, quota: 4 }])
    // An answer that is an error was a call all the same.
    expect([
      await outcome(gateway, first, { name: 'notfound' }),
      await outcome(gateway, second, { name: 'notfound' }),
    ]).toEqual(['failed', 'rate_limit'])
    expect([await outcome(gateway, second), await outcome(gateway, first, { name: 'broken' })]).toEqual([
      'ok',
      'failed',
    ])
    const now = new Date()
    expect(await usage()).toEqual({
      used: 3,
      quota: 4,
      periodStart: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString(),
      periodEnd: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString(),
    })
    await gateway.stop()

    const again = await aShopGateway({}, gateway.folder)
    expect(await usage(again)).toMatchObject({ used: 3 })
    const together = await Promise.all(
      Array.from({ length: 6 }, (_each, at) => outcome(again, at % 2 ? first : second)),
    )
    expect(together.sort()).toEqual(['ok', ...Array<string>(5).fill('quota')])
    const refused = await rpc(again, 'tools/call', { name: 'ok' }, { headers: first })
    expect(refused.json).toMatchObject({
      result: {
        structuredContent: {
          code: 'quota',
          gate: 'consumer_quota',
          reason: 'monthly',
          retryAfterMs: expect.any(Number),
        },
      },
    })
    expect((await again.admin(`/admin-api/consumers/${consumer.id}`)).json).toMatchObject({
      usedThisMonth: 4,
      keys: 2,
      monthlyQuota: 4,
    })
    // More is allowed at once; without a consumer nothing is counted.
    await again.admin(`/admin-api/consumers/${consumer.id}`, { method: 'PATCH', body: { monthlyQuota: null } })
    expect(await outcome(again, first)).toBe('ok')
    await again.admin(`/admin-api/consumers/${consumer.id}`, { method: 'DELETE' })
    expect((await again.admin(`/admin-api/mcp-keys/${keys[0]?.id}`)).json).toMatchObject({ consumerId: null })
    expect([await outcome(again, first), await outcome(again, second)]).toEqual(['ok', 'ok'])
  })

  it('counts every step of a composite', async () => {
    const { gateway } = mall
    const consumer = await made('consumers', { name: fresh('steps'), monthlyQuota: 5 })
    const step = { targetClient: 'petstore', targetTool: 'ok', argsTemplate: {} }
    await make(gateway, 'composites', { name: 'twice', steps: [step, { ...step, targetClient: 'bank' }] })
    await make(gateway, 'bundles', { name: 'twice-kit', tools: [], composites: ['twice'] })
    const headers = bearer((await mint(gateway, { consumerId: consumer.id, scopes: { bundles: ['twice-kit'] } })).key)
    const at = { path: '/mcp-custom/twice-kit', name: 'twice' }
    expect([await outcome(gateway, headers, at), await outcome(gateway, headers, at)]).toEqual(['ok', 'ok'])
    expect((await send('consumers', `/${consumer.id}`, 'GET')).json).toMatchObject({ usedThisMonth: 4 })
    expect(await outcome(gateway, headers, at)).not.toBe('ok')
    expect((await send('consumers', `/${consumer.id}`, 'GET')).json).toMatchObject({ usedThisMonth: 5 })
  })

  it('is fair among end users, whom the header names before the argument does [ct.5.7.end-user]', async () => {
    const { gateway } = mall
    const consumer = await made('consumers', { name: fresh('users'), endUserRateLimitPerMin: 2 })
    const key = bearer((await mint(gateway, { consumerId: consumer.id })).key)
    const as = (header: string | undefined, argument?: string): Promise<string> =>
      outcome(
        gateway,
        { ...key, ...(header && { 'x-end-user-id': header }) },
        { args: argument === undefined ? {} : { __end_user: argument } },
      )
    expect([await as(undefined, 'ada'), await as('ada', 'bob'), await as('ada')]).toEqual(['ok', 'ok', 'quota'])
    expect([await as(undefined, 'ada'), await as(undefined, 'bob'), await as('bob')]).toEqual(['quota', 'ok', 'ok'])
    expect([await as('bob'), await as(undefined), await as(undefined), await as(undefined)]).toEqual([
      'quota',
      'ok',
      'ok',
      'ok',
    ])
  })
})

describe('a policy', () => {
  const guardsOf = async (client: string, tool: string): Promise<object> =>
    body(await mall.gateway.admin(`/admin-api/clients/${client}/tools/${tool}`)).guards as object

  it('is previewed, then written into the tools of a bundle at once, and leaves what it does not say [ct.7.6.policy-apply ct.10.4.policy gw.route.access-keys]', async () => {
    const { gateway } = mall
    const policy = await made('policies', { name: fresh('slow'), rateLimitPerMin: 7 })
    const setGuards = (client: string, tool: string, guards: object) =>
      gateway.admin(`/admin-api/clients/${client}/tools/${tool}`, { method: 'PATCH', body: { guards } })
    await setGuards('petstore', 'getPetById', { timeoutMs: 900, allowedApiKeys: ['a-key-of-a-user'] })
    await setGuards('bank', 'ok', { rateLimitPerMin: 7 })
    await make(gateway, 'composites', {
      name: 'policied',
      steps: [{ targetClient: 'bank', targetTool: 'ok', argsTemplate: {} }],
    })
    await make(gateway, 'bundles', {
      name: 'policied-kit',
      tools: [member('petstore', 'getPetById'), member('bank', 'ok')],
      composites: ['policied'],
    })
    const before = await guardsOf('petstore', 'getPetById')
    const after = { ...before, rateLimitPerMin: 7 }
    const expected = {
      skipped: expect.arrayContaining([
        { tool: 'policied', reason: 'composite' },
        { tool: 'bank__ok', reason: 'unchanged' },
      ]),
      changes: [{ client: 'petstore', tool: 'getPetById', before, after }],
    }
    const preview = await send('policies', `/${policy.id}/apply`, 'POST', { bundle: 'policied-kit', dryRun: true })
    expect([preview.status, preview.json]).toEqual([200, { applied: 0, ...expected }])
    expect(await guardsOf('petstore', 'getPetById')).toEqual(before)
    const applied = await send('policies', `/${policy.id}/apply`, 'POST', { bundle: 'policied-kit' })
    expect([applied.status, applied.json]).toEqual([200, { applied: 1, ...expected }])
    expect(await guardsOf('petstore', 'getPetById')).toEqual(after)
    expect((await send('policies', `/${policy.id}/apply`, 'POST', { bundle: 'policied-kit' })).json).toMatchObject({
      applied: 0,
      changes: [],
    })
    await send('policies', `/${policy.id}`, 'DELETE')
    expect(await guardsOf('petstore', 'getPetById')).toEqual(after)
  })

  it('holds for the next call of a tool it was written into, and names what it could not find', async () => {
    const { gateway } = mall
    const policy = await made('policies', { name: fresh('once'), rateLimitPerMin: 1, timeoutMs: 5_000 })
    const key = bearer((await mint(gateway)).key)
    const tools = [
      member('bank', 'notfound'),
      member('bank', 'nope'),
      member('missing', 'ok'),
      member('bank', 'notfound'),
    ]
    const { json } = await send('policies', `/${policy.id}/apply`, 'POST', { tools })
    expect(json).toMatchObject({
      applied: 1,
      skipped: [
        { tool: 'bank__nope', reason: 'not_found' },
        { tool: 'missing__ok', reason: 'not_found' },
      ],
      changes: [{ client: 'bank', tool: 'notfound', after: { rateLimitPerMin: 1, timeoutMs: 5_000 } }],
    })
    const at = { path: '/mcp/bank', name: 'notfound' }
    expect([await outcome(gateway, key, at), await outcome(gateway, key, at)]).toEqual(['failed', 'rate_limit'])
  })

  it('is applied to a bundle or to tools, one of the two, that are there', async () => {
    const policy = await made('policies', { name: fresh('strict'), timeoutMs: 100 })
    const apply = async (given: object, id: number | string = policy.id): Promise<string> =>
      codeOf(await send('policies', `/${id}/apply`, 'POST', given))
    expect([
      await apply({}),
      await apply({ bundle: 'a', tools: [member('bank', 'ok')] }),
      await apply({ tools: [] }),
    ]).toEqual(Array(3).fill('400 VALIDATION_ERROR'))
    expect([await apply({ bundle: 'nope' }), await apply({ bundle: 'nope' }, 9_999)]).toEqual([
      '404 BUNDLE_NOT_FOUND',
      '404 POLICY_NOT_FOUND',
    ])
  })
})
