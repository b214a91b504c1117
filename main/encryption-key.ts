// The key that seals stored credentials, itself sealed by the operating system's keyring.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** What is needed of Electron's safeStorage. */
export type Keyring = {
  isAsyncEncryptionAvailable(): Promise<boolean>
  encryptStringAsync(text: string): Promise<Buffer>
  decryptStringAsync(sealed: Buffer): Promise<{ result: string }>
}

export type EncryptionKey = { readonly key: string } | { readonly reason: string }

/** Without a keyring there is no key: credentials are then not stored at all rather than stored in the open. */
export async function encryptionKey(file: string, keyring: Keyring): Promise<EncryptionKey> {
  if (!(await keyring.isAsyncEncryptionAvailable()))
    return {
      reason:
        'This system offers no keyring, so Gantry stores no upstream credentials. Set SECRET_ENCRYPTION_KEY to a passphrase to store them.',
    }
  try {
    if (existsSync(file)) return { key: (await keyring.decryptStringAsync(readFileSync(file))).result }
  } catch {
    // Never replaced by a new key: what the old one sealed would be lost.
    return { reason: `The keyring could not open ${file}. Unlock it and start Gantry again.` }
  }
  const key = randomBytes(32).toString('base64')
  writeFileSync(file, await keyring.encryptStringAsync(key), { mode: 0o600, flag: 'wx' })
  return { key }
}
