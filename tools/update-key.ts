// `npm run update-key -- <file>`: makes a key pair for update feeds; the private key goes to the file, the public one into the package.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeKey, withKey } from './update-signing.ts'

const KEYS = path.resolve(import.meta.dirname, '..', 'main', 'update-keys.ts')
const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('Name the file for the private key, outside this checkout: npm run update-key -- ../gantry-update.pem')
  process.exitCode = 64
} else {
  const source = readFileSync(KEYS, 'utf8')
  // Fails before a key is made where there is no place for it.
  withKey(source, 'x')
  const key = makeKey(path.resolve(file))
  writeFileSync(KEYS, withKey(source, key))
  console.log(
    `The private key is in ${path.resolve(file)}: keep it offline, with a copy. Give it to a release as GANTRY_UPDATE_KEY.`,
  )
  console.log(
    `The public key ${key} is in main/update-keys.ts: commit it. Builds from now on follow feeds signed with it.`,
  )
}
