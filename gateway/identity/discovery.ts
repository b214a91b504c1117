// Finds the authorization server of a backend by the book: RFC 9728, then RFC 8414 and OpenID Connect discovery.
import type { StoredIdentity } from '../storage/stored.ts'
import { type Ask, type Fields, webAddress } from './ask.ts'
import { readChallenge, scopesIn } from './challenge.ts'
import { ProviderError } from './provider-error.ts'

export type PerPrincipal = Extract<StoredIdentity, { readonly mode: 'per_principal' }>

/** What is known of the authorization server, and what to ask it for. */
export type Provider = {
  readonly issuer: string
  readonly authorization: string
  readonly token: string
  readonly revocation: string | null
  readonly registration: string | null
  readonly takesMetadataDocuments: boolean
  readonly authMethods: readonly string[]
  readonly namesItself: boolean
  /** Null where the parameter is not sent. */
  readonly resource: string | null
  readonly scopes: readonly string[]
}

type Place = {
  readonly baseUrl: string
  readonly isMcp: boolean
  /** Asks the backend itself, without any credential. */
  readonly probe: () => Promise<string | undefined>
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string').slice(0, 100) : []
const wellKnown = (url: URL, name: string): string =>
  `${url.origin}/.well-known/${name}${url.pathname === '/' ? '' : url.pathname.replace(/(?<!\/)\/+$/, '')}`

/** Whether metadata of this resource speaks for an address: the same origin, and a path above it. */
function covers(resource: string, address: string): boolean {
  if (!URL.canParse(resource)) return false
  const [of, at] = [new URL(resource), new URL(address)]
  const above = of.pathname.endsWith('/') ? of.pathname : `${of.pathname}/`
  return of.origin === at.origin && of.hash === '' && `${at.pathname}/`.startsWith(above)
}

export function createDiscovery({ document }: Pick<Ask, 'document'>) {
  async function resourceMetadata(place: Place): Promise<{ found: Fields; scopes: readonly string[] } | undefined> {
    const challenge = readChallenge(await place.probe())
    const scopes = challenge?.scopes ?? []
    const url = new URL(place.baseUrl)
    const named = challenge?.metadata
    // What the challenge names stands for itself: another place is looked at only where it names none.
    const places =
      named === undefined
        ? [
            ...new Set([
              wellKnown(url, 'oauth-protected-resource'),
              `${url.origin}/.well-known/oauth-protected-resource`,
            ]),
          ]
        : [named]
    for (const each of places) {
      const found = await document(each, 'metadata of the backend')
      if (found === undefined) continue
      if (typeof found.resource !== 'string' || !covers(found.resource, place.baseUrl))
        throw new ProviderError('refused', 'the metadata of the backend is of another resource')
      return { found, scopes }
    }
    if (named !== undefined) throw new ProviderError('refused', 'the metadata that the backend names does not exist')
    return scopes.length > 0 ? { found: {}, scopes } : undefined
  }

  async function serverMetadata(issuer: string): Promise<Fields> {
    const url = new URL(webAddress(issuer, 'issuer'))
    const places = new Set([
      wellKnown(url, 'oauth-authorization-server'),
      wellKnown(url, 'openid-configuration'),
      `${issuer.replace(/(?<!\/)\/+$/, '')}/.well-known/openid-configuration`,
    ])
    for (const each of places) {
      const found = await document(each, 'metadata of the authorization server')
      if (found === undefined) continue
      if (found.issuer !== issuer)
        throw new ProviderError('refused', 'the authorization server calls itself by another issuer')
      return found
    }
    throw new ProviderError('refused', 'the authorization server publishes no metadata')
  }

  return {
    /** Throws ProviderError. */
    async discover(place: Place, settings: PerPrincipal): Promise<Provider> {
      const { endpoints } = settings
      const resource =
        endpoints === null || settings.resource === 'discovered' ? await resourceMetadata(place) : undefined
      const listed = textsIn(resource?.found.authorization_servers)
      const [first] = listed
      const issuer =
        settings.issuer ?? first ?? (endpoints ? new URL(endpoints.token).origin : new URL(place.baseUrl).origin)
      // A setting pins the server: the backend cannot lead people to another one.
      if (settings.issuer !== null && listed.length > 0 && !listed.includes(settings.issuer))
        throw new ProviderError('refused', 'the backend names another authorization server than the one that is set')
      const named = typeof resource?.found.resource === 'string' ? resource.found.resource : place.baseUrl
      const own = settings.resource === 'omit' ? null : settings.resource === 'discovered' ? named : settings.resource
      const asked = resource?.scopes.length ? resource.scopes : textsIn(resource?.found.scopes_supported)
      const common = { issuer, resource: own, scopes: settings.scopes ?? scopesIn(asked.join(' ')) }
      if (endpoints !== null)
        return {
          ...common,
          authorization: webAddress(endpoints.authorization, 'authorization endpoint'),
          token: webAddress(endpoints.token, 'token endpoint'),
          revocation: endpoints.revocation,
          registration: null,
          takesMetadataDocuments: false,
          authMethods: [],
          namesItself: false,
        }
      return { ...common, ...checked(await serverMetadata(issuer)), issuer }
    },
  }
}

type Served = Omit<Provider, 'issuer' | 'resource' | 'scopes'>

function checked(found: Fields): Served {
  if (!textsIn(found.code_challenge_methods_supported).includes('S256'))
    throw new ProviderError('refused', 'the authorization server does not offer PKCE with S256')
  const types = textsIn(found.response_types_supported)
  if (types.length > 0 && !types.includes('code'))
    throw new ProviderError('refused', 'the authorization server does not offer the code flow')
  const optional = (value: unknown, what: string): string | null => (value == null ? null : webAddress(value, what))
  return {
    authorization: webAddress(found.authorization_endpoint, 'authorization endpoint'),
    token: webAddress(found.token_endpoint, 'token endpoint'),
    revocation: optional(found.revocation_endpoint, 'revocation endpoint'),
    registration: optional(found.registration_endpoint, 'registration endpoint'),
    takesMetadataDocuments: found.client_id_metadata_document_supported === true,
    authMethods: textsIn(found.token_endpoint_auth_methods_supported),
    namesItself: found.authorization_response_iss_parameter_supported === true,
  }
}
