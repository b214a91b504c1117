// A token issuer for tests: real keys and a real key server.
import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { listening } from '../net/listening.fixture.ts'

export type Json = Readonly<Record<string, unknown>>
export type SigningKey = {
  readonly kid: string
  readonly alg: 'RS256' | 'ES256'
  readonly privateKey: KeyObject
  readonly jwk: Json
  readonly pem: string
  readonly der: Buffer
}

export function signingKey(kid: string, alg: SigningKey['alg'] = 'RS256', bits = 2048): SigningKey {
  const { publicKey, privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: bits })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg }
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  return { kid, alg, privateKey, jwk, pem, der: publicKey.export({ format: 'der', type: 'spki' }) }
}

const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A token with these exact texts, signed regardless of its header. */
export function tokenOf(
  header: Json | string,
  claims: Json | string,
  { alg, privateKey }: Pick<SigningKey, 'alg' | 'privateKey'>,
): string {
  const input = `${part(header)}.${part(claims)}`
  const key = alg === 'ES256' ? { key: privateKey, dsaEncoding: 'ieee-p1363' as const } : privateKey
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
}

export const hmacToken = (header: Json, claims: Json, secret: string | Buffer, hash = 'sha256'): string => {
  const input = `${part(header)}.${part(claims)}`
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
}

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')

export type Issuer = {
  readonly url: string
  readonly hits: () => number
  /** The next answers: keys, or something else. */
  keys: readonly Json[]
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
}

/** An issuer that closes with the test. */
export async function anIssuer(...keys: readonly SigningKey[]): Promise<Issuer> {
  const issuer = await openIssuer(...keys)
  onTestFinished(issuer.close)
  return issuer
}

export async function openIssuer(...keys: readonly SigningKey[]): Promise<Issuer & { close(): Promise<void> }> {
  let hits = 0
  const issuer = { keys: keys.map(({ jwk }) => jwk), answer: undefined } as Pick<Issuer, 'keys' | 'answer'>
  const server = createServer((request, response) => {
    hits += 1
    if (issuer.answer) issuer.answer(request, response)
    else response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: issuer.keys }))
  })
  const { url, close } = await listening(server)
  return Object.assign(issuer, { url: `${url}/jwks`, hits: () => hits, close })
}
