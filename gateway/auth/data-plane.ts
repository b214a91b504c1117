// Authenticates tool callers: key of the environment, managed key, JWT, or anonymous while none is configured. Contract 2.1.
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../contract/error.ts'
import { isNameless } from '../settings/reachable.ts'
import type { Settings } from '../settings/table.ts'
import { type Credential, createEndings, type DataPlaneCaller, type Endings } from './credential.ts'
import { looksLikeToken, type Tokens } from './jwt.ts'
import type { ManagedKeys } from './managed-keys.ts'
import { NO_USER } from './unknown-user.ts'

export type CredentialHeaders = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

export type DataPlane = ReturnType<typeof createDataPlane>

type Needs = {
  readonly settings: Pick<
    Settings,
    | 'MCP_API_KEYS'
    | 'REQUIRE_MCP_AUTH'
    | 'JWT_JWKS_URL'
    | 'AUTH_DISABLED'
    | 'HOST'
    | 'ALLOWED_HOSTS'
    | 'GATEWAY_PUBLIC_URL'
  >
  readonly managed: Pick<ManagedKeys, 'find' | 'rows'>
  /** Null without a key set. */
  readonly tokens: Tokens | null
  readonly onOpen: (open: boolean) => void
}

/** HTTP schemes are case-insensitive. */
const BEARER = /^bearer +([\x21-\x7e]+)$/i
/** Checked outside the pattern: a counted repetition costs three times the digest of a long token. */
const LONGEST_TOKEN = 16_384
const MOST_ACCEPTED = 10_000
/** Longer ones are hashed each time, so that the cache stays below 20 MB. */
const LONGEST_ACCEPTED = 2_048

const NAMELESS =
  'There is no MCP key yet, and this gateway listens beyond loopback: create a key, or set ALLOWED_HOSTS or GATEWAY_PUBLIC_URL to serve clients without one'

const sha256 = (text: string): string => hash('sha256', text)

const unauthenticated = ({ add }: Endings): DataPlaneCaller => ({
  ...NO_USER,
  name: 'anonymous',
  kind: 'anonymous',
  onEnd: add,
})

/** The Authorization header, if sent exactly once: of two, a proxy may have read the other. */
function headerOf({ headers, rawHeaders }: CredentialHeaders): string | undefined {
  const { authorization } = headers
  if (authorization === undefined) return undefined
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 13 && rawHeaders[at]?.toLowerCase() === 'authorization') count += 1
  return count > 1 ? undefined : authorization
}
function tokenIn(header: string | undefined): string | undefined {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1]
  return token !== undefined && token.length <= LONGEST_TOKEN ? token : undefined
}

export function createDataPlane({ settings, managed, tokens, onOpen }: Needs) {
  const { MCP_API_KEYS, REQUIRE_MCP_AUTH, JWT_JWKS_URL, AUTH_DISABLED } = settings
  const configured = MCP_API_KEYS.length > 0 || REQUIRE_MCP_AUTH || JWT_JWKS_URL !== null
  const nameless = isNameless(settings)
  const isKeyless = (): boolean => !configured && managed.rows() === 0
  const isOpen = (): boolean => !nameless && isKeyless()
  let wasOpen = isOpen()
  // Looked up by digest, so that timing reveals nothing about a partly correct key.
  const keys = new Map(
    MCP_API_KEYS.map((key): [string, Credential] => {
      const keyHash = sha256(key)
      const caller: DataPlaneCaller = { ...NO_USER, name: `mcp-env:${keyHash.slice(0, 8)}`, kind: 'env', keyHash }
      return [keyHash, { current: () => caller }]
    }),
  )
  let endings = createEndings()
  let anonymous = unauthenticated(endings)
  const disabled: DataPlaneCaller = {
    ...NO_USER,
    name: 'auth-disabled',
    kind: 'admin',
    elevated: true,
    adminRole: 'admin',
  }
  // Accepted header values, so that the next request is not hashed again.
  const accepted = new Map<string, Credential>()

  function remember(header: string | undefined, credential: Credential): void {
    if (header === undefined || header.length > LONGEST_ACCEPTED) return
    if (accepted.size >= MOST_ACCEPTED) accepted.clear()
    accepted.set(header, credential)
  }

  const refusal = (): GatewayError =>
    new GatewayError('UNAUTHORIZED', nameless && isKeyless() ? NAMELESS : 'Send a valid key as Authorization: Bearer')

  function byToken(known: Tokens, token: string, digest: string, header: string | undefined) {
    const credential = known.find(digest)
    const caller = credential?.current()
    if (credential && caller) {
      remember(header, credential)
      return caller
    }
    return known.verify(token, digest).then((found) => {
      if (found === undefined) throw refusal()
      return found
    })
  }

  function identify(header: string | undefined): DataPlaneCaller | Promise<DataPlaneCaller> {
    const token = tokenIn(header)
    if (token === undefined) {
      if (isOpen()) return anonymous
      throw refusal()
    }
    const keyHash = sha256(token)
    const ours = keys.get(keyHash)
    const caller = ours?.current()
    if (ours && caller) {
      remember(header, ours)
      return caller
    }
    const key = managed.find(keyHash)
    if (key)
      return key.caller().then((found) => {
        if (found === undefined) throw refusal()
        remember(header, key)
        return found
      })
    if (tokens && looksLikeToken(token)) return byToken(tokens, token, keyHash, header)
    if (isOpen()) return { ...anonymous, keyHash }
    throw refusal()
  }

  return {
    /** No credential is configured or required, and the listener is on loopback or has a configured name. */
    get open() {
      return isOpen()
    },
    /** Closed because the listener is reachable beyond loopback and has no configured name. */
    get nameless() {
      return nameless && isKeyless()
    },
    /** Synchronous for a known credential. Throws or rejects UNAUTHORIZED. */
    authenticate(raw: CredentialHeaders): DataPlaneCaller | Promise<DataPlaneCaller> {
      if (AUTH_DISABLED) return disabled
      const header = headerOf(raw)
      const known = header === undefined ? undefined : accepted.get(header)
      if (header === undefined || known === undefined) return identify(header)
      const caller = known.current()
      if (caller) return caller
      accepted.delete(header)
      return identify(header)
    },
    /** Called when keys were added or removed: the plane may close. */
    keysChanged(): void {
      const open = isOpen()
      if (open === wasOpen) return
      wasOpen = open
      if (!open) {
        endings.end()
        endings = createEndings()
        anonymous = unauthenticated(endings)
      }
      onOpen(open)
    },
  }
}
