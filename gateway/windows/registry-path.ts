// The PATH of this computer and of this user as the registry has it now: a program keeps the one of its start.
import { advapi32, wide } from './advapi32.ts'

const [CURRENT_USER, LOCAL_MACHINE] = [0x8000_0001, 0x8000_0002]
const PLACES = [
  [LOCAL_MACHINE, 'SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment'],
  [CURRENT_USER, 'Environment'],
] as const
/** A text; variables in it are replaced. */
const TEXT = 0x2
const MOST_BYTES = 65_536

function textOf(root: number, key: string, name: string): string | undefined {
  const [bytes, size] = [Buffer.alloc(MOST_BYTES), Buffer.alloc(4)]
  size.writeUInt32LE(bytes.length)
  if (advapi32().RegGetValueW(root, wide(key), wide(name), TEXT, null, bytes, size) !== 0) return undefined
  return bytes.toString('utf16le', 0, size.readUInt32LE()).split('\0', 1)[0]
}

/** Of the computer, then of the user, as Windows joins them. */
export const registryPaths = (): readonly string[] =>
  PLACES.flatMap(([root, key]) => {
    const text = textOf(root, key, 'Path')
    return text === undefined ? [] : [text]
  })

/** Each folder once, where it comes first. Pure. */
export function joinedPaths(paths: readonly string[]): string {
  const folders = new Map<string, string>()
  for (const folder of paths.flatMap((text) => text.split(';')).map((each) => each.trim())) {
    const key = folder.toLowerCase().replace(/[\\/]$/, '')
    if (folder !== '' && !folders.has(key)) folders.set(key, folder)
  }
  return [...folders.values()].join(';')
}
