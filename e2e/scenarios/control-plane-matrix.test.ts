// Every tool of the control plane × every kind of caller, generated from two tables: visible or hidden, answered or refused, and with what.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Issuer, openIssuer, signingKey, tokenOf } from '../../gateway/auth/jwt.fixture.ts'
import { LEAST, NAMES, rowOf, source } from '../../gateway/control/catalog.fixture.ts'
import { act, bearer, mint } from './access.fixture.ts'
import { legacy, resultFields, resultOf, sys } from './control-plane.fixture.ts'
import { ADMIN_KEY, addUser, type Env, type Gateway, passwordOf, signIn, startGateway } from './gateway.fixture.ts'

const ROLES = ['viewer', 'auditor', 'operator', 'admin'] as const
type Role = (typeof ROLES)[number]
type Reach = 'everything' | 'mine' | 'one tool of mine' | 'nothing'
type Who = {
  /** What an unauthenticated caller receives. */
  readonly door?: string
  readonly role?: Role
  readonly reach?: Reach
  readonly elevated?: boolean
  /** The admin key of the environment itself. */
  readonly env?: boolean
  /** Of the managed key that it presents. */
  readonly key?: object
}

const outside = (door: string, key?: object): Who => ({ door, ...(key && { key }) })
const withKey = (role: Role, reach: Reach, more: object, elevated = false): Who => ({
  role,
  reach,
  elevated,
  key: { adminRole: role, elevated, ...more },
})
const U = '401 UNAUTHORIZED'
const F = '403 FORBIDDEN'
const MINE = { scopes: { clients: ['mine'] } }
const ONE = { scopes: { tools: ['mine__read'] } }

const CALLERS: Readonly<Record<string, Who>> = {
  'no credential': outside(U),
  'a wrong key': outside(U),
  'a signed-in admin, with the token against forgery': outside(U),
  'a revoked key with a role': outside(U, { adminRole: 'admin', elevated: true }),
  'a rotated key with a role': outside(U, { adminRole: 'admin', elevated: true }),
  'a key of the data plane': outside(F),
  'a token that calls itself admin': outside(F),
  'a key without a role': outside(F, {}),
  'an elevated key without a role': outside(F, { elevated: true }),
  'the key of an install link': outside(F),
  'a key of a bundle with a role': outside('403 KEY_SCOPE', { adminRole: 'admin', scopes: { bundles: ['kit'] } }),
  ...Object.fromEntries(ROLES.map((role) => [`a key: ${role}`, withKey(role, 'everything', {})])),
  ...Object.fromEntries(ROLES.map((role) => [`a key: ${role} of one backend`, withKey(role, 'mine', MINE)])),
  'a key: elevated viewer': withKey('viewer', 'everything', {}, true),
  'a key: elevated operator': withKey('operator', 'everything', {}, true),
  'a key: elevated admin': withKey('admin', 'everything', {}, true),
  'a key: elevated admin of one backend': withKey('admin', 'mine', MINE, true),
  'a key: elevated admin of one tool': withKey('admin', 'one tool of mine', ONE, true),
  'a key: elevated admin, narrowed to one tool': withKey(
    'admin',
    'one tool of mine',
    { ...MINE, allowedTools: ['mine__read'] },
    true,
  ),
  'a key: elevated admin of nothing': withKey('admin', 'nothing', { scopes: {} }, true),
  'the admin key of the environment': { role: 'admin', reach: 'everything', elevated: true, env: true },
}

const visible = ({ role = 'viewer' }: Who, name: string): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(LEAST[rowOf(name).tier])

function reaches({ reach }: Who, name: string, client: string): boolean {
  switch (reach) {
    case 'everything':
      return true
    case 'mine':
      return client === 'mine'
    case 'one tool of mine':
      return client === 'mine' && !['client', 'new-client'].includes(rowOf(name).names ?? '')
    default:
      return false
  }
}

/** What the contract says: tier, then scope, then step-up. */
function expected(who: Who, name: string, client: string, confirmed: boolean): string {
  const { stepUp, names, notFound = '' } = rowOf(name)
  if (who.door !== undefined) return who.door
  if (!visible(who, name)) return 'role_required'
  if (names !== undefined && !reaches(who, name, client)) return notFound
  if (stepUp === 'env' && !who.env) return 'env_bearer_required'
  if (stepUp !== 'none' && !confirmed && (stepUp === 'env' || !who.elevated)) return 'confirm_required'
  return 'ok'
}

let gateway: Gateway
let idp: Issuer & { close(): Promise<void> }
const SIGNING = signingKey('one')
const headersOf: Record<string, Env> = {}

beforeAll(async () => {
  idp = await openIssuer(SIGNING)
  gateway = await startGateway({
    ALLOW_PRIVATE_IPS: 'true',
    RATE_LIMIT_MCP: '1000000',
    RATE_LIMIT_REGISTER: '1000000',
    MCP_API_KEYS: 'a-key-of-the-data-plane',
    JWT_JWKS_URL: idp.url,
    JWT_AUDIENCE: 'gantry',
    SECRET_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
  })
  for (const name of ['mine', 'theirs']) await resultFields(gateway, 'sys_register_client', source(name))
  await resultFields(gateway, 'sys_create_bundle', { name: 'kit', tools: [{ client: 'mine', tool: 'read' }] })
  for (const [who, { key }] of Object.entries(CALLERS)) {
    if (key === undefined) continue
    const made = await mint(gateway, key)
    headersOf[who] = bearer(made.key)
    if (who.includes('revoked')) await act(gateway, made, 'revoke')
    if (who.includes('rotated')) await act(gateway, made, 'rotate')
  }
  await addUser(gateway, 'root', 'admin')
  const link = await gateway.admin('/admin-api/bundles/kit/install-links', { method: 'POST', body: {} })
  const { json } = await gateway.ask(`/install/${(link.json as { token: string }).token}`)
  const { connect } = json as { connect: { headers: Env } } // contract 7.5
  const exp = Math.floor(Date.now() / 1000) + 3_600
  const claims = { aud: 'gantry', sub: 'ada', exp, role: 'admin', adminRole: 'admin', scope: 'admin' }
  Object.assign(headersOf, {
    'no credential': {},
    'a wrong key': bearer(`${ADMIN_KEY}x`),
    'a signed-in admin, with the token against forgery': await signIn(gateway, 'root', passwordOf('root')),
    'a key of the data plane': bearer('a-key-of-the-data-plane'),
    'a token that calls itself admin': bearer(tokenOf({ alg: 'RS256', kid: 'one' }, claims, SIGNING)),
    'the key of an install link': connect.headers,
    'the admin key of the environment': bearer(ADMIN_KEY),
  })
})
afterAll(async () => {
  await gateway.end()
  await idp.close()
})

type Cell = { readonly name: string; readonly client: string; readonly confirmed: boolean; readonly expected: string }
const cellsOf = (who: Who): Cell[] =>
  NAMES.flatMap((name) =>
    (rowOf(name).names === undefined ? ['mine'] : ['mine', 'theirs']).flatMap((client) =>
      [false, true].map((confirmed) => ({ name, client, confirmed, expected: expected(who, name, client, confirmed) })),
    ),
  )
const shown = ({ name, client, confirmed }: Cell, answer: string): string =>
  `${name}(${client})${confirmed ? ' confirmed' : ''}: ${answer}`

let made = 0
async function answered(who: string, { name, client, confirmed }: Cell, keyId: number): Promise<string> {
  const given = rowOf(name).about(client, keyId)
  const args = {
    ...given,
    ...(name === 'sys_create_bundle' && { name: `made-${made++}` }),
    ...(confirmed && { __confirm: true }),
  }
  const answer = await legacy(gateway, 'tools/call', { name, arguments: args }, headersOf[who])
  const { error } = answer.json as { error?: { code: string } } // the door's envelope, or none
  if (error) return `${answer.status} ${error.code}`
  const { isError, structuredContent = {} } = resultOf(answer) as {
    isError?: boolean
    structuredContent?: { code?: string }
  }
  return isError ? (structuredContent.code ?? 'no code') : 'ok'
}

/** The newest change of anything: none is made without its entry. */
async function lastChange(): Promise<unknown> {
  const { items } = (await gateway.admin('/admin-api/audit-log?limit=200')).json as { items: { action: string }[] }
  return items.find(({ action }) => action !== 'tool.call')
}
const keyFor = async (client: string): Promise<number> =>
  (await mint(gateway, { scopes: { tools: [`${client}__read`] } })).id

const refusedTo = (who: Who): Cell[] => cellsOf(who).filter((cell) => cell.expected !== 'ok')
const allowedTo = (who: Who): Cell[] => cellsOf(who).filter((cell) => cell.expected === 'ok')
const ALL_CALLERS = Object.entries(CALLERS)
const INSIDE = ALL_CALLERS.filter(([, { door }]) => door === undefined)
const CONFINED = INSIDE.filter(([, { reach }]) => reach !== 'everything')

// First, so that every refused call finds all records as they were made.
it.each(ALL_CALLERS.filter(([, who]) => refusedTo(who).length > 0))(
  'to %s every call that is refused says why, and changes nothing (security case AZ-01)',
  async (name, who) => {
    const ids: Readonly<Record<string, number>> = { mine: await keyFor('mine'), theirs: await keyFor('theirs') }
    const before = await lastChange()
    const answers: string[] = []
    for (const cell of refusedTo(who)) answers.push(shown(cell, await answered(name, cell, ids[cell.client] ?? 0)))
    expect(answers).toEqual(refusedTo(who).map((cell) => shown(cell, cell.expected)))
    expect(before).toBeDefined()
    expect(await lastChange()).toEqual(before)
  },
)

it.each(CONFINED)('to %s no reading tool shows anything out of its reach', async (name, { reach }) => {
  const reading = NAMES.filter((tool) => rowOf(tool).tier === 'read' && rowOf(tool).names === undefined)
  for (const tool of reading) {
    const found = JSON.stringify(await sys(gateway, tool, {}, headersOf[name]))
    for (const hidden of reach === 'nothing' ? ['mine', 'theirs'] : ['theirs'])
      expect([tool, found]).toEqual([tool, expect.not.stringContaining(hidden)])
  }
})

it.each(INSIDE)('to %s exactly the tools of its tier are listed, and found', async (name, who) => {
  const { tools } = resultOf(await legacy(gateway, 'tools/list', {}, headersOf[name])) as { tools: { name: string }[] }
  const mayCall = NAMES.filter((tool) => visible(who, tool))
  expect(tools.map((tool) => tool.name)).toEqual([...mayCall, 'search_tools'])
  const { matches } = await resultFields(gateway, 'search_tools', { query: 'sys', limit: 50 }, headersOf[name])
  expect((matches as { name: string }[]).map((match) => match.name).toSorted()).toEqual(mayCall)
})

it.each(INSIDE)('to %s every call that is allowed is answered', async (name, who) => {
  const answers: string[] = []
  for (const cell of allowedTo(who)) {
    const keyId = cell.name === 'sys_revoke_key' ? await keyFor(cell.client) : 0
    answers.push(shown(cell, await answered(name, cell, keyId)))
    if (cell.name === 'sys_delete_client') await resultFields(gateway, 'sys_register_client', source(cell.client))
  }
  expect(answers).toEqual(allowedTo(who).map((cell) => shown(cell, 'ok')))
})
