// Where the key comes from that seals stored credentials: the environment, the keyring, a passphrase, or nowhere.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { encryptionKey, type Keyring } from './encryption-key.ts'
import { choosePassphrase, isChosen, openWithPassphrase } from './passphrase.ts'

export type KeyState = {
  readonly by: 'environment' | 'keyring' | 'passphrase' | 'none'
  readonly key: string | undefined
  /** The passphrase has not been given yet. */
  readonly locked: boolean
  readonly lack: string | null
}

export type KeyStore = ReturnType<typeof createKeyStore>

export function createKeyStore(userData: string, keyring: Keyring, fromEnvironment: string | undefined) {
  const sealed = path.join(userData, 'encryption-key')
  const chosen = path.join(userData, 'passphrase.json')
  let given: string | undefined

  async function open(): Promise<KeyState> {
    const state = { key: undefined, locked: false, lack: null }
    if (fromEnvironment) return { ...state, by: 'environment', key: fromEnvironment }
    // Once a passphrase seals the records, a keyring that came later cannot open them.
    if (isChosen(chosen)) return { ...state, by: 'passphrase', key: given, locked: given === undefined }
    const made = await encryptionKey(sealed, keyring)
    return 'key' in made ? { ...state, by: 'keyring', key: made.key } : { ...state, by: 'none', lack: made.reason }
  }

  /** Not while a keyring holds the key of what is stored: another key would not open it. */
  const mayChoose = async (): Promise<boolean> => !existsSync(sealed) && (await open()).by === 'none'

  return {
    /** Read each time: a keyring may have been unlocked. */
    open,
    mayChoose,
    /** False: it is not the passphrase. Chooses it where none has been chosen. */
    async give(passphrase: string): Promise<boolean> {
      if (!isChosen(chosen)) {
        if (!(await mayChoose())) return false
        given = await choosePassphrase(chosen, passphrase)
        return true
      }
      const key = await openWithPassphrase(chosen, passphrase)
      if (key !== null) given = key
      return key !== null
    },
  }
}
