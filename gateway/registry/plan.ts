// Interprets a registration payload: kind, source, addresses, tools. Uses the outbound door, stores nothing.

import { GatewayError } from '../contract/error.ts'
import {
  INPUTS,
  type Kind,
  type RegistrationPayload,
  type SOURCES,
  type SourceInput,
} from '../contract/registration.ts'
import type { DiscoveryLimits, Source } from '../discovery/discover.ts'
import { discoverInWorker } from '../discovery/discover-in-worker.ts'
import { discoveryError } from '../discovery/failure.ts'
import type { Discovery, FoundCredential } from '../discovery/tool.ts'
import { ExchangeError } from '../net/exchange.ts'
import type { Pin } from '../net/pin.ts'
import type { Base } from '../records/base.ts'
import type { AllowedService } from '../storage/stored.ts'
import { decodeText } from '../text/decode.ts'
import { withoutCredential } from '../text/foreign-text.ts'
import { headerSpellings } from '../text/spellings.ts'
import { resolvedAddresses, storedAddresses } from './addresses.ts'
import type { Pins, UpstreamCredential } from './backend.ts'
import { discoveredMcp } from './discovered-mcp.ts'
import { withDocuments } from './referenced-documents.ts'

/** A payload whose name may be missing, as in a preview. */
export type Payload = Omit<RegistrationPayload, 'name'> & { readonly name?: string | undefined }

export type Plan = {
  readonly kind: Exclude<Kind, 'pcg'>
  readonly input: SourceInput
  readonly source: (typeof SOURCES)[number]
  readonly discovery: Discovery
  readonly baseUrl: string
  readonly healthUrl: string | null
  readonly pins: Pins
  readonly warnings: readonly string[]
  readonly credential: FoundCredential | undefined
}

export type PlanSettings = {
  readonly MAX_TOOLS_PER_CLIENT: number
  readonly GRAPHQL_MAX_TYPES: number
  readonly GRAPHQL_SELECTION_MAX_DEPTH: number
  readonly GRAPHQL_INPUT_MAX_DEPTH: number
  readonly OPENAPI_DISCOVERY_TIMEOUT_MS: number
  readonly GRAPHQL_DISCOVERY_TIMEOUT_MS: number
}

/** The credential for a protected source: the stored one, or the one in the payload. */
export type SourceAuth = Pick<UpstreamCredential, 'sentTo'> | { readonly headers: Readonly<Record<string, string>> }

/** Lists the tools of an MCP upstream, registered or not. */
export type ListMcpTools = (target: {
  readonly url: string
  readonly transport: 'streamable-http' | 'sse'
  readonly era: RegistrationPayload['mcp_era']
  readonly pin: Pin
  readonly headers: Readonly<Record<string, string>>
  readonly deadlineMs: number
}) => Promise<{ readonly tools: readonly unknown[]; readonly hasMore: boolean }>

type SourceRequest = {
  readonly owner: string
  readonly body?: string
  readonly headers: Readonly<Record<string, string>>
  readonly deadlineMs: number
}
type SourceAnswer = { readonly status: number; readonly text: string }

const isOk = ({ status }: SourceAnswer): boolean => status >= 200 && status < 300

function textOf(answer: SourceAnswer): string {
  if (isOk(answer)) return answer.text
  const why =
    answer.status >= 300 && answer.status < 400
      ? ': redirects are not followed. Give the address it leads to.'
      : '. Check the address and whether it needs a credential.'
  throw discoveryError('fetch', `The source answered ${answer.status}${why}`)
}

type PlannerDeps = Pick<Base, 'outbound'> & {
  readonly settings: PlanSettings
  readonly listMcpTools: ListMcpTools
}

const SIGN_IN_FIRST =
  'The server lists its tools after a sign-in. Set whom it is called as, connect on the page My connections, then refresh its tools.'
const DOCUMENT_MAX_BYTES = 10 * 1024 * 1024
const REST_INPUTS = ['tools', 'openapi_url', 'curl_input', 'client_collection'] as const
const SOURCE_OF: Readonly<Record<SourceInput, (typeof SOURCES)[number]>> = {
  tools: 'manual',
  openapi_url: 'openapi',
  curl_input: 'manual',
  client_collection: 'manual',
  graphql_url: 'graphql',
  mcp_url: 'mcp',
}

function refuse(path: string, message: string): GatewayError {
  return new GatewayError('VALIDATION_ERROR', `${path} ${message}`, { fields: [{ path, message }] })
}

/** Determines kind and source of a payload. Rejects contradictions. */
export function classify(payload: Payload): { readonly kind: Plan['kind']; readonly input: SourceInput } {
  const given = INPUTS.filter((input) => payload[input] !== undefined)
  const kind =
    payload.kind ?? (payload.mcp_url === undefined ? (payload.graphql_url === undefined ? 'rest' : 'graphql') : 'mcp')
  const fitting: readonly SourceInput[] =
    kind === 'mcp' ? ['mcp_url'] : kind === 'graphql' ? ['graphql_url'] : REST_INPUTS
  const stray = given.find((input) => !fitting.includes(input))
  if (stray !== undefined) throw refuse(stray, `is no field of a backend of kind "${kind}"`)
  const [input, second] = given
  if (input === undefined)
    throw refuse(fitting.join(', '), kind === 'rest' ? 'are missing: give exactly one of them' : 'is required')
  if (second !== undefined) throw refuse(second, `cannot be given beside ${input}: a backend has one source`)
  if (input !== 'openapi_url') {
    if (payload.include_tags !== undefined)
      throw refuse('include_tags', 'selects operations of an OpenAPI document only')
    if (payload.exclude_operations !== undefined)
      throw refuse('exclude_operations', 'excludes operations of an OpenAPI document only')
  }
  if (input === 'tools' && payload.base_url === undefined && payload.health_url === undefined)
    throw refuse('base_url', 'or health_url is required: hand-written tools name only paths')
  return { kind, input }
}

/** With `pins` no name is resolved; only stored addresses are dialled. `local` is allowed besides public addresses. */
type From = {
  readonly pins?: Pins
  readonly local?: AllowedService | undefined
  /** No backend of this name is known: what it refuses to list replaces no tools. */
  readonly isNew?: boolean
}

export type Planner = {
  (payload: Payload, auth?: SourceAuth, from?: From): Promise<Plan>
  /** Whether a URL, such as one in a template, could be registered. */
  vet(url: string, field: string): Promise<void>
}

export function createPlanner({ outbound, settings, listMcpTools }: PlannerDeps): Planner {
  const limits: DiscoveryLimits = {
    maxTools: settings.MAX_TOOLS_PER_CLIENT,
    graphqlMaxTypes: settings.GRAPHQL_MAX_TYPES,
    graphqlSelectionMaxDepth: settings.GRAPHQL_SELECTION_MAX_DEPTH,
    graphqlInputMaxDepth: settings.GRAPHQL_INPUT_MAX_DEPTH,
  }

  async function fetchAnswer(url: string, pin: Pin, request: SourceRequest): Promise<SourceAnswer> {
    try {
      const { status, headers, body } = await outbound.request({
        url,
        pin,
        method: request.body === undefined ? 'GET' : 'POST',
        maxBytes: DOCUMENT_MAX_BYTES,
        ...request,
      })
      return { status, text: decodeText(body, headers['content-type']) }
    } catch (error) {
      throw unread(error)
    }
  }

  const fetchText = async (url: string, pin: Pin, request: SourceRequest): Promise<string> =>
    textOf(await fetchAnswer(url, pin, request))

  async function openapi(
    payload: Payload,
    url: string,
    pin: Pin,
    headers: Readonly<Record<string, string>>,
    others: readonly Pin[],
  ): Promise<Discovery> {
    const fetched = async (address: string, at: Pin): Promise<string> => {
      // Other hosts receive no credential, because the document decides what is requested there.
      const own = at.origin === pin.origin ? headers : {}
      const text = await fetchText(address, at, {
        owner: payload.name ?? '',
        headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5', ...own },
        deadlineMs: settings.OPENAPI_DISCOVERY_TIMEOUT_MS,
      })
      return unreflected(text, headers)
    }
    const source: Source = {
      kind: 'openapi',
      text: await fetched(url, pin),
      documentUrl: url,
      ...(payload.include_tags ? { includeTags: payload.include_tags } : {}),
      ...(payload.exclude_operations ? { excludeOperations: payload.exclude_operations } : {}),
    }
    const bounds = { timeoutMs: settings.OPENAPI_DISCOVERY_TIMEOUT_MS }
    return withDocuments([pin, ...others], fetched, (documents) =>
      discoverInWorker({ ...source, documents }, limits, bounds),
    )
  }

  async function graphql(
    payload: Payload,
    url: string,
    pin: Pin,
    headers: Readonly<Record<string, string>>,
  ): Promise<Discovery> {
    const { getIntrospectionQuery } = await import('graphql')
    const ask = (inputValueDeprecation: boolean): Promise<SourceAnswer> =>
      fetchAnswer(url, pin, {
        owner: payload.name ?? '',
        body: JSON.stringify({
          query: getIntrospectionQuery({ descriptions: true, inputValueDeprecation }),
          operationName: 'IntrospectionQuery',
        }),
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        deadlineMs: settings.GRAPHQL_DISCOVERY_TIMEOUT_MS,
      })
    const whole = await ask(true)
    // Servers without support for deprecated arguments reject a query for them.
    const older = !isOk(whole) || !whole.text.includes('"__schema"')
    const text = textOf(older ? await ask(false) : whole)
    const source: Source = {
      kind: 'graphql',
      text: unreflected(text, headers),
      includeMutations: payload.include_mutations,
    }
    const discovery = await discoverInWorker(source, limits, { timeoutMs: settings.GRAPHQL_DISCOVERY_TIMEOUT_MS })
    if (!older) return discovery
    const shown = 'The endpoint does not list deprecated arguments: no tool offers them.'
    return { ...discovery, warnings: [...discovery.warnings, shown] }
  }

  async function mcp(
    payload: Payload,
    url: string,
    pin: Pin,
    headers: Readonly<Record<string, string>>,
    isNew: boolean,
  ): Promise<Discovery> {
    const listed = await listMcpTools({
      url,
      transport: payload.mcp_transport,
      era: payload.mcp_era,
      pin,
      headers,
      deadlineMs: settings.OPENAPI_DISCOVERY_TIMEOUT_MS,
    }).catch((error: unknown) => {
      if (isNew && payload.mcp_sign_in === true && wantsSignIn(error)) return undefined
      throw unread(error)
    })
    if (listed === undefined) return { tools: [], skipped: [], warnings: [SIGN_IN_FIRST] }
    return discoveredMcp(listed, headerSpellings(headers), limits, settings.OPENAPI_DISCOVERY_TIMEOUT_MS)
  }

  async function plan(payload: Payload, auth?: SourceAuth, { pins, local, isNew = false }: From = {}): Promise<Plan> {
    const { kind, input } = classify(payload)
    const { health_url: healthUrl, base_url: givenUrl } = payload
    const addresses = pins ? storedAddresses(pins) : resolvedAddresses(outbound, local)
    // All given addresses are checked before any fetch.
    const health = healthUrl === undefined ? undefined : await addresses.pin(healthUrl, 'health_url', 'health')
    const given = givenUrl === undefined ? undefined : await addresses.pin(givenUrl, 'base_url', 'base')
    const api = (given ?? health)?.origin
    const headersFor = (pin: Pin, home = api): Readonly<Record<string, string>> => {
      if (auth === undefined) return {}
      if ('sentTo' in auth) return auth.sentTo(pin.origin)?.headers ?? {}
      return home === undefined || home === pin.origin ? auth.headers : {}
    }
    const warnings: string[] = []
    let discovery: Discovery
    let baseUrl: string
    let base: Pin
    let source: Pin | undefined
    let servers: Pins['servers'] = {}

    if (input === 'graphql_url' || input === 'mcp_url') {
      baseUrl = payload[input] ?? ''
      base = await addresses.pin(baseUrl, input, 'base')
      const headers = headersFor(base, base.origin)
      discovery = await (input === 'mcp_url'
        ? mcp(payload, baseUrl, base, headers, isNew)
        : graphql(payload, baseUrl, base, headers))
    } else {
      let documentUrl: string | undefined
      if (input === 'openapi_url') {
        documentUrl = absolute(payload.openapi_url ?? '', payload.base_url ?? payload.health_url)
        source = await addresses.pin(documentUrl, 'openapi_url', 'source')
        const others = [given, health].filter((pin) => pin !== undefined)
        discovery = await openapi(payload, documentUrl, source, headersFor(source), others)
      } else
        discovery = await discoverInWorker(localSource(payload, input), limits, {
          timeoutMs: settings.OPENAPI_DISCOVERY_TIMEOUT_MS,
        })
      baseUrl = baseOf(payload, discovery, documentUrl)
      // A document that names a new server has no effect while stored pins apply.
      base = given ?? pins?.base ?? (await addresses.pin(baseUrl, 'base_url', 'base'))
      servers = await addresses.others(discovery, base, warnings)
    }
    if (payload.health_url === undefined && kind === 'rest')
      warnings.push(
        'No health_url was given: the base URL is asked instead, and any answer below 500 counts as healthy.',
      )
    if (payload.health_url === undefined && kind === 'graphql')
      warnings.push('No health_url was given: the GraphQL endpoint is asked for __typename instead.')
    return {
      kind,
      input,
      source: SOURCE_OF[input],
      discovery,
      baseUrl,
      healthUrl: payload.health_url ?? null,
      pins: { base, ...(health ? { health } : {}), ...(source ? { source } : {}), servers },
      warnings: [...warnings, ...discovery.warnings],
      credential: discovery.credential,
    }
  }

  return Object.assign(plan, {
    async vet(url: string, field: string) {
      await outbound.pin(url, field)
    },
  })
}

/** Converts errors that an administrator can fix; others stay unchanged. */
const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined
const wantsSignIn = (error: unknown): boolean => statusOf(error) === 401 || statusOf(error) === 403

function unread(error: unknown): unknown {
  if (error instanceof ExchangeError) return discoveryError('fetch', `The source could not be read: ${error.message}`)
  // A bare HTTP status of an MCP upstream; its class is in a folder that this one cannot import.
  const status = error instanceof GatewayError ? undefined : statusOf(error)
  if (status !== undefined)
    return discoveryError(
      'fetch',
      `The source answered ${status}. Check the address and whether it needs a credential.`,
    )
  return error
}

/** Masks the credential in tools, because a source may reflect it. */
function unreflected(text: string, headers: Readonly<Record<string, string>>): string {
  // A text stays a text.
  return withoutCredential(text, { secrets: headerSpellings(headers) }) as string
}

function absolute(url: string, base: string | undefined): string {
  if (URL.canParse(url)) return url
  if (base === undefined || !URL.canParse(url, base))
    throw refuse('openapi_url', 'must be an absolute URL, or relative to base_url or health_url')
  return new URL(url, base).href
}

function localSource(payload: Payload, input: 'tools' | 'curl_input' | 'client_collection'): Source {
  switch (input) {
    case 'tools':
      return { kind: 'manual', tools: payload.tools }
    case 'curl_input':
      return { kind: 'curl', command: payload.curl_input ?? '' }
    case 'client_collection':
      return { kind: 'collection', collection: payload.client_collection }
  }
}

/** Contract 4.3: base_url; else the host of health_url; else the source's own. */
function baseOf(payload: Payload, { baseUrl, basePath }: Discovery, documentUrl: string | undefined): string {
  if (payload.base_url !== undefined) return payload.base_url
  const withPath = (origin: string): string => (basePath === undefined ? origin : new URL(basePath, origin).href)
  if (payload.health_url !== undefined) return withPath(new URL(payload.health_url).origin)
  if (baseUrl !== undefined) return baseUrl
  if (documentUrl !== undefined) return withPath(new URL(documentUrl).origin)
  throw refuse('base_url', 'is required: the source names no server')
}
