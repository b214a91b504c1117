// The release side of update signatures: makes a key pair, and signs the feeds of a folder.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { publicKeyOf, readFeed, signatureLine, signatureNameOf, verifyFeed } from '../main/update-feed.ts'

/** The private key itself as PEM, or the file it lies in. While keys are rotated, both keys sign. */
export const KEY_VARIABLES = ['GANTRY_UPDATE_KEY', 'GANTRY_UPDATE_KEY_2'] as const
const MOST_KEYS = 2

/** Writes the private key where only its owner reads it, and returns the public one. Never replaces a file. */
export function makeKey(file: string): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' })
  return publicKeyOf(privateKey)
}

/** The text of main/update-keys.ts with one more key, the newest first. */
export function withKey(source: string, key: string): string {
  const keys = [key, ...keysIn(source)]
  if (keys.length > MOST_KEYS)
    throw new Error(
      'There are two update keys already: remove the older one once every release is signed with the newer.',
    )
  const list = keys.map((each) => `\n  '${each}',`).join('')
  return source.replace(/= \[[^\]]*\]/, `= [${list}\n]`)
}

export const keysIn = (source: string): readonly string[] =>
  [...source.matchAll(/'([A-Za-z0-9+/]{43}=)'/g)].flatMap(([, key]) => (key === undefined ? [] : [key]))

export function privateKeysFrom(env: Readonly<Record<string, string | undefined>>): readonly KeyObject[] {
  return KEY_VARIABLES.flatMap((name) => {
    const given = env[name]?.trim()
    if (given === undefined || given === '') return []
    const key = createPrivateKey(given.startsWith('-----BEGIN') ? given : readFileSync(given, 'utf8'))
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${name} holds no Ed25519 key`)
    return [key]
  })
}

const feedsIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => /^latest[a-z0-9-]*\.yml$/.test(name))

/** Signs every feed of a folder; refuses a feed that the application would refuse, and a key that it does not hold. */
export function signFeeds(folder: string, keys: readonly KeyObject[], packaged: readonly string[]): readonly string[] {
  return feedsIn(folder).map((name) => {
    const text = readFileSync(path.join(folder, name), 'utf8')
    readFeed(name, text)
    const lines = keys.map((key) => signatureLine(name, text, key)).join('')
    verifyFeed(name, text, lines, packaged)
    writeFileSync(path.join(folder, signatureNameOf(name)), lines)
    return name
  })
}
