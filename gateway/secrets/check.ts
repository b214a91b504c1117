// The key check at startup: a known text, sealed once in the database, shows whether the key is the right one.
import { GatewayError } from '../contract/error.ts'
import type { SecretBox } from './box.ts'

export const metaRef = (key: string): string => `meta:${key}`

const META_KEY = 'secret_box_canary'
const REF = metaRef(META_KEY)
const CANARY = 'gantry secret box canary v1'

export type KeyCheckNeeds = {
  readonly box: SecretBox
  readonly getMeta: (key: string) => Promise<string | null>
  readonly setMeta: (key: string, value: string) => Promise<void>
}

export type KeyCheck =
  /** The canary opens, or was just created. */
  | { readonly state: 'sound'; readonly message: null }
  /** No key is set, and no stored secret needs one. */
  | { readonly state: 'unset'; readonly message: null }
  /** The database was sealed with another key or provider, or the key is missing now. */
  | { readonly state: 'wrong-key'; readonly message: string }
  /** The key service is unavailable. */
  | { readonly state: 'unavailable'; readonly message: string }

/** The start is refused: stored secrets could not be opened and might be overwritten. */
export class WrongKeyError extends Error {
  override name = 'WrongKeyError'
}

const SOUND: KeyCheck = { state: 'sound', message: null }

function wrongKey(box: SecretBox, stored: string): KeyCheck {
  const sealedBy = stored.split(':', 1)[0]
  const variable = box.provider === 'local' ? 'SECRET_ENCRYPTION_KEY' : 'KMS_TRANSIT_KEY_NAME'
  const what =
    sealedBy === box.provider
      ? `${variable} is not the key that this database was encrypted with`
      : `SECRETS_PROVIDER is ${box.provider}, but this database was encrypted by ${sealedBy}`
  const message = `${what}. Put the former value back; stored credentials cannot be read until then.`
  return { state: 'wrong-key', message }
}

/** Seals and opens nothing before the key is known to be the right one. */
export const afterCheck = (box: SecretBox, check: () => Promise<void>): SecretBox => ({
  ...box,
  seal: (plaintext, ref) => check().then(() => box.seal(plaintext, ref)),
  open: (sealed, ref) => check().then(() => box.open(sealed, ref)),
})

/** Never overwrites a canary: it remains the evidence of the right key. */
export async function checkKey({ box, getMeta, setMeta }: KeyCheckNeeds): Promise<KeyCheck> {
  const stored = await getMeta(META_KEY)
  if (!box.configured) {
    if (stored === null) return { state: 'unset', message: null }
    const message = 'SECRET_ENCRYPTION_KEY is unset, but this database was encrypted with a key. Put it back.'
    return { state: 'wrong-key', message }
  }
  if (stored !== null && !stored.startsWith(`${box.provider}:`)) return wrongKey(box, stored)
  try {
    if (stored !== null) return (await box.open(stored, REF)) === CANARY ? SOUND : wrongKey(box, stored)
    await setMeta(META_KEY, await box.seal(CANARY, REF))
    return SOUND
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'SECRETS_PROVIDER_ERROR') throw error
    // A failing key service may be down; a local failure means the wrong key.
    if (box.provider === 'kms' || stored === null) return { state: 'unavailable', message: error.message }
    return wrongKey(box, stored)
  }
}
