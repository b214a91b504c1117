// The tools of a local server before a person agrees to it: a dry start, and what it lists as lines.
import path from 'node:path'
import type { LocalServerEntry } from '../../contract/local-servers.ts'
import { readAnnouncements } from '../../instance/read.ts'
import { storeOf } from '../../instance/server-store.ts'
import { cleanMetadata } from '../../text/clean.ts'
import type { ProbedTools } from '../packages/probe.ts'
import { type Context, homeOf } from './command.ts'

/** At a terminal, or of the window. */
export type Around = Pick<Context, 'env' | 'announcements' | 'signal' | 'warn'>

/** A version, or an image; and what it is a version of. */
export type Named = { readonly version: string; readonly label: string }

export type Update = {
  readonly next: Named
  readonly isSame: boolean
  readonly use: () => Promise<void>
  readonly drop: () => Promise<void>
}

/** The tools, or a sentence on why there are none. */
export type Tools = ProbedTools | string

const MOST_SHOWN = 40
const MOST_NAME = 128
const MOST_ABOUT = 100

export async function dryStart(
  { env, announcements, signal }: Omit<Around, 'warn'>,
  file: string,
  entry: LocalServerEntry,
): Promise<Tools> {
  const { dryTools } = await import('../packages/dry-start.ts')
  const { DB_PATH, DATA_DIR } = env
  const data = readAnnouncements(announcements).running.flatMap(({ dataFolder }) => dataFolder ?? [])
  const own = [...(DB_PATH ? [path.dirname(path.resolve(DB_PATH))] : []), ...(DATA_DIR ? [path.resolve(DATA_DIR)] : [])]
  const hidden = [path.dirname(file), ...own, ...data]
  try {
    return await dryTools({ store: storeOf(file), entry, home: homeOf(env), hidden, env, signal })
  } catch (error) {
    return oneLine(error instanceof Error ? error.message : String(error), 1_000)
  }
}

/** What it says is of a program that no person has agreed to yet. */
const oneLine = (text: string, most: number): string => cleanMetadata(text.trim().replaceAll(/\s+/g, ' '), most)

export const toolRows = (tools: ProbedTools): { name: string; description: string }[] =>
  [...tools.values()].map(({ name, description = '' }) => ({
    name: oneLine(name, MOST_NAME),
    description: oneLine(description.trim().split('\n')[0] ?? '', MOST_ABOUT),
  }))

export function toolLines(tools: Tools): string[] {
  if (typeof tools === 'string') return [`  tools     not listed: ${tools}`]
  const rows = toolRows(tools)
  if (rows.length === 0) return ['  tools     none']
  const more = rows.length > MOST_SHOWN ? [`            and ${rows.length - MOST_SHOWN} more`] : []
  const lines = rows
    .slice(0, MOST_SHOWN)
    .map((row) => `  tool      ${row.name}${row.description && `: ${row.description}`}`)
  return [...lines, ...more]
}

const list = (names: readonly string[]): string => {
  const clean = names.slice(0, MOST_SHOWN).map((name) => oneLine(name, MOST_NAME))
  return names.length <= MOST_SHOWN ? clean.join(', ') : `${clean.join(', ')} and ${names.length - MOST_SHOWN} more`
}

export function toolChanges(before: Tools, after: Tools): string[] {
  if (typeof after === 'string') return [`Tools: the new version does not start here: ${after}`]
  if (typeof before === 'string')
    return [`Tools: ${list([...after.keys()])} (the present version does not start: ${before})`]
  const added = [...after.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !after.has(name))
  const changed = [...after]
    .filter(([name, tool]) => before.has(name) && JSON.stringify(before.get(name)) !== JSON.stringify(tool))
    .map(([name]) => name)
  const lines = [
    ...(added.length > 0 ? [`Tools added: ${list(added)}`] : []),
    ...(removed.length > 0 ? [`Tools removed: ${list(removed)}`] : []),
    ...(changed.length > 0 ? [`Tools changed: ${list(changed)}`] : []),
  ]
  return lines.length > 0 ? lines : ['Tools: no change']
}
