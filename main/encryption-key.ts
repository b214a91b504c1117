// The key that seals stored credentials, itself sealed by the operating system's keyring.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { t } from './language.ts'

/** What is needed of Electron's safeStorage. */
export type Keyring = {
  isAsyncEncryptionAvailable(): Promise<boolean>
  encryptStringAsync(text: string): Promise<Buffer>
  decryptStringAsync(sealed: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }>
  /** Linux only: `basic_text` seals with a well-known password. */
  getSelectedStorageBackend?(): string
}

export type EncryptionKey = { readonly key: string } | { readonly reason: string }

/** Without a keyring there is no key: credentials are then not stored at all rather than stored in the open. */
export async function encryptionKey(file: string, keyring: Keyring): Promise<EncryptionKey> {
  if (!(await keyring.isAsyncEncryptionAvailable()) || keyring.getSelectedStorageBackend?.() === 'basic_text')
    return {
      reason: t(
        'This system offers no keyring, so Gantry stores no upstream credentials. To store them, choose a passphrase in Settings → This app, or set SECRET_ENCRYPTION_KEY.',
      ),
    }
  if (existsSync(file)) return opened(file, keyring)
  const key = randomBytes(32).toString('base64')
  writeFileSync(file, await keyring.encryptStringAsync(key), { mode: 0o600, flag: 'wx' })
  return { key }
}

async function opened(file: string, keyring: Keyring): Promise<EncryptionKey> {
  try {
    const { result: key, shouldReEncrypt } = await keyring.decryptStringAsync(readFileSync(file))
    if (shouldReEncrypt) {
      // Beside, then over it: at no moment is there a file without the key.
      writeFileSync(`${file}.new`, await keyring.encryptStringAsync(key), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    }
    return { key }
  } catch {
    // Never replaced by a new key: what the old one sealed would be lost.
    return { reason: t('The keyring could not open {file}. Unlock it and try again.', { file }) }
  }
}
