// The announcements in a home, read as what they are: files that anything of this user, or a careless mode, may have written.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { Announcement, isRunning, MOST_BYTES } from './announcement.ts'

export type PassedOver = {
  readonly file: string
  readonly why: string
  /** Its writer no longer runs, so it may go. */
  readonly ended?: true
}
export type Announced = { readonly running: readonly Announcement[]; readonly passedOver: readonly PassedOver[] }

/** More would be a folder that is not ours. */
const MOST_FILES = 64

const user = process.getuid?.()

/** Why nothing that stands here can be believed. Windows closes a home by its access lists, which no mode shows. */
function distrust(stat: Stats, forbidden: number): string | undefined {
  if (stat.isSymbolicLink()) return 'it is a link'
  if (user === undefined) return undefined
  if (stat.uid !== user) return 'it belongs to another user'
  if ((stat.mode & forbidden) !== 0) return 'other users may change or read it'
  return undefined
}

export function distrustOfFolder(folder: string): string | undefined {
  for (const each of [path.dirname(folder), folder]) {
    const stat = lstatSync(each, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    const why = stat.isDirectory() || stat.isSymbolicLink() ? distrust(stat, 0o022) : 'it is no folder'
    if (why !== undefined) return each === folder ? why : `${each}: ${why}`
  }
  return undefined
}

/** The text of a file of this user alone, or why not. Nothing is followed, and nothing waits for a writer. */
function textOf(file: string): { readonly text: string } | { readonly why: string } {
  if (lstatSync(file).isSymbolicLink()) return { why: 'it is a link' }
  // Windows has neither of the two flags; a missing one adds nothing.
  const opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(opened)
    const why = stat.isFile() ? distrust(stat, 0o077) : 'it is no file'
    if (why !== undefined) return { why }
    if (stat.size > MOST_BYTES) return { why: 'it is larger than any announcement' }
    return { text: readFileSync(opened, 'utf8') }
  } finally {
    closeSync(opened)
  }
}

function parsed(text: string): Announcement | undefined {
  try {
    return Announcement.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Nothing for those of other machines, which share the home and are no concern of this one. */
function judged(folder: string, name: string): Announcement | PassedOver | undefined {
  const file = path.join(folder, name)
  try {
    const read = textOf(file)
    if ('why' in read) return { file, why: read.why }
    const announcement = parsed(read.text)
    if (announcement === undefined || `${announcement.instance}.json` !== name)
      return { file, why: 'it is no announcement of a gateway' }
    if (announcement.machine !== hostname()) return undefined
    if (!isRunning(announcement.pid))
      return { file, why: `process ${announcement.pid}, which wrote it, has ended`, ended: true }
    return announcement
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // Its gateway has ended in this moment.
    return code === 'ENOENT' ? undefined : { file, why: `it cannot be read (${String(code ?? error)})` }
  }
}

export function readAnnouncements(folder: string): Announced {
  const why = distrustOfFolder(folder)
  if (why !== undefined) return { running: [], passedOver: [{ file: folder, why }] }
  const running: Announcement[] = []
  const passedOver: PassedOver[] = []
  for (const name of namesIn(folder)) {
    const each = judged(folder, name)
    if (each === undefined) continue
    if ('why' in each) passedOver.push(each)
    else running.push(each)
  }
  return { running, passedOver }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .slice(0, MOST_FILES)
  } catch {
    return []
  }
}
