// Every tool of the control plane with every kind of caller, generated from the table of contract 6.3.
import { describe, expect, it } from 'vitest'
import { ROLES, type Role } from '../contract/role.ts'
import { admin } from './caller.ts'
import { LEAST, NAMES, rowOf } from './catalog.fixture.ts'
import { aControlHouse, aKey, BACKENDS, type ControlHouse, ENV } from './control.fixture.ts'
import { SYS_TOOLS } from './tools.ts'

/** The ids of their keys; the last one does not exist. */
const KEYS: readonly string[] = [...BACKENDS, 'absent']
const about = (name: string, client = 'mine'): object => rowOf(name).about(client, KEYS.indexOf(client) + 1)

/** A new name may belong to any owner; another test covers taken names. */
const NAMING = NAMES.filter((name) => ![undefined, 'new-client'].includes(rowOf(name).names))
const listed = (name: string) => {
  const tool = SYS_TOOLS.find((each) => each.name === name)
  if (tool === undefined) throw new Error(`There is no tool ${name}`)
  return tool
}
const schema = (name: string) =>
  listed(name).listed.inputSchema as { properties: Record<string, unknown>; additionalProperties?: boolean } // written by zod

/** Refused without effect. */
async function refused(house: ControlHouse, work: () => ReturnType<ControlHouse['call']>, code: string, gate?: string) {
  const before = await house.state()
  const answer = await work()
  expect([answer.isError, answer.code, answer.gate]).toEqual([true, code, gate])
  expect(answer.value).toEqual({ code, message: answer.text, request_id: 'r', ...(gate === undefined ? {} : { gate }) })
  expect(await house.state()).toBe(before)
  return answer
}

it('is the fixed catalog of the contract, in tier, step-up and hint [ct.6.3.confirm-declared ct.5.11.sys]', () => {
  expect(SYS_TOOLS.map(({ name }) => name)).toEqual(NAMES)
  for (const { name, tier, stepUp, listed } of SYS_TOOLS) {
    const row = rowOf(name)
    expect([tier, stepUp, listed.annotations.idempotentHint]).toEqual([row.tier, row.stepUp, row.idempotent])
    expect(listed.annotations).toMatchObject({
      readOnlyHint: tier === 'read' || name === 'sys_diagnose',
      destructiveHint: name === 'sys_delete_client' || name === 'sys_revoke_key',
      openWorldHint: name === 'sys_register_client',
    })
    expect(Object.hasOwn(schema(name).properties, '__confirm')).toBe(stepUp !== 'none')
    expect(schema(name).additionalProperties).toBe(name === 'sys_register_client' ? undefined : false)
  }
})

describe.each(NAMES)('%s and the tiers', (name) => {
  const { tier } = rowOf(name)
  const may = (role: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(LEAST[tier])

  it.each(ROLES)(
    'is listed for %s exactly when it may be called (security case AZ-02) [ct.6.2.tier gw.auth.2-tiers gw.sys.hidden]',
    async (role) => {
      const house = await aControlHouse()
      const caller = aKey({ role })
      expect(house.plane.visible(caller).some((tool) => tool.name === name)).toBe(may(role))
      if (may(role)) return
      // Confirmation, elevation and invalid arguments do not change the answer.
      for (const [who, args] of [
        [caller, about(name)],
        [aKey({ role, elevated: true }), { ...about(name), __confirm: true }],
        [caller, { nonsense: true }],
      ] as const) {
        const answer = await refused(house, () => house.call(who, name, args), 'role_required', 'role')
        expect(answer.text).toBe(`Tool '${name}' requires the '${tier}' tier`)
      }
    },
  )
})

describe.each(NAMES)('%s and its arguments', (name) => {
  it('rejects schema violations before other checks [ct.6.2.schema ct.6.2.order]', async () => {
    const house = await aControlHouse()
    const bad = (args: object) => refused(house, () => house.call(aKey(), name, args), 'invalid_arguments')
    for (const field of Object.keys(schema(name).properties).filter((field) => field !== '__confirm')) {
      const answer = await bad({ ...about(name, 'nowhere'), [field]: [[]] })
      expect(answer.text).toMatch(new RegExp(`^Invalid arguments: .*${field}`))
    }
    if (name === 'sys_register_client') return
    expect((await bad({ ...about(name, 'nowhere'), zzz: 1 })).text).toContain('zzz')
  })
})

const CONFINED = {
  'a key of another backend': aKey({ scopes: { clients: ['theirs'] } }),
  'a key of other tools': aKey({ scopes: { tools: ['theirs__read', 'mine__write'] } }),
  'a key that reaches nothing': aKey({ scopes: {} }),
  'a key of another team': aKey({ teamId: 5 }),
  'a key of a backend, narrowed to other tools': aKey({ scopes: { clients: ['mine'] }, allowedTools: ['mine__wipe'] }),
  'an elevated key of another backend': aKey({ scopes: { clients: ['theirs'] }, elevated: true }),
} as const

describe.each(NAMING)('%s and what is out of reach', (name) => {
  const code = rowOf(name).notFound ?? ''

  it.each(Object.entries(CONFINED))(
    'answers %s as if it did not exist, confirmed or not [ct.6.2.scope gw.auth.4-scope gw.auth.5-central gw.error.5-scope ct.6.2.scope-bundle]',
    async (_kind, caller) => {
      const house = await aControlHouse()
      for (const confirmed of [{}, { __confirm: true }]) {
        const ask = async (client: string) => {
          const answer = await refused(
            house,
            () => house.call(caller, name, { ...about(name, client), ...confirmed }),
            code,
          )
          return JSON.stringify(answer).replaceAll(client, '<name>')
        }
        const answers = [await ask('mine'), await ask('dark'), await ask('absent')]
        expect(new Set(answers).size).toBe(1)
      }
    },
  )

  it('permits a pair, not the backend, for a key with tools only [ct.6.2.scope-tools]', async () => {
    const house = await aControlHouse()
    const caller = aKey({ scopes: { tools: ['mine__read'] }, elevated: true })
    const answer = await house.call(caller, name, about(name))
    if (code === 'CLIENT_NOT_FOUND') expect(answer.code).toBe(code)
    else expect(answer).toMatchObject({ isError: false })
  })

  it('permits what its key names, by the source’s name', async () => {
    const house = await aControlHouse()
    expect(await house.call(aKey({ scopes: { clients: ['mine'] }, elevated: true }), name, about(name))).toMatchObject({
      isError: false,
    })
  })
})

describe.each(NAMES.filter((name) => rowOf(name).stepUp === 'confirm'))('%s and its step-up', (name) => {
  it('requires a literal true at the top level of the arguments [ct.6.2.step-up gw.auth.3-step-up]', async () => {
    const house = await aControlHouse()
    for (const given of [undefined, false, 'true', 1, {}, [true], null]) {
      const args = { ...about(name), ...(given === undefined ? {} : { __confirm: given }) }
      await refused(house, () => house.call(aKey(), name, args), 'confirm_required', 'confirmation')
    }
    const answer = await house.call(aKey(), name, { ...about(name), __confirm: true })
    expect(answer).toMatchObject({ isError: false })
    expect(JSON.stringify([answer, await house.audit()])).not.toContain('__confirm')
  })

  it.each([
    ['an elevated key', aKey({ elevated: true })],
    ['the admin key of the environment', ENV],
  ])('is not asked of %s', async (_kind, caller) => {
    const house = await aControlHouse()
    expect(await house.call(caller, name, about(name))).toMatchObject({ isError: false })
  })

  it('audits each refusal without arguments', async () => {
    const house = await aControlHouse()
    await house.call(aKey(), name, about(name))
    const entry = (await house.audit()).at(-1)
    expect(entry).toMatchObject({
      action: 'tool.call',
      target: name,
      detail: { outcome: 'refused', code: 'confirm_required', gate: 'confirmation', surface: 'control' },
    })
    expect(JSON.stringify(entry)).not.toContain('mine')
  })
})

it.each(NAMES)('%s leaves a row on the surface control, for every outcome', async (name) => {
  const house = await aControlHouse()
  await house.call(aKey({ role: 'viewer' }), name, { ...about(name), __confirm: true })
  await house.call(ENV, name, { ...about(name), __confirm: true })
  const rows = await house.database.query.selectFrom('calls').selectAll().orderBy('id').execute()
  const { tier } = rowOf(name)
  const shared = { surface: 'control', client: null, tool: name, called_as: name }
  expect(rows).toMatchObject([
    tier === 'read'
      ? { ...shared, principal: 'mcp-key:7', key_id: 7, outcome: 'success', deny_code: null }
      : { ...shared, principal: 'mcp-key:7', key_id: 7, outcome: 'refused', deny_code: 'role_required', gate: 'role' },
    { ...shared, principal: 'bearer:0123abcd', outcome: 'success' },
  ])
})

it('rejects unknown names, including inherited property names [ct.6.2.unknown]', async () => {
  const house = await aControlHouse()
  for (const name of ['nope', 'mine__read', 'read', 'SYS_METRICS', 'constructor', '__proto__']) {
    const answer = await refused(house, () => house.call(ENV, name, {}), 'unknown_tool', 'resolution')
    expect(answer.text).toBe(`Unknown tool: ${name}`)
  }
})

describe('sys_mint_key (security case AN-09)', () => {
  const args = { label: 'a key', scopes: { clients: ['mine'] }, adminRole: 'viewer', elevated: false }

  it.each([
    ['an admin key', aKey()],
    ['an elevated admin key', aKey({ elevated: true })],
    ['all callers under AUTH_DISABLED', admin('auth-disabled', 'disabled', null, false)],
  ])('is refused to %s, confirmed or not [ct.6.2.mint gw.auth.3-mint gw.sys.sys_mint_key]', async (_kind, caller) => {
    const house = await aControlHouse()
    for (const confirmed of [{}, { __confirm: true }])
      await refused(
        house,
        () => house.call(caller, 'sys_mint_key', { ...args, ...confirmed }),
        'env_bearer_required',
        'env_bearer',
      )
    expect((await house.audit()).at(-1)).toMatchObject({
      action: 'tool.call',
      target: 'sys_mint_key',
      detail: { code: 'env_bearer_required' },
    })
  })

  it('requires a literal true even from the admin key of the environment', async () => {
    const house = await aControlHouse()
    for (const given of [null, 'true', 1, {}, [true]]) {
      const work = () => house.call(ENV, 'sys_mint_key', { ...args, __confirm: given })
      expect((await refused(house, work, 'confirm_required', 'confirmation')).text).not.toContain('elevated')
    }
  })

  it('shows the value once, and stores it nowhere [ct.6.3.sys_mint_key ct.6.3.sys_list_keys gw.sys.sys_list_keys]', async () => {
    const house = await aControlHouse()
    const { value } = await house.call(ENV, 'sys_mint_key', { ...args, __confirm: true })
    expect(value).toMatchObject({
      ...args,
      allowedTools: null,
      active: true,
      key: expect.stringMatching(/^mcp_.{43}$/),
    })
    const { key, ...record } = value
    const listed = await house.call(ENV, 'sys_list_keys', { limit: 1 })
    expect(listed.value).toMatchObject({ items: [record], nextCursor: expect.any(String) })
    const calls = await house.database.query.selectFrom('calls').selectAll().execute()
    expect(JSON.stringify([listed, calls, await house.audit()])).not.toContain(String(key))
  })
})

it('sys_revoke_key revokes once [ct.6.3.sys_revoke_key gw.sys.sys_revoke_key]', async () => {
  const house = await aControlHouse()
  const answer = await house.call(ENV, 'sys_revoke_key', { id: 1 })
  expect(answer.value).toEqual({ id: 1, revokedAt: new Date(house.time.nowMs).toISOString() })
  expect(await house.call(ENV, 'sys_revoke_key', { id: 1 })).toMatchObject({ code: 'ALREADY_REVOKED' })
  expect(await house.call(ENV, 'sys_revoke_key', { id: 99 })).toMatchObject({ code: 'MCP_KEY_NOT_FOUND' })
})
