// Tokens against a real key server: attacks first, then valid tokens, then the number of fetches.
import { createHash } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOutbound } from '../net/outbound.ts'
import { aTime } from './auth.fixture.ts'
import { createJwks } from './jwks.ts'
import {
  anIssuer,
  digestOf,
  hmacToken,
  type Issuer,
  type Json,
  type SigningKey,
  signingKey,
  tokenOf,
} from './jwt.fixture.ts'
import { createTokens, looksLikeToken } from './jwt.ts'

const RSA = signingKey('rsa-1')
const EC = signingKey('ec-1', 'ES256')
const FOREIGN = signingKey('rsa-1')
const NEXT = signingKey('rsa-2')
/** The same key under a name that no server lists: an RSA key takes a quarter of a second to make. */
const unlisted = (kid: string) => ({ ...NEXT, kid, jwk: { ...NEXT.jwk, kid } })
const WEAK = signingKey('weak', 'RS256', 1024)

type Given = { readonly issuer?: string | null; readonly audience?: string | null; readonly cacheMs?: number }

async function someTokens(
  keys: readonly SigningKey[] = [RSA, EC],
  { issuer = 'https://idp.test', audience = 'gantry', cacheMs = 600_000 }: Given = {},
) {
  const time = aTime()
  const idp = await anIssuer(...keys)
  const outbound = createOutbound({ allowPrivate: false, connections: 4 })
  onTestFinished(() => outbound.close())
  const logged: string[] = []
  const jwks = createJwks({
    cacheMs,
    monotonic: time.monotonic,
    log: { warn: (message) => logged.push(message), info: (message) => logged.push(message) },
    async fetch() {
      const { status, body } = await outbound.request({
        url: idp.url,
        deadlineMs: 500,
        maxBytes: 1_048_576,
        trusted: true,
      })
      if (status !== 200) throw new Error(`it answered ${status}`)
      return body.toString('utf8')
    },
  })
  const tokens = createTokens({
    jwks,
    settings: { JWT_ISSUER: issuer, JWT_AUDIENCE: audience },
    clock: time.clock,
    monotonic: time.monotonic,
  })
  const seconds = (): number => Math.floor(time.wallMs / 1000)
  const claims = (more: Json = {}): Json => ({
    iss: 'https://idp.test',
    aud: 'gantry',
    sub: 'ada',
    exp: seconds() + 300,
    ...more,
  })
  const who = async (token: string): Promise<string | undefined> => {
    if (!looksLikeToken(token)) return undefined
    const digest = digestOf(token)
    return (tokens.find(digest)?.current() ?? (await tokens.verify(token, digest)))?.name
  }
  const good = (more: Json = {}, key = RSA): string => tokenOf({ alg: key.alg, kid: key.kid }, claims(more), key)
  return { time, idp, tokens, claims, who, good, seconds, logged }
}

const header = { alg: 'RS256', kid: 'rsa-1' }
type Forge = (claims: Json) => string
const ATTACKS: Readonly<Record<string, Forge>> = {
  'no algorithm': (claims) => `${tokenOf({ alg: 'none' }, claims, RSA).split('.').slice(0, 2).join('.')}.`,
  'alg none with a signature': (claims) => tokenOf({ alg: 'none', kid: 'rsa-1' }, claims, RSA),
  'alg None': (claims) => tokenOf({ alg: 'None', kid: 'rsa-1' }, claims, RSA),
  'alg nOnE': (claims) => tokenOf({ alg: 'nOnE', kid: 'rsa-1' }, claims, RSA),
  'no alg at all': (claims) => tokenOf({ kid: 'rsa-1' }, claims, RSA),
  'alg as a list': (claims) => tokenOf({ alg: ['RS256'], kid: 'rsa-1' }, claims, RSA),
  'HS256 by the PEM of the public key': (claims) => hmacToken({ alg: 'HS256', kid: 'rsa-1' }, claims, RSA.pem),
  'HS256 by the PEM with a space before': (claims) => hmacToken({ alg: 'HS256', kid: 'rsa-1' }, claims, ` ${RSA.pem}`),
  'HS256 by the PEM without its last line': (claims) =>
    hmacToken({ alg: 'HS256', kid: 'rsa-1' }, claims, RSA.pem.trim()),
  'HS256 by the DER of the public key': (claims) => hmacToken({ alg: 'HS256', kid: 'rsa-1' }, claims, RSA.der),
  'HS256 by the text of the JWK': (claims) =>
    hmacToken({ alg: 'HS256', kid: 'rsa-1' }, claims, JSON.stringify(RSA.jwk)),
  'HS256 by the empty key': (claims) => hmacToken({ alg: 'HS256', kid: 'rsa-1' }, claims, ''),
  'HS384 by the PEM': (claims) => hmacToken({ alg: 'HS384', kid: 'rsa-1' }, claims, RSA.pem, 'sha384'),
  'HS512 by the PEM': (claims) => hmacToken({ alg: 'HS512', kid: 'rsa-1' }, claims, RSA.pem, 'sha512'),
  'an HMAC that calls itself RS256': (claims) => hmacToken(header, claims, RSA.pem),
  ...Object.fromEntries(
    ['RS384', 'RS512', 'PS256', 'ES384', 'EdDSA', 'RSA-OAEP', 'rs256'].map((alg) => [
      alg,
      (claims: Json) => tokenOf({ alg, kid: 'rsa-1' }, claims, RSA),
    ]),
  ),
  'a foreign key under our kid': (claims) => tokenOf(header, claims, FOREIGN),
  'a foreign key inside the token (jwk)': (claims) => tokenOf({ ...header, jwk: FOREIGN.jwk }, claims, FOREIGN),
  'a foreign certificate (x5c)': (claims) =>
    tokenOf({ ...header, x5c: [FOREIGN.der.toString('base64')] }, claims, FOREIGN),
  'an RSA key for ES256': (claims) => tokenOf({ alg: 'ES256', kid: 'rsa-1' }, claims, RSA),
  'an EC key for RS256': (claims) => tokenOf({ alg: 'RS256', kid: 'ec-1' }, claims, EC),
  'an EC signature in DER': (claims) => {
    const token = tokenOf({ alg: 'ES256', kid: 'ec-1' }, claims, { alg: 'RS256', privateKey: EC.privateKey })
    return token
  },
  'an EC signature of zeros': (claims) =>
    `${tokenOf({ alg: 'ES256', kid: 'ec-1' }, claims, EC).split('.').slice(0, 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`,
  ...Object.fromEntries(
    (
      [
        ['crit', ['exp']],
        ['crit', []],
        ['b64', false],
        ['zip', 'DEF'],
        ['enc', 'A256GCM'],
      ] as const
    ).map(([name, value]) => [
      `${name} ${JSON.stringify(value)}`,
      (claims: Json) => tokenOf({ ...header, [name]: value }, claims, RSA),
    ]),
  ),
  ...Object.fromEntries(
    ['../../dev/null', "' OR 1=1 --", 'rsa-1\u0000', 'x'.repeat(10_000), '', '__proto__', 'RSA-1'].map((kid) => [
      `kid ${JSON.stringify(kid).slice(0, 20)}`,
      (claims: Json) => tokenOf({ alg: 'RS256', kid }, claims, RSA),
    ]),
  ),
  'kid as a list': (claims) => tokenOf({ alg: 'RS256', kid: ['rsa-1'] }, claims, RSA),
  'kid as null': (claims) => tokenOf({ alg: 'RS256', kid: null }, claims, RSA),
  'no kid among several keys of a kind': (claims) => tokenOf({ alg: 'RS256' }, claims, RSA),
  'two parts': (claims) => tokenOf(header, claims, RSA).split('.').slice(0, 2).join('.'),
  'four parts': (claims) => `${tokenOf(header, claims, RSA)}.x`,
  'five parts': (claims) => `${tokenOf(header, claims, RSA)}.x.x`,
  'an empty signature': (claims) => `${tokenOf(header, claims, RSA).split('.').slice(0, 2).join('.')}.`,
  padding: (claims) => `${tokenOf(header, claims, RSA)}==`,
  'another spelling of the signature': (claims) => {
    const token = tokenOf(header, claims, RSA)
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // 256 bytes leave unused bits in the last character, so a neighbouring character decodes equally.
    return token.slice(0, -1) + last[last.indexOf(token.at(-1) ?? '') + 1]
  },
  'claims swapped behind the signature': (claims) => {
    const [head, , signature] = tokenOf(header, claims, RSA).split('.')
    return `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url')}.${signature}`
  },
  'claims that are a list': () => tokenOf(header, '[]', RSA),
  'claims that are text': () => tokenOf(header, '"ada"', RSA),
  'claims that are no JSON': () => tokenOf(header, '{"sub":"ada"', RSA),
  'a header that is null': (claims) => tokenOf('null', claims, RSA),
  'a key of 1024 bits': (claims) => tokenOf({ alg: 'RS256', kid: 'weak' }, claims, WEAK),
}

describe('a token', () => {
  it.each(Object.keys(ATTACKS))(
    'with %s is refused (security cases JW-01, JW-02, JW-03) [ct.2.1.jwt-alg gw.auth.6-algorithms]',
    async (name) => {
      const { who, claims, good, idp } = await someTokens([RSA, EC, WEAK, NEXT])
      const hits = idp.hits()
      expect(await who(ATTACKS[name]?.(claims()) ?? '')).toBeUndefined()
      // Only the one server was contacted, and valid tokens still work.
      expect(idp.hits() - hits).toBeLessThanOrEqual(2)
      expect(await who(good())).toBe('jwt:ada')
    },
  )

  it('fetches no URL named in the token (security case JW-02)', async () => {
    const { who, claims } = await someTokens()
    const evil = await anIssuer(FOREIGN)
    for (const name of ['jku', 'x5u'])
      expect(await who(tokenOf({ ...header, [name]: evil.url }, claims(), FOREIGN))).toBeUndefined()
    expect(evil.hits()).toBe(0)
  })

  it.each<[string, (nowSeconds: number) => Json]>([
    ['no exp', () => ({ exp: undefined })],
    ['exp as text', (now) => ({ exp: String(now + 300) })],
    ['exp null', () => ({ exp: null })],
    ['exp negative', () => ({ exp: -1 })],
    ['exp 60 s ago', (now) => ({ exp: now - 60 })],
    ['nbf in 61 s', (now) => ({ nbf: now + 61 })],
    ['nbf as text', (now) => ({ nbf: String(now) })],
    ['iat in 61 s', (now) => ({ iat: now + 61 })],
    ['iat as text', () => ({ iat: 'now' })],
    ['no aud', () => ({ aud: undefined })],
    ['another aud', () => ({ aud: 'other' })],
    ['a part of aud', () => ({ aud: 'gant' })],
    ['aud in a longer one', () => ({ aud: 'gantry-admin' })],
    ['aud in other letters', () => ({ aud: 'Gantry' })],
    ['aud empty', () => ({ aud: [] })],
    ['aud as an object', () => ({ aud: { gantry: true } })],
    ['aud nested', () => ({ aud: [['gantry']] })],
    ['aud with what is no text', () => ({ aud: ['gantry', 7] })],
    ['no iss', () => ({ iss: undefined })],
    ['iss with a slash', () => ({ iss: 'https://idp.test/' })],
    ['iss in other letters', () => ({ iss: 'https://IDP.test' })],
    ['iss as a list', () => ({ iss: ['https://idp.test'] })],
    ['no sub', () => ({ sub: undefined })],
    ['sub empty', () => ({ sub: '' })],
    ['sub as a number', () => ({ sub: 7 })],
    ['sub far too long', () => ({ sub: 'x'.repeat(256) })],
    ['sub with a line break', () => ({ sub: 'ada\nroot' })],
  ])(
    'with %s is refused (security cases JW-04, JW-11) [ct.2.1.jwt-times gw.auth.6-issuer gw.auth.6-audience]',
    async (_what, more) => {
      const { who, good, seconds } = await someTokens()
      expect(await who(good(more(seconds())))).toBeUndefined()
    },
  )

  it('with an infinite exp is rejected', async () => {
    const { who, claims } = await someTokens()
    const text = JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e400')
    expect(await who(tokenOf(header, text, RSA))).toBeUndefined()
  })

  it.each<[string, (nowSeconds: number) => Json]>([
    ['exp 59 s ago', (now) => ({ exp: now - 59 })],
    ['nbf in 60 s', (now) => ({ nbf: now + 60 })],
    ['iat in 60 s', (now) => ({ iat: now + 60 })],
    ['aud among others', () => ({ aud: ['other', 'gantry'] })],
    ['claims of authority', () => ({ role: 'admin', adminRole: 'admin', scope: '*', teamId: 1, bundles: [] })],
  ])('with %s is its subject, and no more than that [ct.2.2.jwt]', async (_what, more) => {
    const { tokens, good, seconds } = await someTokens()
    const token = good(more(seconds()))
    expect(await tokens.verify(token, digestOf(token))).toMatchObject({
      name: 'jwt:ada',
      kind: 'jwt',
      keyHash: digestOf(token),
      keyId: null,
      elevated: false,
      adminRole: null,
      teamId: null,
      bundles: null,
    })
  })

  it('of both algorithms is accepted, and without iss and aud if none is required', async () => {
    const { who, good } = await someTokens([RSA, EC], { issuer: null, audience: null })
    expect([await who(good({}, EC)), await who(good({ iss: undefined, aud: undefined }))]).toEqual([
      'jwt:ada',
      'jwt:ada',
    ])
  })

  it('is distinguished by its whole text (security case JW-09)', async () => {
    const { who, claims } = await someTokens()
    const tokens = ['ada', 'bob'].map((sub) => tokenOf(header, claims({ sub, jti: 'same' }), RSA))
    const seen = new Set<string>()
    for (let round = 0; round < 5_000; round += 1) seen.add(String(await Promise.all(tokens.map(who))))
    expect([...seen]).toEqual(['jwt:ada,jwt:bob'])
  })

  it('is cached until it expires, and no longer', async () => {
    const { who, good, time, seconds, tokens } = await someTokens()
    const token = good({ exp: seconds() + 10 })
    expect(await who(token)).toBe('jwt:ada')
    const received: string[] = []
    const caller = tokens.find(digestOf(token))?.current()
    caller?.onEnd?.(() => received.push('end'))
    time.pass(69_999)
    expect(tokens.find(digestOf(token))?.current()).toBe(caller)
    time.pass(1)
    expect([await who(token), received]).toEqual([undefined, ['end']])
    time.wallMs -= 3_600_000
    expect(await who(token)).toBeUndefined()
  })
})

const storm = (claims: Json, count: number): string[] =>
  Array.from({ length: count }, (_each, at) =>
    tokenOf(
      {
        alg: 'ES256',
        kid: createHash('md5')
          .update(`${String(claims.jti)} ${at}`)
          .digest('hex'),
      },
      claims,
      EC,
    ),
  )

describe('the key server', () => {
  it('is asked once for many callers, and again for an unknown key [gw.auth.6-refetch ct.2.1.jwt-refetch gw.setting.jwt_jwks_cache_ms]', async () => {
    const { who, good, idp, time } = await someTokens([RSA])
    expect(await Promise.all(Array.from({ length: 20 }, () => who(good())))).toEqual(Array(20).fill('jwt:ada'))
    expect(idp.hits()).toBe(1)
    idp.keys = [RSA.jwk, NEXT.jwk]
    expect(await Promise.all(Array.from({ length: 20 }, () => who(good({}, NEXT))))).toEqual(Array(20).fill('jwt:ada'))
    expect(idp.hits()).toBe(2)
    time.pass(29_999)
    expect(await who(good({}, unlisted('rsa-3')))).toBeUndefined()
    expect(idp.hits()).toBe(2)
    time.pass(1)
    expect(await who(good({}, unlisted('rsa-3')))).toBeUndefined()
    expect(idp.hits()).toBe(3)
  })

  it('is not flooded by unknown keys, and a rotation is visible within the cooldown (security case JW-07)', async () => {
    const { who, good, idp, time, claims } = await someTokens([RSA])
    const valid = good()
    expect(await who(valid)).toBe('jwt:ada')
    const storming = storm(claims(), 2_000).map(who)
    const inBetween = await who(valid)
    await Promise.all(storming)
    idp.keys = [NEXT.jwk, RSA.jwk]
    // In portions, so that the key server in this process gets its turns.
    for (let portion = 0; portion < 16; portion += 1) await Promise.all(storm(claims({ jti: portion }), 500).map(who))
    expect([inBetween, idp.hits()]).toEqual(['jwt:ada', 2])
    time.pass(30_000)
    expect([await who(good({}, NEXT)), idp.hits()]).toEqual(['jwt:ada', 3])
  })

  it('ends a withdrawn key’s tokens when the change is read, at latest when the set expires (security case JW-06)', async () => {
    const { who, good, idp, time, tokens } = await someTokens([RSA, EC], { cacheMs: 60_000 })
    const [withdrawn, stays] = [good(), good({}, EC)]
    expect([await who(withdrawn), await who(stays)]).toEqual(['jwt:ada', 'jwt:ada'])
    const received: string[] = []
    tokens
      .find(digestOf(withdrawn))
      ?.current()
      ?.onEnd?.(() => received.push('withdrawn'))
    tokens
      .find(digestOf(stays))
      ?.current()
      ?.onEnd?.(() => received.push('stays'))
    idp.keys = [EC.jwk]
    time.pass(60_000)
    expect([await who(withdrawn), await who(stays), received]).toEqual([undefined, 'jwt:ada', ['withdrawn']])
  })

  const FAULTS: Readonly<Record<string, NonNullable<Issuer['answer']>>> = {
    'answers 500': (_request, response) => void response.writeHead(500).end(),
    'answers with a page': (_request, response) => void response.setHeader('content-type', 'text/html').end('<html>'),
    'answers with nothing in it': (_request, response) => void response.end('{}'),
    'answers with 5 MB': (_request, response) => void response.end(`{"keys":[${'"x",'.repeat(1_300_000)}"x"]}`),
    'answers with 600 keys': (_request, response) =>
      void response.end(JSON.stringify({ keys: Array.from({ length: 600 }, () => ({ kty: 'RSA' })) })),
    'sends elsewhere': (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    'never answers': () => undefined,
    'breaks off': (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"keys":[')
      response.socket?.end()
    },
  }

  it.each(Object.keys(FAULTS))(
    'that %s leaves the known keys until they are too old, then refuses every token; and is back without a restart (security case JW-08)',
    async (fault) => {
      const { who, good, idp, time, logged } = await someTokens([RSA], { cacheMs: 60_000 })
      const token = good()
      expect(await who(token)).toBe('jwt:ada')
      idp.answer = FAULTS[fault]
      time.pass(50_000)
      expect([await who(token), await who(good({}, unlisted('unknown')))]).toEqual(['jwt:ada', undefined])
      time.pass(10_000)
      expect([await who(token), await who(good({ jti: 2 }))]).toEqual([undefined, undefined])
      expect(logged.filter((line) => line.includes('cannot be had'))).toHaveLength(1)
      idp.answer = undefined
      time.pass(1_000)
      expect(await who(token)).toBe('jwt:ada')
    },
  )

  it('that is down at the start authenticates no caller until it is up (security case JW-08)', async () => {
    const { who, good, idp, time } = await someTokens([RSA])
    idp.answer = FAULTS['answers 500']
    expect(await who(good())).toBeUndefined()
    // One fetch per second for any number of callers.
    await Promise.all(Array.from({ length: 50 }, () => who(good())))
    expect(idp.hits()).toBe(1)
    idp.answer = undefined
    time.pass(1_000)
    expect(await who(good())).toBe('jwt:ada')
  })

  it.each<[string, Json[]]>([
    ['is for encryption', [{ ...RSA.jwk, use: 'enc' }]],
    ['is for another algorithm', [{ ...RSA.jwk, alg: 'RS512' }]],
    ['may only sign', [{ ...RSA.jwk, key_ops: ['sign'] }]],
    ['is a shared secret', [{ kty: 'oct', k: 'c2VjcmV0', kid: 'rsa-1', alg: 'RS256' }]],
    ['shares its name with another', [RSA.jwk, FOREIGN.jwk]],
    ['has a name that is no text', [{ ...RSA.jwk, kid: 1 }]],
    ['has no modulus', [{ ...RSA.jwk, n: undefined }]],
  ])('whose key %s is trusted for no caller', async (_what, keys) => {
    const { who, good, idp } = await someTokens()
    idp.keys = keys
    expect(await who(good())).toBeUndefined()
  })
})
