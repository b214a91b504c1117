// Where tokens for the MCP endpoints come from: the metadata of RFC 9728, and the challenge that leads to it. Contract 3, 5.10.
import { GatewayError } from '../contract/error.ts'
import { NAME } from '../contract/names.ts'
import type { HttpRequest } from './request-reply.ts'
import type { Http } from './server.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

export type ProtectedResource = {
  /** What a refused request is answered in WWW-Authenticate. */
  readonly challenge: (request: HttpRequest) => Readonly<Record<string, string>>
}

type Parts = {
  /** The issuer of the tokens; null serves nothing, and every path below `.well-known` is no route. */
  readonly issuer: string | null
  readonly baseUrl: (request: Pick<HttpRequest, 'raw'>) => string
}

/** The endpoint a request names, as a path; undefined for what can be the name of nothing. */
function endpointIn(params: unknown): string | undefined {
  const given = typeof params === 'object' && params !== null ? params : {}
  const shard = 'clientName' in given ? given.clientName : undefined
  const bundle = 'bundleName' in given ? given.bundleName : undefined
  const name = shard ?? bundle
  if (name === undefined) return ''
  if (typeof name !== 'string' || !NAME.test(name)) return undefined
  return shard === undefined ? `/mcp-custom/${name}` : `/mcp/${name}`
}

export function registerProtectedResource(routes: Http['routes'], { issuer, baseUrl }: Parts): ProtectedResource {
  if (issuer === null) return { challenge: () => ({}) }
  const baseOf = (request: Pick<HttpRequest, 'raw'>): string => baseUrl(request).replace(/\/$/, '')

  // Whether an endpoint exists is not revealed to unauthenticated callers: any name has its metadata.
  routes((app) => {
    for (const path of ['', '/mcp/:clientName', '/mcp-custom/:bundleName'])
      app.get(WELL_KNOWN + path, (request, reply) => {
        const endpoint = endpointIn(request.params)
        if (endpoint === undefined) throw new GatewayError('NOT_FOUND', 'There is no such route')
        reply.type('application/json; charset=utf-8').send({
          resource: baseOf(request) + endpoint,
          authorization_servers: [issuer],
          bearer_methods_supported: ['header'],
        })
      })
  })

  return {
    // RFC 6750: no error code for a request without a credential.
    challenge: (request) => ({
      'WWW-Authenticate': `Bearer ${request.raw.headers.authorization === undefined ? '' : 'error="invalid_token", '}resource_metadata="${baseOf(request)}${WELL_KNOWN}${endpointIn(request.params) ?? ''}"`,
    }),
  }
}
