// The rules across settings, one row each: fatal ones and warnings.
import type { Problem } from './problem.ts'
import type { SettingName, Settings } from './table.ts'

type ReadSetting = (name: SettingName) => string | null

type Rule = {
  readonly setting: SettingName
  /** `given`: whether a setting was written, usable or not. */
  readonly broken: (settings: Settings, given: ReadSetting) => boolean
  readonly effect: 'refuse' | 'refuse outside development' | 'warn'
  /** The flag that turns the rule off. */
  readonly unless?: SettingName
  /** These return to their defaults, because the values exclude each other. */
  readonly reset?: readonly SettingName[]
  readonly message: string
  readonly remedy: string
}

const ssoParts = (settings: Settings) => [settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET]

export const RULES: readonly Rule[] = [
  {
    setting: 'AUTH_DISABLED',
    broken: (settings) => settings.AUTH_DISABLED,
    effect: 'refuse outside development',
    unless: 'ALLOW_UNSAFE_AUTH_DISABLED',
    message: 'turns off all authentication outside NODE_ENV=development',
    remedy: 'Remove it, or set ALLOW_UNSAFE_AUTH_DISABLED=true to accept that everyone is an administrator.',
  },
  {
    setting: 'SESSION_COOKIE_SECURE',
    broken: (settings) => !settings.SESSION_COOKIE_SECURE,
    effect: 'refuse outside development',
    unless: 'ALLOW_UNSAFE_INSECURE_SESSION_COOKIE',
    message: 'sends session cookies over plain HTTP outside NODE_ENV=development',
    remedy: 'Remove it and serve HTTPS, or set ALLOW_UNSAFE_INSECURE_SESSION_COOKIE=true.',
  },
  {
    setting: 'JWT_AUDIENCE',
    broken: (settings) => settings.JWT_JWKS_URL !== null && settings.JWT_AUDIENCE === null,
    effect: 'refuse outside development',
    unless: 'ALLOW_UNSAFE_JWT_NO_AUDIENCE',
    message: 'is unset while JWT_JWKS_URL is set, so tokens made for other services would be accepted',
    remedy: 'Set JWT_AUDIENCE to the audience of this gateway, or set ALLOW_UNSAFE_JWT_NO_AUDIENCE=true.',
  },
  {
    setting: 'CORS_ORIGINS',
    broken: (settings) => settings.CORS_ORIGINS.includes('*') && !settings.AUTH_DISABLED,
    effect: 'refuse outside development',
    unless: 'ALLOW_UNSAFE_CORS_WILDCARD',
    message: 'lets every web page reach the admin API while authentication is on',
    remedy: 'List the origins, or set ALLOW_UNSAFE_CORS_WILDCARD=true.',
  },
  {
    setting: 'KMS_ADDR',
    broken: (settings) => settings.SECRETS_PROVIDER === 'kms' && settings.KMS_ADDR === null,
    effect: 'refuse',
    message: 'is unset while SECRETS_PROVIDER is kms',
    remedy: 'Set KMS_ADDR to the address of the key service.',
  },
  {
    setting: 'KMS_TOKEN',
    broken: (settings) => settings.SECRETS_PROVIDER === 'kms' && settings.KMS_TOKEN === null,
    effect: 'refuse',
    message: 'is unset while SECRETS_PROVIDER is kms',
    remedy: 'Set KMS_TOKEN, or KMS_TOKEN_FILE to a file that holds it.',
  },
  {
    setting: 'ANOMALY_BASELINE_WINDOW_MS',
    broken: (settings) => settings.ANOMALY_BASELINE_WINDOW_MS <= settings.ANOMALY_RECENT_WINDOW_MS,
    effect: 'warn',
    reset: ['ANOMALY_BASELINE_WINDOW_MS', 'ANOMALY_RECENT_WINDOW_MS'],
    message: 'is not longer than ANOMALY_RECENT_WINDOW_MS',
    remedy: 'Make the baseline longer than the recent window. Until then both have their defaults.',
  },
  {
    setting: 'NODE_ENV',
    broken: ({ NODE_ENV }) => NODE_ENV !== 'development' && /^\s*dev(elopment)?\s*$/i.test(NODE_ENV ?? ''),
    effect: 'warn',
    message: 'is not `development`, exactly so, and relaxes nothing',
    remedy: 'Write NODE_ENV=development if that is meant.',
  },
  {
    setting: 'BOOTSTRAP_ADMIN_USERNAME',
    // A rejected password is already reported.
    broken: (_settings, given) =>
      (given('BOOTSTRAP_ADMIN_USERNAME') === null) !== (given('BOOTSTRAP_ADMIN_PASSWORD') === null),
    effect: 'warn',
    message: 'and BOOTSTRAP_ADMIN_PASSWORD are not both set, so no first admin is made',
    remedy: 'Set both, or neither to have a password generated.',
  },
  {
    setting: 'OIDC_ISSUER',
    broken: (settings) => new Set(ssoParts(settings).map((part) => part === null)).size === 2,
    effect: 'warn',
    message:
      'OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are not all set, so the environment does not turn single sign-on on',
    remedy: 'Set all three, or none.',
  },
  {
    setting: 'JWT_JWKS_URL',
    broken: ({ JWT_JWKS_URL, JWT_ISSUER, JWT_AUDIENCE }) =>
      JWT_JWKS_URL === null && (JWT_ISSUER !== null || JWT_AUDIENCE !== null),
    effect: 'warn',
    message: 'is unset, so JWT_ISSUER and JWT_AUDIENCE do nothing',
    remedy: 'Set JWT_JWKS_URL to the key set of the issuer, or remove the others.',
  },
]

type Verdict = { readonly problems: readonly Problem[]; readonly reset: readonly SettingName[] }

/** `given` states whether a setting was written; a default is not shown as a given value. */
export function judge(settings: Settings, given: ReadSetting): Verdict {
  const development = settings.NODE_ENV === 'development'
  const broken = RULES.filter((rule) => {
    if (rule.effect === 'refuse outside development' && development) return false
    return rule.broken(settings, given) && !(rule.unless !== undefined && settings[rule.unless] === true)
  })
  const problems = broken.map(
    ({ setting, effect, message, remedy }): Problem => ({
      variable: setting,
      severity: effect === 'warn' ? 'warning' : 'fatal',
      value: given(setting),
      allowed: null,
      message,
      remedy,
    }),
  )
  return { problems, reset: broken.flatMap((rule) => rule.reset ?? []) }
}
