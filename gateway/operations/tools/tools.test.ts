// Per-tool configuration: everything is judged first, then written with its audit rows, or nothing is.
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { FEATURE_NAMES } from '../../contract/admin/tool-features.ts'
import { ToolPatch } from '../../contract/admin/tools.ts'
import { RegistrationPayload } from '../../contract/registration.ts'
import { aBackendHouse, type BackendHouse, ROOT, someone, stored } from '../backends/backends.fixture.ts'

let house: BackendHouse
const TOOLS = ['one', 'two', 'getPet'].map((name) => ({ name, method: 'get', endpoint: `/${name}`, description: 'd' }))
beforeEach(async () => {
  house = await aBackendHouse()
  await house.registration.register(
    ROOT,
    RegistrationPayload.parse({ name: 'pets', tools: TOOLS, base_url: 'http://127.0.0.1:81' }),
  )
})
const patch = (body: object, tool = 'one', expected: readonly number[] = []) =>
  house.tools.update(ROOT, 'pets', tool, ToolPatch.parse(body), expected)
const actions = async () => (await house.audit()).slice(1).map(({ action }) => action)

describe('a patch that is refused writes nothing [ct.8.1.transaction ct.7.3.patch]', () => {
  async function refused(body: object, code: string, tool = 'one', expected: readonly number[] = []) {
    const before = await stored(house.database)
    await expect(patch(body, tool, expected)).rejects.toMatchObject({ code })
    expect(await stored(house.database)).toBe(before)
  }

  it.each([
    ['is the name of another tool', 'two'],
    ['is reserved', 'search_tools'],
  ])('an alias that %s [ct.5.6.alias ct.1.2.search_tools ct.18.tool_alias_conflict]', async (_case, displayName) => {
    await refused({ overrides: { displayName }, guards: { timeoutMs: 1 } }, 'TOOL_ALIAS_CONFLICT')
  })

  it('an alias that another tool has', async () => {
    await patch({ overrides: { displayName: 'shared' } }, 'two')
    await refused({ overrides: { displayName: 'shared' } }, 'TOOL_ALIAS_CONFLICT')
    // Its own name and its own alias are its own.
    await patch({ overrides: { displayName: 'shared', title: 'again' } }, 'two')
    await patch({ overrides: { displayName: 'one' } }, 'one')
  })

  it.each(['(', '(?<=x)y', '\\1', 'a{1,100000}'])(
    'the pattern %s, and all that came with it [ct.18.unsafe_pattern ct.8.4.unsafe]',
    async (pattern) => {
      await refused({ enabled: false, guardrails: { denyPatterns: ['fine', pattern] } }, 'UNSAFE_PATTERN')
    },
  )

  it('one against a revision that is not the current one', async () => {
    await patch({ enabled: false })
    await refused({ enabled: true }, 'PRECONDITION_FAILED', 'one', [1])
    await expect(patch({ enabled: true }, 'one', [2])).resolves.toMatchObject({ enabled: true, revision: 3 })
  })

  it('of no team, or of another team', async () => {
    await refused({ enabled: false }, 'TOOL_NOT_FOUND', 'missing')
    await expect(house.tools.update(someone(2), 'pets', 'one', { enabled: false }, [])).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
    })
    await expect(
      house.tools.setEnabled(someone(2), 'pets', { toolNames: ['one'], enabled: false }),
    ).rejects.toMatchObject({
      code: 'CLIENT_NOT_FOUND',
    })
  })

  it.each([
    { overrides: { displayName: 'a__b' } },
    { overrides: { displayName: 'x'.repeat(65) } },
    { overrides: { displayName: 'ä' } },
    { guards: { timeoutMs: 0 } },
    { guards: { timeoutMs: 600_001 } },
    { guards: { rateLimitPerMin: 1.5 } },
    { guards: { zzz: 1 } },
    { guardrails: { denyPatterns: Array(21).fill('x') } },
    { redactPaths: Array(101).fill('x') },
    { enabled: null },
    { approval: { levels: 0 } },
    { approval: { levels: 11 } },
    { approval: { ttlMs: 59_999 } },
    { approval: { ttlMs: 604_800_001 } },
    { approval: { useTtlMs: 9_999 } },
    { approval: { useTtlMs: 86_400_001 } },
    { approval: { approvers: ['no user name'] } },
    { approval: { zzz: 1 } },
    { approvalLevels: 11 },
    { requiresApproval: true, approval: { required: true } },
    { approvalLevels: 1, approval: {} },
    { zzz: 1 },
  ])('%j is refused by its schema (security case AZ-16)', (body) => {
    expect(ToolPatch.safeParse(body).success).toBe(false)
  })
})

describe('an approval', () => {
  const approvalOf = async (body: object) => (await patch(body)).config.approval

  it('is one person out of all permitted ones, by default [ct.8.7.bounds]', async () => {
    expect(await approvalOf({ approval: {} })).toEqual({ required: true, levels: 1, approvers: [] })
    const whole = { required: true, levels: 2, approvers: ['ann', 'bob'], ttlMs: 60_000, useTtlMs: 86_400_000 }
    expect(await approvalOf({ approval: { ...whole, approvers: ['Ann', 'bob', 'ann'] } })).toEqual(whole)
    expect((await house.audit()).at(-1)).toMatchObject({
      action: 'tool.approval.update',
      detail: { after: { approval: { levels: 2 } } },
    })
  })

  it('is spelled in two ways [ct.8.7.flat]', async () => {
    expect(await patch({ requiresApproval: true })).toMatchObject({ requiresApproval: true, features: ['approval'] })
    expect(await approvalOf({ approvalLevels: 3 })).toEqual({ required: true, levels: 3, approvers: [] })
    expect(await approvalOf({ requiresApproval: true, approvalLevels: 2 })).toMatchObject({ levels: 2 })
    expect(await patch({ requiresApproval: false })).toMatchObject({ requiresApproval: false, features: [] })
    expect(await patch({ approvalLevels: 2 })).toMatchObject({ requiresApproval: false })
    expect(await approvalOf({ requiresApproval: true })).toMatchObject({ required: true, levels: 2 })
    expect(await approvalOf({ requiresApproval: null })).toBeNull()
  })

  it('goes back as it was read', async () => {
    const { config } = await patch({ approval: { levels: 2, approvers: ['ann', 'bob'] } })
    expect((await patch(config)).config).toEqual(config)
  })

  it('is never more than there are approvers [ct.8.7.levels]', async () => {
    await patch({ approval: { levels: 2, approvers: ['ann', 'bob'] } })
    for (const body of [{ approval: { levels: 2, approvers: ['ann', 'ANN'] } }, { approvalLevels: 3 }])
      await expect(patch(body)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  it('makes the tool a destructive one, also where it declared otherwise', async () => {
    const { annotations } = await patch({
      approval: {},
      overrides: { annotations: { destructiveHint: false, readOnlyHint: true } },
    })
    expect(annotations).toMatchObject({ destructiveHint: true, readOnlyHint: false })
  })
})

describe('guards', () => {
  it('merge field by field, so that nothing vanishes by being left out [ct.8.2.absent ct.8.2.clear ct.8.2.null ct.19.13.guards]', async () => {
    await patch({ guards: { rateLimitPerMin: 5, timeoutMs: 100, allowedApiKeys: ['key-one'] } })
    const { guards } = await patch({ guards: { rateLimitScope: 'principal', rateLimitPerMin: null } })
    expect(guards).toMatchObject({ rateLimitPerMin: null, rateLimitScope: 'principal', timeoutMs: 100 })
    expect(guards?.allowedKeyHashes).toHaveLength(1)
    expect((await patch({ guards: { allowedApiKeys: [] } })).guards?.allowedKeyHashes).toEqual([])
    expect((await patch({ guards: null })).guards).toBeNull()
  })

  it('keep a scope that was set before its limit', async () => {
    await patch({ guards: { rateLimitScope: 'principal' } })
    expect((await patch({ guards: { rateLimitPerMin: 5 } })).guards).toMatchObject({ rateLimitScope: 'principal' })
  })

  it('hold hashes of keys and never the keys [ct.8.2.hashed ct.8.2.read gw.record.allowlist-hashed]', async () => {
    const keys = ['raw-key-one', 'raw-key-two', 'raw-key-one']
    const { guards, config } = await patch({ guards: { allowedApiKeys: keys, allowedKeyIds: [3, 3, 4] } })
    const hashes = ['raw-key-one', 'raw-key-two'].map((key) => createHash('sha256').update(key).digest('hex'))
    expect(guards).toMatchObject({ allowedKeyHashes: hashes, allowedKeyIds: [3, 4] })
    const everywhere = JSON.stringify([await stored(house.database), config, await house.audit()])
    expect(everywhere).not.toContain('raw-key')
    const row = (await house.audit()).at(-1)
    expect(row?.detail).toMatchObject({ after: { guards: { allowedKeyHashes: 2 } } })
  })

  it('and everything else go with null or false [ct.8.1.replace]', async () => {
    await patch({
      guards: { timeoutMs: 1 },
      overrides: { title: 't' },
      redactPaths: ['a.b'],
      guardrails: { blockSecrets: true },
      sensitive: false,
      approval: { levels: 2 },
    })
    const { config } = await patch({
      guards: false,
      overrides: false,
      redactPaths: false,
      guardrails: null,
      sensitive: null,
      approval: false,
    })
    expect(config).toEqual({
      ...Object.fromEntries(FEATURE_NAMES.map((name) => [name, null])),
      enabled: true,
      guards: null,
      overrides: null,
      sensitive: null,
      redactPaths: null,
      guardrails: null,
      approval: null,
      requiresApproval: null,
      approvalLevels: null,
      listOutputSchema: null,
    })
  })
})

describe('overrides', () => {
  it('merge field by field, and keep what they say of parameters that are not there yet [ct.8.3.unknown-param]', async () => {
    const params = {
      missing: { description: 'of a version to come' },
      constructor: { description: 'a name like any other' },
    }
    await patch({ overrides: { params, title: 'One' } })
    const { overrides, inputSchema } = await patch({ overrides: { description: 'changed' } })
    expect(overrides).toEqual({ params, title: 'One', description: 'changed' })
    expect(JSON.stringify(inputSchema)).not.toContain('of a version to come')
  })
})

describe('a feature', () => {
  it('is off until it is set [gw.tools.features]', () => {
    const { config, features } = house.tools.get(ROOT.actor, 'pets', 'one')
    expect(features).toEqual([])
    expect(Object.entries(config).filter(([, value]) => value !== null)).toEqual([['enabled', true]])
    expect(FEATURE_NAMES.filter((name) => config[name] !== null)).toEqual([])
  })

  it('is replaced as a whole by the object that is given for it [ct.1.3.patch-object]', async () => {
    await patch({
      quarantinePolicy: { consecutiveThreshold: 7, action: 'observe' },
      guardrails: { denyPatterns: ['x'] },
    })
    const { config } = await patch({ quarantinePolicy: { action: 'block' }, guardrails: { blockSecrets: true } })
    expect(config).toMatchObject({
      quarantinePolicy: { consecutiveThreshold: 3, action: 'block' },
      guardrails: { denyPatterns: [], blockSecrets: true },
    })
  })
})

describe('a change', () => {
  it('is audited once per key, with before and after, and moves the revision once [ct.8.1.audit gw.route.tool-patch]', async () => {
    const detail = await patch({
      enabled: false,
      guards: { timeoutMs: 5 },
      overrides: { displayName: 'alias', description: 'changed' },
      sensitive: true,
      redactPaths: ['a'],
      guardrails: { denyPatterns: ['x'] },
    })
    expect(detail).toMatchObject({
      revision: 2,
      alias: 'alias',
      description: 'changed',
      upstreamDescription: 'd',
      sensitiveSource: 'explicit',
      features: ['guards', 'overrides', 'sensitive', 'redactPaths', 'guardrails'],
    })
    expect(await actions()).toEqual([
      'tool.disable',
      'tool.guards.update',
      'tool.override.update',
      'tool.sensitivity.update',
      'tool.redaction.update',
      'tool.guardrails.update',
    ])
    expect((await house.audit()).at(-1)).toMatchObject({
      target: 'pets__one',
      detail: { before: { guardrails: null }, after: { guardrails: { denyPatterns: ['x'] } } },
    })
  })

  it('to what is already so changes and audits nothing [ct.1.8.same-state]', async () => {
    await patch({ enabled: true })
    await patch({ overrides: { title: null } })
    await house.tools.setEnabled(ROOT, 'pets', { toolNames: ['one', 'two'], enabled: true })
    await house.tools.setTags(ROOT, 'pets', 'one', { tags: [] })
    expect([await actions(), house.tools.get(ROOT.actor, 'pets', 'one').revision]).toEqual([[], 1])
  })

  it('by two people at the same time loses nothing of either', async () => {
    await Promise.all([
      patch({ guards: { timeoutMs: 5 } }),
      patch({ overrides: { title: 'a title' } }),
      patch({ sensitive: true }),
      patch({ guards: { rateLimitPerMin: 9 } }),
    ])
    expect(house.tools.get(ROOT.actor, 'pets', 'one')).toMatchObject({
      guards: { timeoutMs: 5, rateLimitPerMin: 9 },
      overrides: { title: 'a title' },
      sensitive: true,
    })
    const same = [2, 2, 2].map((title) => patch({ overrides: { title: String(title) } }, 'two', [1]))
    const settled = await Promise.allSettled(same)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('works on a backend that is torn down, and does not wake it', async () => {
    await house.backends.teardown(ROOT, 'pets')
    expect(await patch({ enabled: false })).toMatchObject({ enabled: false, live: false })
    expect(house.registry.isLive('pets')).toBe(false)
    expect((await house.reborn()).get('pets')?.tools.get('one')?.config).toEqual({ enabled: false })
  })
})

describe('tools', () => {
  it('are found by source name and snake_case, and returned by their stored name [ct.4.4.lookup]', async () => {
    expect(house.tools.get(ROOT.actor, 'pets', 'get_pet').tool).toBe('getPet')
    expect(
      (await house.tools.setEnabled(ROOT, 'pets', { toolNames: ['getPet', 'get_pet', 'missing'], enabled: false }))
        .results,
    ).toEqual({
      getPet: true,
      get_pet: true,
      missing: false,
    })
    expect(await actions()).toEqual(['tool.disable'])
  })

  it('are listed by backend and name with their filters, page by page [ct.7.3.list]', async () => {
    await house.registration.register(
      ROOT,
      RegistrationPayload.parse({ name: 'aaa', tools: TOOLS.slice(0, 1), base_url: 'http://127.0.0.1:81' }),
    )
    await house.tools.setTags(ROOT, 'pets', 'two', { tags: ['blue', 'blue', 'a'] })
    await patch({ enabled: false, sensitive: true }, 'two')
    const list = (filter: object, limit = 100, cursor?: string) =>
      house.tools.list(ROOT.actor, { ...filter, limit, ...(cursor ? { cursor } : {}) })
    const names = (filter: object) => list(filter).items.map(({ client, tool }) => `${client}.${tool}`)
    expect(names({})).toEqual(['aaa.one', 'pets.getPet', 'pets.one', 'pets.two'])
    expect(names({ client: 'pets', q: 'ONE' })).toEqual(['pets.one'])
    expect(names({ tag: 'blue' })).toEqual(['pets.two'])
    expect(names({ enabled: false })).toEqual(['pets.two'])
    expect(names({ sensitive: true, method: 'get', kind: 'rest', missing: false })).toEqual(['pets.two'])
    expect(names({ method: 'POST' })).toEqual([])
    const first = list({}, 3)
    expect([first.items.length, list({}, 3, first.nextCursor).items.map(({ tool }) => tool)]).toEqual([3, ['two']])
    expect(house.tools.list(someone(4).actor, { limit: 10 }).items).toEqual([])
    expect(house.tools.tags(ROOT.actor, { limit: 10 }).items).toEqual([
      { tag: 'a', count: 1 },
      { tag: 'blue', count: 1 },
    ])
    expect(house.tools.tagged(ROOT.actor, 'blue', { limit: 10 }).items).toEqual([{ client: 'pets', tool: 'two' }])
  })
})
