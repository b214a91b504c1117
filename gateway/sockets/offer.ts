// The subprotocols of a WebSocket request: the client's own, and a browser's credential, which browsers cannot send otherwise.
import type { CredentialHeaders } from '../auth/data-plane.ts'
import { GatewayError } from '../contract/error.ts'

const CREDENTIAL = 'gantry.bearer.'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const KEY = /^[\x21-\x7e]+$/
const MOST_OFFERED = 32

export type Offer = {
  /** The headers searched for a credential. */
  readonly credential: CredentialHeaders
  /** Offered to the backend. */
  readonly protocol: string | undefined
  /** Named in the answer: browsers require one of those offered. */
  readonly answered: string | undefined
}

const unreadable = (): GatewayError =>
  new GatewayError('INVALID_REQUEST', 'Sec-WebSocket-Protocol must name each subprotocol once, 32 at most')
const twice = (): GatewayError =>
  new GatewayError('UNAUTHORIZED', 'Send one credential: Authorization or one gantry.bearer subprotocol')

/** Base64url with or without padding only. */
function keyIn(offered: string): string {
  const text = offered.slice(CREDENTIAL.length).replace(/(?<!=)=+$/, '')
  const key = Buffer.from(text, 'base64url').toString('latin1')
  if (Buffer.from(key, 'latin1').toString('base64url') !== text || !KEY.test(key))
    throw new GatewayError('UNAUTHORIZED', `Send the key in base64url behind "${CREDENTIAL}"`)
  return key
}

export function offerOf({ headers, rawHeaders }: CredentialHeaders): Offer {
  const given = headers['sec-websocket-protocol']
  const offered = given === undefined ? [] : given.split(',', MOST_OFFERED + 1).map((text) => text.trim())
  if (
    offered.length > MOST_OFFERED ||
    new Set(offered).size < offered.length ||
    !offered.every((text) => TOKEN.test(text))
  )
    throw unreadable()
  const credentials = offered.filter((text) => text.startsWith(CREDENTIAL))
  const protocol = offered.find((text) => !text.startsWith(CREDENTIAL))
  const [credential] = credentials
  const answered = protocol ?? credential
  if (credential === undefined) return { credential: { headers, rawHeaders }, protocol, answered }
  if (credentials.length > 1 || headers.authorization !== undefined) throw twice()
  const authorization = `Bearer ${keyIn(credential)}`
  return {
    credential: { headers: { authorization }, rawHeaders: ['Authorization', authorization] },
    protocol,
    answered,
  }
}
