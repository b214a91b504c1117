// The memory of the rate limiters: each family keeps no more buckets than its setting allows.
import { expect, it } from 'vitest'
import { aGateway } from './gateway.fixture.ts'

// cites: gw.setting.rate_limit_max_buckets_global gw.setting.rate_limit_max_buckets_login
// cites: gw.setting.rate_limit_max_buckets_expensive ct.17.effect.rate_limit_max_buckets_backup
// cites: ct.17.effect.rate_limit_max_buckets_llms gw.setting.rate_limit_max_buckets_register
// cites: gw.setting.rate_limit_max_buckets_install_link gw.setting.rate_limit_max_buckets_sso
it.each([
  ['GLOBAL', 'global', 'GET', '/admin-api/overview'],
  ['LOGIN', 'login', 'POST', '/admin-api/auth/login'],
  ['EXPENSIVE', 'expensive', 'GET', '/admin-api/audit-log/verify'],
  ['BACKUP', 'backup', 'POST', '/admin-api/backup'],
  ['LLMS', 'llms', 'GET', '/llms.txt'],
  ['REGISTER', 'register', 'POST', '/register'],
  ['INSTALL_LINK', 'install_link', 'GET', '/install/x'],
  ['SSO', 'sso', 'GET', '/admin-api/auth/oidc/start'],
])(
  'RATE_LIMIT_MAX_BUCKETS_%s',
  async (family, tier, method, path) => {
    const buckets = async (env: Record<string, string>) => {
      const gateway = await aGateway({ TRUST_PROXY: 'loopback', ...env })
      for (let last = 1; last <= 5; last++) {
        const headers = { 'x-forwarded-for': `203.0.113.${last}` }
        await gateway.admin(path, {
          method,
          headers,
          ...(tier === 'login' && { body: { username: 'x', password: 'x' } }),
          ...(tier === 'register' && { body: {} }),
        })
      }
      const { text } = await gateway.admin('/metrics')
      return Number(new RegExp(`^mcp_rate_limit_buckets\\{tier="${tier}"\\} (\\d+)$`, 'm').exec(text)?.[1])
    }
    expect(await buckets({})).toBe(5)
    expect(await buckets({ [`RATE_LIMIT_MAX_BUCKETS_${family}`]: '2' })).toBe(2)
    // Two gateways, and ten requests that may each hash a password or verify the log.
  },
  300_000,
)
