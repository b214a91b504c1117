// Where tokens for the MCP endpoints come from, and which scopes they need there: the metadata of RFC 9728, and the challenges that lead to it. Contract 3, 5.10.
import { GatewayError } from '../contract/error.ts'
import { NAME } from '../contract/names.ts'
import type { Settings } from '../settings/table.ts'
import type { HttpRequest } from './request-reply.ts'
import type { Http } from './server.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
/** In a required scope: the name in the path. */
const PLACEHOLDER = '{name}'

export type ProtectedResource = {
  /** What a refused request is answered in WWW-Authenticate. */
  readonly challenge: (request: Asked) => Readonly<Record<string, string>>
  /** Throws INSUFFICIENT_SCOPE for a token without the scopes of its endpoint. Other credentials have no scopes of a provider. */
  readonly requireScopes: (
    request: Asked,
    caller: { readonly kind: string; readonly tokenScopes?: readonly string[] },
  ) => void
}

type Asked = Pick<HttpRequest, 'raw' | 'params'>

/** The endpoint a request names, as a path; undefined for what can be the name of nothing. */
function endpointIn(params: unknown): { readonly path: string; readonly name?: string } | undefined {
  const given = typeof params === 'object' && params !== null ? params : {}
  const shard = 'clientName' in given ? given.clientName : undefined
  const bundle = 'bundleName' in given ? given.bundleName : undefined
  const target = 'name' in given ? given.name : undefined
  const name = shard ?? bundle ?? target
  if (name === undefined) return { path: '' }
  if (typeof name !== 'string' || !NAME.test(name)) return undefined
  return { path: shard !== undefined ? `/mcp/${name}` : bundle !== undefined ? `/mcp-custom/${name}` : '', name }
}

export function registerProtectedResource(
  { routes, baseUrl }: Pick<Http, 'routes' | 'baseUrl'>,
  settings: Pick<Settings, 'JWT_JWKS_URL' | 'JWT_ISSUER' | 'JWT_REQUIRED_SCOPES'>,
): ProtectedResource {
  const { JWT_REQUIRED_SCOPES: requiredScopes } = settings
  // Without one, every path below `.well-known` is no route.
  const issuer = settings.JWT_JWKS_URL === null ? null : settings.JWT_ISSUER
  const baseOf = (request: Pick<HttpRequest, 'raw'>): string => baseUrl(request).replace(/\/$/, '')

  function scopesAt(name: string | undefined): readonly string[] {
    if (name === undefined) return requiredScopes.filter((scope) => !scope.includes(PLACEHOLDER))
    return requiredScopes.map((scope) => scope.replaceAll(PLACEHOLDER, name))
  }

  // Whether an endpoint exists is not revealed to unauthenticated callers: any name has its metadata.
  if (issuer !== null)
    routes((app) => {
      for (const path of ['', '/mcp/:clientName', '/mcp-custom/:bundleName'])
        app.get(WELL_KNOWN + path, (request, reply) => {
          const endpoint = endpointIn(request.params)
          if (endpoint === undefined) throw new GatewayError('NOT_FOUND', 'There is no such route')
          const scopes = scopesAt(endpoint.name)
          reply.type('application/json; charset=utf-8').send({
            resource: baseOf(request) + endpoint.path,
            authorization_servers: [issuer],
            bearer_methods_supported: ['header'],
            ...(scopes.length > 0 && { scopes_supported: scopes }),
          })
        })
    })

  function header(request: Asked, error: string | undefined): Readonly<Record<string, string>> {
    const endpoint = endpointIn(request.params)
    const scopes = scopesAt(endpoint?.name)
    const parameters = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
      ...(issuer === null ? [] : [`resource_metadata="${baseOf(request)}${WELL_KNOWN}${endpoint?.path ?? ''}"`]),
    ]
    return { 'WWW-Authenticate': `Bearer ${parameters.join(', ')}` }
  }

  return {
    // RFC 6750: no error code for a request without a credential.
    challenge: (request) =>
      issuer === null
        ? {}
        : header(request, request.raw.headers.authorization === undefined ? undefined : 'invalid_token'),
    requireScopes(request, { kind, tokenScopes = [] }) {
      if (kind !== 'jwt' || requiredScopes.length === 0) return
      const lacking = scopesAt(endpointIn(request.params)?.name).filter((scope) => !tokenScopes.includes(scope))
      if (lacking.length === 0) return
      throw new GatewayError(
        'INSUFFICIENT_SCOPE',
        `This token lacks ${lacking.length === 1 ? 'the scope' : 'the scopes'} ${lacking.join(' ')}; request a token with ${lacking.length === 1 ? 'it' : 'them'}`,
        { headers: header(request, 'insufficient_scope') },
      )
    },
  }
}
