// Whom a backend is called as, and the connections of people to backends that are called as them.
import { z } from 'zod'
import { HttpUrl } from '../names.ts'
import { Iso } from '../page.ts'
import { routes } from '../route.ts'

export const IDENTITY_MODES = ['none', 'shared', 'per_principal', 'exchange', 'id_jag'] as const
export type IdentityMode = (typeof IDENTITY_MODES)[number]

/** `reconnect`: the person has to connect again. `revoked`: ended by a person, and not used any more. */
export const GRANT_STATES = ['connected', 'refreshing', 'retrying', 'reconnect', 'revoked'] as const
export type GrantState = (typeof GRANT_STATES)[number]

/** RFC 6749: visible ASCII without quotes and backslash. */
const Scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, 'must be a scope')
const Scopes = z.array(Scope).max(100)
const ClientText = z.string().min(1).max(2048)

/** What the standards find by themselves, for providers that differ from them. */
const overrides = {
  issuer: HttpUrl.nullable().default(null),
  scopes: Scopes.nullable().default(null),
  /** `omit` for providers that refuse the parameter. */
  resource: z.union([z.enum(['discovered', 'omit']), HttpUrl]).default('discovered'),
  audience: z.string().min(1).max(2048).nullable().default(null),
  endpoints: z
    .strictObject({ authorization: HttpUrl, token: HttpUrl, revocation: HttpUrl.nullable().default(null) })
    .nullable()
    .default(null),
}

/** The token that the caller brought is exchanged for one of the backend. */
const exchanging = {
  tokenUrl: HttpUrl,
  clientId: ClientText,
  scopes: Scopes.nullable().default(null),
  audience: z.string().min(1).max(2048).nullable().default(null),
  resource: HttpUrl.nullable().default(null),
}

/** `secret`: how a secret is written, in a request or by reference. */
export const identityWith = <Secret extends z.ZodType>(secret: Secret) =>
  z.discriminatedUnion('mode', [
    z.strictObject({ mode: z.literal('none') }),
    z.strictObject({ mode: z.literal('shared') }),
    z.strictObject({
      mode: z.literal('per_principal'),
      clientId: ClientText.nullable().default(null),
      clientSecret: secret.optional(),
      ...overrides,
    }),
    z.strictObject({ mode: z.literal('exchange'), ...exchanging, clientSecret: secret.optional() }),
    z.strictObject({
      mode: z.literal('id_jag'),
      ...exchanging,
      clientSecret: secret.optional(),
      /** The authorization server of the backend, which takes the assertion of the identity provider. */
      resourceIssuer: HttpUrl,
      resourceTokenUrl: HttpUrl,
      resourceClientId: ClientText,
      resourceClientSecret: secret.optional(),
    }),
  ])

export const IdentityInput = identityWith(z.string().min(1).max(4096).describe('Kept as it is where left out'))
export type IdentityInput = z.infer<typeof IdentityInput>
export const SECRET_FIELDS = ['clientSecret', 'resourceClientSecret'] as const

export const IdentityInfo = z.object({
  mode: z.enum(IDENTITY_MODES),
  issuer: z.string().nullable(),
  clientId: z.string().nullable(),
  clientSecretSet: z.boolean(),
  resourceClientSecretSet: z.boolean(),
  scopes: z.array(z.string()).nullable(),
  resource: z.string().nullable(),
  audience: z.string().nullable(),
  endpoints: z.object({ authorization: z.string(), token: z.string(), revocation: z.string().nullable() }).nullable(),
  tokenUrl: z.string().nullable(),
  resourceTokenUrl: z.string().nullable(),
  resourceClientId: z.string().nullable(),
  /** Where the gateway is registered: how, and which registration in a row it is. */
  registration: z
    .object({
      issuer: z.string(),
      clientId: z.string(),
      origin: z.enum(['form', 'metadata', 'registered']),
      generation: z.number().int(),
    })
    .nullable(),
  updatedAt: Iso.nullable(),
})
export type IdentityInfo = z.infer<typeof IdentityInfo>

const Connection = z.object({
  client: z.string(),
  person: z.string(),
  issuer: z.string(),
  state: z.enum(GRANT_STATES),
  scopes: z.array(z.string()),
  expiresAt: Iso.nullable(),
  retryingSince: Iso.nullable(),
  lastError: z.string().nullable(),
  connectedAt: Iso,
  updatedAt: Iso,
})
export const ClientConnection = Connection.extend({ id: z.number().int() })
export type ClientConnection = z.infer<typeof ClientConnection>

/** A backend that is called as people, and whether this person is connected. */
export const OwnConnection = z.object({ client: z.string(), connection: Connection.nullable() })
export type OwnConnection = z.infer<typeof OwnConnection>

const ConnectOffer = z.object({
  client: z.string(),
  person: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  scopes: z.array(z.string()),
})
export type ConnectOffer = z.infer<typeof ConnectOffer>

const FAILS = ['CLIENT_NOT_FOUND', 'NOT_APPLICABLE', 'CONNECT_FAILED', 'SECRET_BOX_NOT_CONFIGURED'] as const
const Begun = z.object({ location: z.string().describe('Where the browser goes') })

export const identity = routes({
  getIdentity: {
    method: 'GET',
    path: '/admin-api/clients/:name/identity',
    access: 'viewer',
    summary: 'Whom a backend is called as',
    reply: IdentityInfo,
    errors: ['CLIENT_NOT_FOUND'],
  },
  setIdentity: {
    method: 'PUT',
    path: '/admin-api/clients/:name/identity',
    access: 'admin',
    summary: 'Set whom a backend is called as; another setting ends the connections of people',
    body: IdentityInput,
    reply: IdentityInfo,
    audit: 'client.identity.set',
    errors: ['CLIENT_NOT_FOUND', 'NOT_APPLICABLE', 'INVALID_URL', 'SSRF_BLOCKED', 'SECRET_BOX_NOT_CONFIGURED'],
  },
  clientConnections: {
    method: 'GET',
    path: '/admin-api/clients/:name/connections',
    access: 'operator',
    summary: 'The connections of people to a backend',
    reply: z.object({ items: z.array(ClientConnection) }),
    errors: ['CLIENT_NOT_FOUND'],
  },
  revokeConnection: {
    method: 'DELETE',
    path: '/admin-api/clients/:name/connections/:id',
    access: 'admin',
    summary: 'End the connection of a person to a backend, here and at its provider',
    audit: 'connection.revoke',
    errors: ['CLIENT_NOT_FOUND', 'CONNECTION_NOT_FOUND'],
  },
  mine: {
    method: 'GET',
    path: '/admin-api/connections',
    access: 'viewer',
    summary: 'The backends that call as you, and whether you are connected',
    reply: z.object({ items: z.array(OwnConnection) }),
  },
  offer: {
    method: 'POST',
    path: '/admin-api/clients/:name/connection/offer',
    access: 'viewer',
    summary: 'What connecting to a backend asks for',
    body: z.strictObject({ link: z.string().max(128).optional() }),
    reply: ConnectOffer,
    audit: { none: 'it reads what the provider offers' },
    errors: [...FAILS, 'CONNECT_LINK_ENDED'],
  },
  begin: {
    method: 'POST',
    path: '/admin-api/clients/:name/connection/begin',
    access: 'viewer',
    summary: 'Begin to connect to a backend: where the browser goes',
    body: z.strictObject({ link: z.string().max(128).optional() }),
    reply: Begun,
    audit: { none: 'the connection has an entry once it is made' },
    errors: [...FAILS, 'CONNECT_LINK_ENDED'],
  },
  link: {
    method: 'POST',
    path: '/admin-api/connections/link',
    access: 'viewer',
    summary: 'Which backend a link connects its person to',
    body: z.strictObject({ link: z.string().min(1).max(128) }),
    audit: { none: 'it reads what a link is for' },
    reply: z.object({ client: z.string() }),
    errors: ['CONNECT_LINK_ENDED'],
  },
  disconnect: {
    method: 'DELETE',
    path: '/admin-api/clients/:name/connection',
    access: 'viewer',
    summary: 'End your connection to a backend, here and at its provider',
    audit: 'connection.revoke',
    errors: ['CLIENT_NOT_FOUND', 'CONNECTION_NOT_FOUND'],
  },
  connected: {
    method: 'GET',
    path: '/admin-api/connect/callback',
    access: 'public',
    summary: 'Where the provider of a backend sends the browser back to',
    query: z.looseObject({
      state: z.unknown().optional(),
      code: z.unknown().optional(),
      error: z.unknown().optional(),
      iss: z.unknown().optional(),
    }),
    produces: ['text/plain'],
    status: 302,
    rateLimit: 'sso',
  },
})
