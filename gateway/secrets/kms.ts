// The provider `kms`: a transit key service encrypts and decrypts. If it fails, the operation fails; there is no fallback.
import { GatewayError } from '../contract/error.ts'
import { type Binding, bound, boundTo } from './binding.ts'
import type { Provider } from './box.ts'

export type KmsRequest = {
  readonly method: 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
}

/** Sends the request: no redirects, no retries, rejects on timeout. */
export type KmsSend = (request: KmsRequest) => Promise<{ readonly status: number; readonly text: string }>

export type KmsOptions = {
  readonly address: string
  readonly token: string
  readonly keyName: string
  readonly timeoutMs: number
  readonly send: KmsSend
  readonly monotonic: () => number
  readonly binding: Pick<Binding, 'complete'>
}

// A value expires and is removed by the next sweep: a minute at most.
const FRESH_MS = 45_000
const SWEEP_MS = 15_000
const CACHE_MAX = 1000

function failed(reason: string): GatewayError {
  return new GatewayError('SECRETS_PROVIDER_ERROR', `The key service ${reason}. Nothing was stored or sent; try again.`)
}

function misplaced(): GatewayError {
  const message = 'The stored secret does not belong to this record: it was moved or altered. Enter it again.'
  return new GatewayError('SECRETS_PROVIDER_ERROR', message)
}

/** `data[name]` of the answer, if it is a non-empty text. */
function fieldOf(text: string, name: string): string {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw failed('answered with something that is not JSON')
  }
  const data = typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : null
  const value = typeof data === 'object' && data !== null ? new Map(Object.entries(data)).get(name) : null
  if (typeof value !== 'string' || value === '') throw failed(`answered without data.${name}`)
  return value
}

function decodeUtf8(base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  try {
    if (bytes.toString('base64') !== base64) throw new TypeError('not Base64')
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw failed('answered with a plaintext that is not Base64 of UTF-8')
  }
}

function decodeName(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

type Transit = (operation: 'encrypt' | 'decrypt', keyName: string, body: Record<string, string>) => Promise<string>

function transit({ address, token, timeoutMs, send }: KmsOptions): Transit {
  return async (operation, keyName, body) => {
    const url = `${address.replace(/(?<!\/)\/+$/, '')}/v1/transit/${operation}/${encodeURIComponent(keyName)}`
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-kms-token': token }
    // The transport's error may quote the request; pass on only the fact.
    const answer = await send({ method: 'POST', url, headers, body: JSON.stringify(body), timeoutMs }).catch(() => null)
    if (answer === null) throw failed('did not answer')
    if (answer.status < 200 || answer.status > 299) throw failed(`answered ${answer.status}`)
    return fieldOf(answer.text, operation === 'encrypt' ? 'ciphertext' : 'plaintext')
  }
}

/** Caches decrypted values for at most a minute; a timer removes unused ones. */
function createCache(monotonic: () => number) {
  const kept = new Map<string, { readonly value: string; readonly until: number }>()
  let sweeper: NodeJS.Timeout | null = null
  const sweep = () => {
    for (const [key, { until }] of kept) if (until <= monotonic()) kept.delete(key)
    sweeper = kept.size === 0 ? null : setTimeout(sweep, SWEEP_MS).unref()
  }
  return {
    get: (key: string): string | null => {
      const entry = kept.get(key)
      return entry !== undefined && entry.until > monotonic() ? entry.value : null
    },
    set: (key: string, value: string) => {
      const oldest = kept.size >= CACHE_MAX ? kept.keys().next().value : undefined
      if (oldest !== undefined) kept.delete(oldest)
      kept.set(key, { value, until: monotonic() + FRESH_MS })
      sweeper ??= setTimeout(sweep, SWEEP_MS).unref()
    },
  }
}

/** A short text can occur in a long one by chance. */
const shows = (ciphertext: string, secret: string): boolean =>
  ciphertext === secret || (secret.length >= 12 && ciphertext.includes(secret))

export function kmsProvider(options: KmsOptions): Provider {
  const { keyName, monotonic, binding } = options
  const prefix = `kms:v1:${encodeURIComponent(keyName)}:`
  const call = transit(options)
  const cache = createCache(monotonic)
  const underWay = new Map<string, Promise<string>>()

  const decrypt = async (sealed: string): Promise<string> => {
    const [, version, storedName = '', ...rest] = sealed.split(':')
    const ciphertext = rest.join(':')
    // The key name used for encryption: KMS_TRANSIT_KEY_NAME may have changed since.
    const name = decodeName(storedName)
    if (version !== 'v1' || !name || ciphertext === '') throw failed('cannot read a secret of this form')
    const value = decodeUtf8(await call('decrypt', name, { ciphertext }))
    cache.set(sealed, value)
    return value
  }

  const once = (sealed: string): Promise<string> => {
    const pending = underWay.get(sealed) ?? decrypt(sealed).finally(() => underWay.delete(sealed))
    underWay.set(sealed, pending)
    return pending
  }

  return {
    name: 'kms',
    configured: true,
    // Accepts unbound secrets until all are known to be bound.
    isCurrent: (sealed) => sealed.startsWith(prefix) && binding.complete(),
    seal: async (plaintext, ref) => {
      const text = bound(plaintext, ref)
      const encoded = Buffer.from(text, 'utf8').toString('base64')
      const ciphertext = await call('encrypt', keyName, { plaintext: encoded })
      if ([encoded, text, plaintext].some((secret) => shows(ciphertext, secret)))
        throw failed('returned the secret without encrypting it')
      return prefix + ciphertext
    },
    open: async (sealed, ref) => {
      const text = cache.get(sealed) ?? (await once(sealed))
      const secret = boundTo(text, ref)
      if (secret === undefined || (secret === null && binding.complete())) throw misplaced()
      return secret ?? text
    },
  }
}
