// Rate-limited admin actions with a second entrance: both spend one budget. Each limited route has to say which it has.
import { expect, it } from 'vitest'
import { API } from '#contract'
import { resultFields as answerOf, sys } from './control-plane.fixture.ts'
import { ADMIN_KEY, aGateway, type Gateway } from './gateway.fixture.ts'

const LIMIT = 3
const body = (name: string) => ({
  name,
  base_url: 'http://127.0.0.1:18099',
  tools: [{ name: 'read', method: 'GET', endpoint: '/r', description: 'Reads' }],
})
const key = { authorization: `Bearer ${ADMIN_KEY}` }

/** Answers the code of the refusal, or undefined. */
type Entrance = (gateway: Gateway, turn: number) => Promise<string | undefined>
const codeOf = (json: unknown): string | undefined => (json as { error?: { code?: string } }).error?.code

const REGISTER: Readonly<Record<string, Entrance>> = {
  'POST /register': async (gateway, turn) =>
    codeOf((await gateway.ask('/register', { method: 'POST', body: body(`r${turn}`), headers: key })).json),
  'the tool sys_register_client': async (gateway, turn) => {
    const { structuredContent } = await sys(gateway, 'sys_register_client', { ...body(`s${turn}`), __confirm: true })
    return structuredContent['code'] as string | undefined // of an error
  },
  'an import that registers backends': async (gateway) => {
    const document = await (await gateway.admin('/admin-api/config/export')).json
    const path = '/admin-api/config/import?registerClients=true&dryRun=true'
    return codeOf((await gateway.admin(path, { method: 'POST', body: document })).json)
  },
}

/** Every limited route, with its other entrances; none where no tool, import or job does the same. */
const LIMITED: Readonly<Record<string, Readonly<Record<string, Entrance>> | 'none'>> = {
  'POST /register': REGISTER,
  'POST /admin-api/clients/:name/rediscover': 'none',
  'POST /admin-api/discovery/preview': 'none',
  'POST /admin-api/discovery/local-services': 'none',
  'POST /admin-api/catalog/:id/install': 'none',
  'POST /admin-api/auth/login': 'none',
  'POST /admin-api/auth/invitation': 'none',
  'POST /admin-api/auth/invitation/accept': 'none',
  'PATCH /admin-api/auth/me/password': 'none',
  'POST /admin-api/backup': 'none',
  'GET /admin-api/audit-log/verify': 'none',
  'GET /admin-api/audit-log/export': 'none',
  'GET /admin-api/auth/oidc/start': 'none',
  'GET /admin-api/auth/oidc/callback': 'none',
  'GET /admin-api/connect/callback': 'none',
  'POST /admin-api/pcg/editors/discover': 'none',
}

it('every limited route says whether there is another way to do the same', () => {
  const limited = Object.values(API)
    .flatMap((table) => Object.values(table))
    .flatMap((route) => ('rateLimit' in route ? [`${route.method} ${route.path}`] : []))
  expect(limited.toSorted()).toEqual(Object.keys(LIMITED).toSorted())
})

const PAIRS = Object.entries(LIMITED).flatMap(([route, entrances]) =>
  entrances === 'none'
    ? []
    : Object.keys(entrances).flatMap((first) => Object.keys(entrances).map((then) => [route, first, then] as const)),
)

it.each(PAIRS)('the budget of %s: spent through %s, it is spent for %s', async (route, first, then) => {
  const entrances = LIMITED[route]
  const [spend, ask] = typeof entrances === 'object' ? [entrances[first], entrances[then]] : []
  if (spend === undefined || ask === undefined) throw new Error(`No entrance to ${route}`)
  const gateway = await aGateway({ RATE_LIMIT_REGISTER: String(LIMIT), ALLOW_PRIVATE_IPS: 'true' })
  for (let turn = 0; turn < LIMIT; turn += 1) expect(await spend(gateway, turn)).not.toBe('RATE_LIMITED')
  expect(await ask(gateway, LIMIT)).toBe('RATE_LIMITED')
})

it('a refused call on the control plane spends nothing', async () => {
  const gateway = await aGateway({ RATE_LIMIT_REGISTER: '1', ALLOW_PRIVATE_IPS: 'true' })
  for (let turn = 0; turn < 3; turn += 1)
    expect((await sys(gateway, 'sys_register_client', { name: 5 })).structuredContent['code']).toBe('invalid_arguments')
  await answerOf(gateway, 'sys_register_client', { ...body('a'), __confirm: true })
})
