// The file of an agent on disk: read within bounds, written whole, and only over what was read before. Its mode stays.
import { createHash, randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AgentFault } from './fault.ts'

const MOST_BYTES = 32 * 1_048_576
const KEPT_BACKUPS = 20
const TEMPORARY = '.tmp'
const LEFT_AFTER_MS = 60_000

const beginningOf = (file: Pick<AgentFile, 'path'>): string => `.${path.basename(file.path)}.`

export type AgentFile = {
  readonly path: string
  /** Null while none exists. */
  readonly text: string | null
  readonly mode: number
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

function statOf(file: string): Stats | null {
  try {
    return lstatSync(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw refusedBy(error, file)
  }
}

function refusedBy(error: unknown, file: string): AgentFault {
  if (error instanceof AgentFault) return error
  const code = codeOf(error)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new AgentFault('FILE_READ_ONLY', `${file} may not be changed by this user. Check its permissions.`)
  return new AgentFault('FILE_UNREADABLE', `${file} cannot be used: ${String(code ?? error)}.`)
}

export function readAgentFile(file: string): AgentFile {
  const stat = statOf(file)
  if (!stat) return { path: file, text: null, mode: 0o600 }
  if (stat.isSymbolicLink())
    // What it leads to may be a shared folder or a repository, where a key does not belong.
    throw new AgentFault('FILE_IS_LINK', `${file} is a link to another file. Add the entry to that file by hand.`)
  if (!stat.isFile()) throw new AgentFault('FILE_UNREADABLE', `${file} is not a file.`)
  if (stat.size > MOST_BYTES) throw new AgentFault('FILE_TOO_LARGE', `${file} is larger than any configuration.`)
  try {
    const bytes = readFileSync(file)
    const text = bytes.toString('utf8')
    if (!Buffer.from(text).equals(bytes))
      throw new AgentFault('FILE_UNREADABLE', `${file} is not UTF-8 text. Save it as UTF-8, then try again.`)
    return { path: file, text, mode: stat.mode & 0o777 }
  } catch (error) {
    throw refusedBy(error, file)
  }
}

/** Another one as soon as the file is written, so that what has not changed need not be read again. */
export function stampOf(file: string): string {
  const stat = statOf(file)
  return stat === null ? 'none' : `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`
}

/** Names a content, so that what was planned is only written over what was seen. */
export const versionOf = (text: string | null): string =>
  text === null ? 'none' : createHash('sha256').update(text).digest('hex')

/** `text` null takes the file away. `seen` must still be what stands there. */
export function writeAgentFile(file: AgentFile, text: string | null): void {
  const unchanged = (): void => {
    if (readAgentFile(file.path).text === file.text) return
    throw new AgentFault('FILE_CHANGED', `${file.path} was changed by another program. Read it again.`)
  }
  if (file.text !== null && (file.mode & 0o200) === 0)
    throw new AgentFault('FILE_READ_ONLY', `${file.path} is read-only. Allow writing to it, then try again.`)
  try {
    if (text === null) {
      unchanged()
      rmSync(file.path)
      return
    }
    mkdirSync(path.dirname(file.path), { recursive: true, mode: 0o700 })
    const temporary = path.join(path.dirname(file.path), `${beginningOf(file)}${randomUUID()}${TEMPORARY}`)
    removeLeftovers(file)
    try {
      writeFileSync(temporary, text, { flag: 'wx', mode: file.mode, flush: true })
      unchanged()
      renameSync(temporary, file.path)
    } finally {
      rmSync(temporary, { force: true })
    }
  } catch (error) {
    throw refusedBy(error, file.path)
  }
}

/** What a process left that was killed before its file had its name: it holds the key that was to be written. */
function removeLeftovers(file: AgentFile): void {
  const folder = path.dirname(file.path)
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(beginningOf(file)) || !name.endsWith(TEMPORARY)) continue
    const left = path.join(folder, name)
    const stat = statOf(left)
    // A younger one may be another process's, which is writing at this moment.
    if (stat?.isFile() && Date.now() - stat.mtimeMs > LEFT_AFTER_MS) rmSync(left, { force: true })
  }
}

/** A copy of what stood there, in a folder of ours: beside the file a program might read it. Null where nothing stood. */
export function backUp(file: AgentFile, folder: string, label: string): string | null {
  if (file.text === null) return null
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const before = readdirSync(folder).sort()
  for (const old of before.slice(0, Math.max(0, before.length - KEPT_BACKUPS + 1))) rmSync(path.join(folder, old))
  const copy = path.join(folder, `${label}-${randomUUID().slice(0, 8)}-${path.basename(file.path)}`)
  writeFileSync(copy, file.text, { flag: 'wx', mode: 0o600 })
  return copy
}
