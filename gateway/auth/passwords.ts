// Password hashing: scrypt off the main thread, limited concurrency, the same time for unknown users.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '#contract'

export type Passwords = ReturnType<typeof createPasswords>

export type PasswordOptions = {
  /** log2 of scrypt's N. */
  readonly cost?: number
  /** The queue limit; more requests are rejected. */
  readonly maxWaiting?: number
}

type Parameters = { readonly ln: number; readonly r: number; readonly p: number }
type Stored = Parameters & { readonly salt: Buffer; readonly key: Buffer }

// Two of the pool's four threads, so that files and DNS continue during a burst of sign-ins.
const AT_ONCE = 2
/** A generated password has 139 random bits: no cost makes it harder to guess, and the first start need not wait. */
const GENERATED_COST = 10
const KEY_BYTES = 32
const SALT_BYTES = 16
const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]{22})\$([\w+/]{43})$/

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/(?<!=)=+$/, '')

/** Undefined for foreign hashes; the cost is limited to four times the default. */
function parse(text: string): Stored | undefined {
  const [, ln, r, p, salt = '', key = ''] = PHC.exec(text) ?? []
  const numbers = { ln: Number(ln), r: Number(r), p: Number(p) }
  if (!(numbers.ln >= 1 && numbers.ln <= 19 && numbers.r >= 1 && numbers.r <= 8 && numbers.p === 1)) return undefined
  return { ...numbers, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

function derive(password: string, salt: Buffer, { ln, r, p }: Parameters): Promise<Buffer> {
  const N = 2 ** ln
  const options: ScryptOptions = { N, r, p, maxmem: 128 * N * r * p + 1_048_576 }
  return new Promise((resolve, reject) => {
    // Normalizes the password, so that every composition matches.
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** Runs at most `AT_ONCE` jobs at a time, the others in order. */
function createQueue(maxWaiting: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (job) => {
    if (running >= AT_ONCE) {
      if (waiting.length >= maxWaiting)
        throw new GatewayError('RATE_LIMITED', 'Too many sign-ins at once; try again in a few seconds', {
          details: { limit: maxWaiting, windowMs: 0, tier: 'password' },
          retryAfterMs: 5000,
        })
      // A finished job hands its slot to the next, so `running` is unchanged.
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
      })
    } else running += 1
    try {
      return await job()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

export function createPasswords({ cost = 17, maxWaiting = 200 }: PasswordOptions = {}) {
  const parameters: Parameters = { ln: cost, r: 8, p: 1 }
  const inTurn = createQueue(maxWaiting)
  const noUser: Stored = { ...parameters, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) }
  const hashWith = (password: string, { ln, r, p }: Parameters): Promise<string> =>
    inTurn(async () => {
      const salt = randomBytes(SALT_BYTES)
      const key = await derive(password, salt, { ln, r, p })
      return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(key)}`
    })
  return {
    hash: (password: string): Promise<string> => hashWith(password, parameters),
    /** For a password that `bootstrapAdmin` made, not a person. */
    hashGenerated: (password: string): Promise<string> =>
      hashWith(password, { ...parameters, ln: Math.min(cost, GENERATED_COST) }),
    /** `null` for an unknown user: costs the same and never matches. */
    verify: (password: string, stored: string | null): Promise<boolean> =>
      inTurn(async () => {
        const known = stored === null ? undefined : parse(stored)
        const against = known ?? noUser
        // A hash of lower cost must take as long as the check of an unknown user.
        if (against.ln < parameters.ln) await derive(password, noUser.salt, noUser)
        const fits = timingSafeEqual(await derive(password, against.salt, against), against.key)
        return fits && known !== undefined
      }),
  }
}

/** The rule for new passwords besides length. */
export function requireStrong(password: string, { username, current }: { username: string; current?: string }): void {
  if (password.toLowerCase() === username.toLowerCase())
    throw new GatewayError('WEAK_PASSWORD', 'Choose a password that is not the user name')
  if (password === current)
    throw new GatewayError('WEAK_PASSWORD', 'Choose a password that is not the one you have now')
}
