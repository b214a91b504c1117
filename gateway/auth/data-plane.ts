// Who calls a tool: a key of the environment, or nobody when nothing at all is configured. Contract 2.1; managed keys and JWT come with their own work.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../contract/error.ts'
import type { Settings } from '../settings/table.ts'

export type DataPlaneCaller = {
  readonly name: string
  readonly kind: 'env' | 'anonymous' | 'admin'
  readonly keyHash: string | null
  readonly keyId: null
  readonly elevated: boolean
  readonly mayReach: () => boolean
}

export type DataPlane = {
  /** Nothing is configured, and nothing demands that something be. */
  readonly open: boolean
  authenticate(raw: IncomingMessage): DataPlaneCaller
}

type Needs = Pick<Settings, 'MCP_API_KEYS' | 'REQUIRE_MCP_AUTH' | 'JWT_JWKS_URL' | 'AUTH_DISABLED'>

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
/** The scheme is a word of HTTP, whose case means nothing. */
const BEARER = /^bearer +([\x21-\x7e]{1,16384})$/i
const MOST_SPELLINGS = 4
const everything = (): boolean => true

export function createDataPlane({ MCP_API_KEYS, REQUIRE_MCP_AUTH, JWT_JWKS_URL, AUTH_DISABLED }: Needs): DataPlane {
  const open = MCP_API_KEYS.length === 0 && !REQUIRE_MCP_AUTH && JWT_JWKS_URL === null
  // Looked up by digest: the time of a lookup says nothing about how much of a key was right.
  const keys = new Map(
    MCP_API_KEYS.map((key): [string, DataPlaneCaller] => {
      const hash = sha256(key)
      return [
        hash,
        {
          name: `mcp-env:${hash.slice(0, 8)}`,
          kind: 'env',
          keyHash: hash,
          keyId: null,
          elevated: false,
          mayReach: everything,
        },
      ]
    }),
  )
  const anonymous: DataPlaneCaller = {
    name: 'anonymous',
    kind: 'anonymous',
    keyHash: null,
    keyId: null,
    elevated: false,
    mayReach: everything,
  }
  // Accepted headers as they came: a caller's next request need not be hashed again. Never many more than there are keys.
  const accepted = new Map<string, DataPlaneCaller>()
  const disabled: DataPlaneCaller = { ...anonymous, name: 'auth-disabled', kind: 'admin', elevated: true }

  return {
    open,
    authenticate(raw) {
      if (AUTH_DISABLED) return disabled
      const header = raw.headers.authorization
      const known = header === undefined ? undefined : accepted.get(header)
      if (known) return known
      const token = header === undefined ? undefined : BEARER.exec(header)?.[1]
      const found = token === undefined ? undefined : keys.get(sha256(token))
      if (found && header !== undefined) {
        if (accepted.size < MOST_SPELLINGS * keys.size) accepted.set(header, found)
        return found
      }
      if (open) return token === undefined ? anonymous : { ...anonymous, keyHash: sha256(token) }
      throw new GatewayError('UNAUTHORIZED', 'Send a valid key as Authorization: Bearer')
    },
  }
}
