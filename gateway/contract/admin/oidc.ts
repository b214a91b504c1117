// Single sign-on: the way to the identity provider and back, and its settings. Contract 7.1.
import { z } from 'zod'
import { HttpUrl } from '../names.ts'
import { ROLES } from '../role.ts'
import { routes } from '../route.ts'

/** Why a sign-in failed, as the sign-in page receives it. */
export const SSO_ERRORS = ['denied', 'state', 'exchange', 'token', 'user_inactive', 'not_allowed'] as const
export type SsoError = (typeof SSO_ERRORS)[number]

const Domain = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.string().regex(/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain, such as example.com'))
const Claim = z.string().min(1).max(128)

export const OidcSettings = z.object({
  enabled: z.boolean(),
  issuer: z.string(),
  clientId: z.string(),
  clientSecretSet: z.boolean(),
  redirectUri: z.string(),
  scopes: z.string(),
  usernameClaim: z.string(),
  roleClaim: z.string().nullable(),
  roleMap: z.record(z.string(), z.enum(ROLES)),
  defaultRole: z.enum(ROLES),
  allowedDomains: z.array(z.string()),
  autoProvision: z.boolean(),
  source: z.enum(['database', 'env', 'none']),
  revision: z.number().int(),
})
export type OidcSettings = z.infer<typeof OidcSettings>

export const OidcSettingsInput = z.strictObject({
  enabled: z.boolean().default(false),
  issuer: HttpUrl,
  clientId: z.string().min(1).max(256),
  clientSecret: z.string().min(1).max(8192).optional().describe('absent keeps the stored one'),
  redirectUri: HttpUrl.optional().describe('absent: <base URL>/admin-api/auth/oidc/callback'),
  scopes: z
    .string()
    .max(1024)
    .refine((text) => text.split(' ').includes('openid'), 'must hold the scope openid')
    .default('openid profile email'),
  usernameClaim: Claim.default('preferred_username'),
  roleClaim: Claim.nullable().default(null).describe('a claim, or a path such as realm_access.roles'),
  roleMap: z
    .record(z.string().min(1).max(256), z.enum(ROLES))
    .refine((map) => Object.keys(map).length <= 500, 'must not hold more than 500 entries')
    .default({}),
  defaultRole: z.enum(ROLES).default('viewer'),
  allowedDomains: z.array(Domain).max(200).default([]),
  autoProvision: z.boolean().default(true),
  revision: z.number().int().optional(),
})
export type OidcSettingsInput = z.output<typeof OidcSettingsInput>

export const oidc = routes({
  start: {
    method: 'GET',
    path: '/admin-api/auth/oidc/start',
    access: 'public',
    summary: 'Lead the browser to the identity provider',
    query: z.strictObject({ returnTo: z.string().max(2048).optional() }),
    status: 302,
    produces: ['text/plain'],
    errors: ['SSO_NOT_CONFIGURED', 'SSO_DISCOVERY_FAILED'],
    rateLimit: 'sso',
  },
  callback: {
    method: 'GET',
    path: '/admin-api/auth/oidc/callback',
    access: 'public',
    summary: 'Where the identity provider leads back to; a failure leads to the sign-in page',
    // Providers add parameters of their own.
    query: z.looseObject({
      state: z.unknown().optional(),
      code: z.unknown().optional(),
      error: z.unknown().optional(),
      iss: z.unknown().optional(),
    }),
    status: 302,
    produces: ['text/plain'],
    rateLimit: 'sso',
  },
  settings: {
    method: 'GET',
    path: '/admin-api/auth/oidc/settings',
    access: 'superadmin',
    summary: 'Read the settings of single sign-on',
    reply: OidcSettings,
  },
  setSettings: {
    method: 'PUT',
    path: '/admin-api/auth/oidc/settings',
    access: 'superadmin',
    summary: 'Set up single sign-on',
    body: OidcSettingsInput,
    reply: OidcSettings,
    audit: 'oidc.update',
    errors: [
      'INVALID_URL',
      'MANAGED_BY_ENV',
      'SECRET_BOX_NOT_CONFIGURED',
      'SECRETS_PROVIDER_ERROR',
      'PRECONDITION_FAILED',
    ],
  },
  test: {
    method: 'POST',
    path: '/admin-api/auth/oidc/settings/test',
    access: 'superadmin',
    summary: 'Ask the identity provider for its endpoints and keys, with given or stored settings',
    body: OidcSettingsInput.partial(),
    reply: z.object({
      ok: z.boolean(),
      issuer: z.string(),
      endpoints: z.record(z.string(), z.string()),
      error: z.string().nullable(),
    }),
    audit: { none: 'it asks the provider and changes nothing' },
    errors: ['SSO_NOT_CONFIGURED', 'INVALID_URL'],
  },
})
