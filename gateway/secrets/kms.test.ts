// The transit key service over real sockets: failures, and what is never stored, retried or shown.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GatewayError } from '../contract/error.ts'
import { listening } from '../net/listening.fixture.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createSecretBox, type SecretBox } from './box.ts'
import type { KmsSend } from './kms.ts'

const TOKEN = 'kms-token-hunter2'

type Seen = { readonly method: string; readonly url: string; readonly token: unknown; readonly body: string }
type Answer = (response: ServerResponse, body: Record<string, string>) => void

const json = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** A transit double: reverses the Base64, which is enough to distinguish ciphertext from plaintext. */
const honest: Answer = (response, { plaintext, ciphertext }) => {
  const reverse = (text: string) => Buffer.from(text, 'latin1').reverse().toString('latin1')
  if (plaintext !== undefined) json(response, 200, { data: { ciphertext: `transit:v1:${reverse(plaintext)}` } })
  else json(response, 200, { data: { plaintext: reverse(String(ciphertext).slice('transit:v1:'.length)) } })
}

let server: Server
let address: string
let seen: Seen[]
let answer: Answer
let now: number

beforeEach(async () => {
  seen = []
  answer = honest
  now = 1_000_000
  server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      seen.push({ method: request.method ?? '', url: request.url ?? '', token: request.headers['x-kms-token'], body })
      answer(response, JSON.parse(body) as Record<string, string>)
    })
  })
  const { url } = await listening(server)
  // A TCP server has an address record.
  address = url
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => {
    server.close(resolve)
  })
})

const send: KmsSend = async ({ url, method, headers, body, timeoutMs }) => {
  const response = await fetch(url, {
    method,
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return { status: response.status, text: await response.text() }
}

function boxOf(options: { address?: string; keyName?: string; timeoutMs?: number; binding?: () => boolean } = {}) {
  const metrics = createMetrics()
  const box = createSecretBox({
    settings: {
      SECRETS_PROVIDER: 'kms',
      SECRET_ENCRYPTION_KEY: 'ignored by kms',
      KMS_ADDR: options.address ?? address,
      KMS_TOKEN: TOKEN,
      KMS_TRANSIT_KEY_NAME: options.keyName ?? 'gantry',
      KMS_REQUEST_TIMEOUT_MS: options.timeoutMs ?? 5000,
    },
    salt: new Uint8Array(16),
    send,
    binding: { complete: options.binding ?? (() => true) },
    metrics,
    monotonic: () => now,
  })
  return { box, metrics }
}

async function failure(work: Promise<unknown>): Promise<GatewayError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof GatewayError)) throw new Error('did not fail as it should')
  return error
}

const FAULTS: readonly (readonly [string, Answer])[] = [
  ['answers 401', (response) => json(response, 401, { data: { ciphertext: 'x', plaintext: 'eA==' } })],
  ['answers 500', (response) => json(response, 500, { error: 'down' })],
  ['redirects', (response) => response.writeHead(307, { location: '/v1/elsewhere' }).end()],
  ['answers HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['answers nothing', (response) => response.writeHead(200).end()],
  ['answers null', (response) => json(response, 200, null)],
  ['leaves the field out', (response) => json(response, 200, { data: {} })],
  ['answers an empty field', (response) => json(response, 200, { data: { ciphertext: '', plaintext: '' } })],
  ['answers a number', (response) => json(response, 200, { data: { ciphertext: 1, plaintext: 1 } })],
  ['hangs up', (response) => response.destroy()],
]

describe.each(FAULTS)('a key service that %s (security case KM-01)', (_name, fault) => {
  it('fails the operation without a retry, and shows neither token nor secret [ct.16.kms-fails ct.16.kms-plain-request ct.16.kms-token-hidden gw.auth.8-no-fallback ct.14.mcp_secrets_operations_total]', async () => {
    const { box, metrics } = boxOf()
    const sealed = await box.seal('a secret', 'r')
    seen.length = 0
    answer = fault
    const errors = [await failure(box.seal('a secret', 'r')), await failure(box.open(sealed, 'r'))]
    expect(seen).toHaveLength(2)
    for (const error of errors) {
      expect(error.code).toBe('SECRETS_PROVIDER_ERROR')
      const everything = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`
      for (const secret of [TOKEN, 'a secret', sealed]) expect(everything).not.toContain(secret)
    }
    const labels = { provider: 'kms', op: 'encrypt', outcome: 'error' } as const
    expect(metrics.read('mcp_secrets_operations_total', labels).value).toBe(1)
    answer = honest
    expect(await box.open(sealed, 'r')).toBe('a secret')
  })
})

describe('refusals', () => {
  it('fails when the service cannot be reached or does not answer in time [gw.setting.kms_request_timeout_ms ct.16.kms-fails]', async () => {
    answer = () => {}
    expect((await failure(boxOf({ timeoutMs: 100 }).box.seal('x', 'r'))).code).toBe('SECRETS_PROVIDER_ERROR')
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
    expect((await failure(boxOf().box.seal('x', 'r'))).code).toBe('SECRETS_PROVIDER_ERROR')
  })

  it('does not store a secret returned unchanged (security case KM-01) [gw.error.9-kms]', async () => {
    for (const echo of [(text: string) => text, (text: string) => Buffer.from(text, 'base64').toString('utf8')]) {
      answer = (response, { plaintext = '' }) => json(response, 200, { data: { ciphertext: echo(plaintext) } })
      expect((await failure(boxOf().box.seal('a secret', 'r'))).code).toBe('SECRETS_PROVIDER_ERROR')
    }
  })

  it('does not pass on a plaintext that is not Base64 of UTF-8', async () => {
    const { box } = boxOf()
    const sealed = await box.seal('x', 'r')
    for (const plaintext of ['***', 'abc', Buffer.from([0xff, 0xfe]).toString('base64')]) {
      answer = (response) => json(response, 200, { data: { plaintext } })
      expect((await failure(box.open(sealed, 'r'))).code).toBe('SECRETS_PROVIDER_ERROR')
    }
  })

  it.each(['kms:v1', 'kms:v2:gantry:x', 'kms:v1:gantry:', 'kms:v1::x', 'kms:v1:%zz:x'])(
    'makes no request for %j',
    async (sealed) => {
      expect((await failure(boxOf().box.open(sealed, 'r'))).code).toBe('SECRETS_PROVIDER_ERROR')
      expect(seen).toEqual([])
    },
  )

  it('does not send a secret of the provider local to the key service', async () => {
    const error = await failure(boxOf().box.open('local:v1:a:b:c', 'r'))
    expect(error.code).toBe('SECRETS_PROVIDER_ERROR')
    expect(error.message).toContain('SECRETS_PROVIDER')
    expect(seen).toEqual([])
  })
})

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')

describe('a secret', () => {
  const REFUSED = { code: 'SECRETS_PROVIDER_ERROR', message: expect.stringContaining('does not belong to this record') }

  it('that was moved to another record does not open there, cached or not', async () => {
    const { box } = boxOf()
    const [one, two] = await Promise.all([box.seal('one', 'backends/1/auth'), box.seal('two', 'backends/2/auth')])
    expect(await box.open(one, 'backends/1/auth')).toBe('one')
    for (const [sealed, ref] of [
      [one, 'backends/2/auth'],
      [two, 'backends/1/auth'],
      [one, 'backends/1/auth:o'],
      [one, 'backends/1/aut'],
      [one, ''],
    ] as const)
      expect(await failure(box.open(sealed, ref)), ref).toMatchObject(REFUSED)
    const together = [box.open(two, 'backends/1/auth'), box.open(two, 'backends/2/auth')] as const
    expect((await Promise.allSettled(together)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })

  it('round-trips in every form', async () => {
    const { box } = boxOf()
    for (const text of ['', ':', 'gantry-secret:v1:1:r:x', '5:hello', 'päß 🔑', '{"ref":"r"}'])
      for (const ref of ['r', 'r:1:', '', 'pässe/🔑']) expect(await box.open(await box.seal(text, ref), ref)).toBe(text)
  })

  it('from before binding opens until all are bound, and is not current', async () => {
    let complete = false
    const { box } = boxOf({ binding: () => complete })
    answer = (response) => json(response, 200, { data: { plaintext: base64('from before') } })
    const sealed = 'kms:v1:gantry:transit:v1:of-old'
    expect(box.isCurrent(sealed)).toBe(false)
    expect(await box.open(sealed, 'any')).toBe('from before')
    complete = true
    expect(await failure(box.open(sealed, 'any'))).toMatchObject(REFUSED)
  })

  it.each(['gantry-secret:v1:', 'gantry-secret:v1:x:r:s', 'gantry-secret:v1:1:r', 'gantry-secret:v1:9:r:s'])(
    'whose inside is %j cannot be opened',
    async (inside) => {
      const { box } = boxOf({ binding: () => false })
      answer = (response) => json(response, 200, { data: { plaintext: base64(inside) } })
      expect(await failure(box.open('kms:v1:gantry:transit:v1:x', 'r'))).toMatchObject(REFUSED)
    },
  )
})

describe('the protocol', () => {
  it('posts Base64 under the encoded key name with the token in its header [ct.16.kms-encrypt ct.16.kms-decrypt ct.16.kms-form ct.16.kms-key-name gw.auth-var.kms-header gw.auth.8-kms]', async () => {
    const { box } = boxOf({ address: `${address}/`, keyName: 'team/a:b' })
    const sealed = await box.seal('päss', 'r')
    expect(sealed).toMatch(/^kms:v1:team%2Fa%3Ab:transit:v1:/)
    expect(await box.open(sealed, 'r')).toBe('päss')
    const path = (operation: string) => `/v1/transit/${operation}/team%2Fa%3Ab`
    expect(seen).toEqual([
      {
        method: 'POST',
        url: path('encrypt'),
        token: TOKEN,
        body: JSON.stringify({ plaintext: base64('gantry-secret:v1:1:r:päss') }),
      },
      {
        method: 'POST',
        url: path('decrypt'),
        token: TOKEN,
        body: JSON.stringify({ ciphertext: sealed.slice(sealed.indexOf('transit:')) }),
      },
    ])
  })

  it('decrypts under the key name a secret was encrypted with', async () => {
    const sealed = await boxOf({ keyName: 'old' }).box.seal('x', 'r')
    expect(await boxOf({ keyName: 'new' }).box.open(sealed, 'r')).toBe('x')
    expect(seen.at(-1)?.url).toBe('/v1/transit/decrypt/old')
  })

  it('caches decrypted values for less than a minute, and merges concurrent requests [ct.16.kms-cache]', async () => {
    const { box } = boxOf()
    const sealed = await box.seal('x', 'r')
    seen.length = 0
    expect(await Promise.all([box.open(sealed, 'r'), box.open(sealed, 'r'), box.open(sealed, 'r')])).toEqual([
      'x',
      'x',
      'x',
    ])
    await box.open(sealed, 'r')
    expect(seen).toHaveLength(1)
    now += 60_000
    await box.open(sealed, 'r')
    expect(seen).toHaveLength(2)
  })

  it('is configured without an encryption key of its own [gw.auth.8-kms]', () => {
    const { box }: { box: SecretBox } = boxOf()
    expect(box).toMatchObject({ provider: 'kms', configured: true })
  })
})
