// Refusals across settings: in force, relaxed in development where permitted, and opened by their flag.
import { describe, expect, it } from 'vitest'
import { loadSettings } from './load.ts'
import { describeProblems, fatal } from './problem.ts'

const load = (env: Record<string, string>) => loadSettings({ env, readFile: () => '' })

type Case = { readonly env: Record<string, string>; readonly names: string; readonly hatch?: string }

const RELAXED: readonly Case[] = [
  { env: { AUTH_DISABLED: 'true' }, names: 'AUTH_DISABLED', hatch: 'ALLOW_UNSAFE_AUTH_DISABLED' },
  {
    env: { SESSION_COOKIE_SECURE: 'false' },
    names: 'SESSION_COOKIE_SECURE',
    hatch: 'ALLOW_UNSAFE_INSECURE_SESSION_COOKIE',
  },
  { env: { JWT_JWKS_URL: 'https://id.example/keys' }, names: 'JWT_AUDIENCE', hatch: 'ALLOW_UNSAFE_JWT_NO_AUDIENCE' },
  { env: { CORS_ORIGINS: '*' }, names: 'CORS_ORIGINS', hatch: 'ALLOW_UNSAFE_CORS_WILDCARD' },
  { env: { TRUST_PROXY: 'true' }, names: 'TRUST_PROXY' },
  { env: { TRUST_PROXY: 'True' }, names: 'TRUST_PROXY' },
  {
    env: { BOOTSTRAP_ADMIN_USERNAME: 'root', BOOTSTRAP_ADMIN_PASSWORD: 'elevenchars' },
    names: 'BOOTSTRAP_ADMIN_PASSWORD',
  },
]

// cites: ct.17.refuses-auth-disabled ct.17.refuses-insecure-cookie ct.17.refuses-jwt-no-audience
// cites: ct.17.refuses-cors-wildcard ct.17.refuses-trust-proxy-true ct.17.refuses-bootstrap-password
// cites: gw.auth.6-startup gw.auth-var.auth_disabled-startup gw.auth-var.session_cookie_secure-startup
// cites: gw.setting.allow_unsafe_cors_wildcard gw.bootstrap.min-length
describe.each(RELAXED)('$env (security cases AN-10, OH-06)', ({ env, names, hatch }) => {
  it.each([[{}], [{ NODE_ENV: 'production' }], [{ NODE_ENV: 'Development' }], [{ NODE_ENV: 'development ' }]])(
    'is refused with %j, in one line that names the variable',
    (extra: Record<string, string>) => {
      const { problems } = load({ ...env, ...extra })
      const stopping = problems.filter(({ severity }) => severity === 'fatal')
      expect(stopping.map(({ variable }) => variable)).toEqual([names])
      const [first] = describeProblems(problems).split('\n')
      expect(first).toMatch(new RegExp(`^fatal: ${names}\\b`))
    },
  )

  it('is permitted in development [gw.setting.node_env]', () => {
    expect(fatal(load({ ...env, NODE_ENV: 'development' }).problems)).toBe(false)
  })

  if (hatch !== undefined) {
    it(`is let through with ${hatch}=true, and only so`, () => {
      expect(fatal(load({ ...env, [hatch]: 'true' }).problems)).toBe(false)
      expect(fatal(load({ ...env, [hatch]: 'true', STRICT_CONFIG: 'production' }).problems)).toBe(false)
      expect(fatal(load({ ...env, [hatch]: '1' }).problems)).toBe(true)
    })
  }
})

it('never uses TRUST_PROXY=true or a short password, even if they do not stop the start', () => {
  const { settings } = load({
    NODE_ENV: 'development',
    TRUST_PROXY: 'true',
    BOOTSTRAP_ADMIN_USERNAME: 'root',
    BOOTSTRAP_ADMIN_PASSWORD: 'elevenchars',
  })
  expect(settings.TRUST_PROXY).toBe(false)
  expect(settings.BOOTSTRAP_ADMIN_PASSWORD).toBeNull()
})

it.each([
  [{}, ['KMS_ADDR', 'KMS_TOKEN']],
  [{ KMS_ADDR: 'https://kms.example' }, ['KMS_TOKEN']],
  [{ KMS_TOKEN: 'token' }, ['KMS_ADDR']],
  [{ KMS_ADDR: 'https://kms.example', KMS_TOKEN: 'token' }, []],
])(
  'refuses kms with only %j, in development too [ct.17.refuses-kms-incomplete gw.auth-var.kms-required ct.16.startup]',
  (env: Record<string, string>, names) => {
    for (const NODE_ENV of ['production', 'development']) {
      const { problems } = load({ ...env, SECRETS_PROVIDER: 'kms', NODE_ENV })
      const stopping = problems.filter(({ severity }) => severity === 'fatal')
      expect(stopping.map(({ variable }) => variable)).toEqual(names)
    }
  },
)

it('permits a wildcard while authentication is off', () => {
  const { problems } = load({ AUTH_DISABLED: 'true', ALLOW_UNSAFE_AUTH_DISABLED: 'true', CORS_ORIGINS: '*' })
  expect(problems).toEqual([])
})

it('uses both default anomaly windows if the baseline is not longer [ct.17.baseline-window]', () => {
  const env = { ANOMALY_RECENT_WINDOW_MS: '86400000', ANOMALY_BASELINE_WINDOW_MS: '86400000' }
  const { settings, sources, problems } = load(env)
  expect(problems).toMatchObject([{ variable: 'ANOMALY_BASELINE_WINDOW_MS', severity: 'warning', value: '86400000' }])
  expect(settings).toMatchObject({ ANOMALY_RECENT_WINDOW_MS: 300_000, ANOMALY_BASELINE_WINDOW_MS: 3_600_000 })
  expect(sources.ANOMALY_RECENT_WINDOW_MS).toBe('default')
  expect(fatal(load({ ...env, STRICT_CONFIG: 'production' }).problems)).toBe(true)
})

it.each([
  [{ NODE_ENV: 'Development' }, 'NODE_ENV'],
  [{ NODE_ENV: 'dev' }, 'NODE_ENV'],
  [{ BOOTSTRAP_ADMIN_USERNAME: 'root' }, 'BOOTSTRAP_ADMIN_USERNAME'],
  [{ BOOTSTRAP_ADMIN_PASSWORD: 'long enough a password' }, 'BOOTSTRAP_ADMIN_USERNAME'],
  [{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'gantry' }, 'OIDC_ISSUER'],
  [{ OIDC_CLIENT_SECRET: 'secret' }, 'OIDC_ISSUER'],
  [{ JWT_ISSUER: 'https://id.example' }, 'JWT_JWKS_URL'],
])('warns of %j, which does not do what it seems to', (env: Record<string, string>, variable) => {
  const { problems } = load(env)
  expect(problems).toMatchObject([{ variable, severity: 'warning' }])
  expect(fatal(load({ ...env, STRICT_CONFIG: 'production' }).problems)).toBe(true)
})
