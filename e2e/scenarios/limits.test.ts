// The memory of the rate limiters: each family keeps no more buckets than its setting allows.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway } from './gateway.fixture.ts'

const FAMILIES = [
  { family: 'GLOBAL', tier: 'global', method: 'GET', path: '/admin-api/overview', most: 2 },
  {
    family: 'LOGIN',
    tier: 'login',
    method: 'POST',
    path: '/admin-api/auth/login',
    body: { username: 'x', password: 'x' },
    most: 3,
  },
  { family: 'EXPENSIVE', tier: 'expensive', method: 'GET', path: '/admin-api/audit-log/verify', most: 4 },
  { family: 'BACKUP', tier: 'backup', method: 'POST', path: '/admin-api/backup', most: 5 },
  { family: 'LLMS', tier: 'llms', method: 'GET', path: '/llms.txt', most: 6 },
  { family: 'REGISTER', tier: 'register', method: 'POST', path: '/register', body: {}, most: 7 },
  { family: 'INSTALL_LINK', tier: 'install_link', method: 'GET', path: '/install/x', most: 8 },
  { family: 'SSO', tier: 'sso', method: 'GET', path: '/admin-api/auth/oidc/start', most: 9 },
]
const CALLERS = 10

let roomy: Gateway
let bounded: Gateway
beforeAll(async () => {
  // Each family its own bound: one setting used for another would show.
  const bounds = FAMILIES.map(({ family, most }) => [`RATE_LIMIT_MAX_BUCKETS_${family}`, String(most)])
  const proxied = { TRUST_PROXY: 'loopback' }
  roomy = await startGateway(proxied)
  bounded = await startGateway({ ...proxied, ...Object.fromEntries(bounds) })
})
afterAll(async () => {
  await roomy.end()
  await bounded.end()
})

// cites: gw.setting.rate_limit_max_buckets_global gw.setting.rate_limit_max_buckets_login
// cites: gw.setting.rate_limit_max_buckets_expensive ct.17.effect.rate_limit_max_buckets_backup
// cites: ct.17.effect.rate_limit_max_buckets_llms gw.setting.rate_limit_max_buckets_register
// cites: gw.setting.rate_limit_max_buckets_install_link gw.setting.rate_limit_max_buckets_sso
it.each(FAMILIES)('RATE_LIMIT_MAX_BUCKETS_$family', async ({ tier, method, path, body, most }) => {
  const buckets = async (gateway: Gateway) => {
    for (let last = 1; last <= CALLERS; last++) {
      const headers = { 'x-forwarded-for': `203.0.113.${last}` }
      await gateway.admin(path, { method, headers, ...(body && { body }) })
    }
    const { text } = await gateway.admin('/metrics')
    return Number(new RegExp(`^mcp_rate_limit_buckets\\{tier="${tier}"\\} (\\d+)$`, 'm').exec(text)?.[1])
  }
  expect(await buckets(roomy)).toBe(CALLERS)
  expect(await buckets(bounded)).toBe(most)
})
