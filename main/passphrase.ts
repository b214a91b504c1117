// The key that seals stored credentials, from a passphrase: for systems without a keyring. The passphrase itself is kept nowhere.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

/** A third of a second and 128 MiB for each guess. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 }
const HALF = 32

const Stored = z.strictObject({
  salt: z.base64().length(44),
  /** The other half of what scrypt gives: it verifies the passphrase and reveals nothing of the key. */
  check: z.base64().length(44),
})

function derive(passphrase: string, salt: Buffer): Promise<{ key: string; check: Buffer }> {
  // One spelling, whichever keyboard it was typed on.
  const text = passphrase.normalize('NFC')
  return new Promise((resolve, reject) => {
    scrypt(text, salt, 2 * HALF, COST, (error, derived) => {
      if (error) reject(error)
      else resolve({ key: derived.subarray(0, HALF).toString('base64'), check: derived.subarray(HALF) })
    })
  })
}

export const isChosen = (file: string): boolean => existsSync(file)

/** The key, and from now on only this passphrase gives it. */
export async function choosePassphrase(file: string, passphrase: string): Promise<string> {
  const salt = randomBytes(32)
  const { key, check } = await derive(passphrase, salt)
  const stored = { salt: salt.toString('base64'), check: check.toString('base64') }
  writeFileSync(file, JSON.stringify(stored), { mode: 0o600, flag: 'wx' })
  return key
}

/** The key, or nothing when it is another passphrase. */
export async function openWithPassphrase(file: string, passphrase: string): Promise<string | null> {
  const stored = Stored.parse(JSON.parse(readFileSync(file, 'utf8')))
  const { key, check } = await derive(passphrase, Buffer.from(stored.salt, 'base64'))
  return timingSafeEqual(check, Buffer.from(stored.check, 'base64')) ? key : null
}
