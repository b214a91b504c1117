// History on disk, one line per event: undo reaches back over restarts. Losing a line loses an undo, never an edit.
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { Change } from '../contract/index.ts'
import { createTurn } from '../editor/in-turn.ts'

const ChangedThing = z.union([z.object({ graph: z.string() }), z.object({ level: z.literal(true) })])
export type ChangedThing = z.infer<typeof ChangedThing>
/** One record of one list, or one field of it; `undefined` is absent. */
const Patch = z.object({
  target: ChangedThing,
  list: z.string(),
  key: z.string(),
  /** Empty: the whole record. */
  field: z.array(z.string()),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  /** Where the record stood, because the order of edges is the order in which they are read. */
  index: z.number().int(),
})
export type Patch = z.infer<typeof Patch>
export type Entry = { change: Change; readonly patches: Patch[] }
const Line = z.union([
  z.object({ entry: z.object({ change: Change, patches: z.array(Patch) }) }),
  z.object({ undone: z.array(z.number()) }),
  z.object({ forgotten: z.number() }),
])
export type HistoryLine = z.input<typeof Line>

export type HistoryLog = Awaited<ReturnType<typeof openHistoryLog>>

function readLine(text: string): z.output<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data
  } catch {
    // The line that was being written when the power went.
    return undefined
  }
}

function replay(text: string, most: number): Entry[] {
  const entries = new Map<number, Entry>()
  for (const one of text.split('\n')) {
    const line = one === '' ? undefined : readLine(one)
    if (!line) continue
    if ('entry' in line) entries.set(line.entry.change.id, line.entry)
    else if ('forgotten' in line) entries.delete(line.forgotten)
    else
      for (const id of line.undone) {
        const entry = entries.get(id)
        if (entry) entry.change = { ...entry.change, undone: true }
      }
  }
  return [...entries.values()].slice(-most)
}

export async function openHistoryLog(file: string, most: number) {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const text = await readFile(file, 'utf8').catch(() => '')
  const entries = replay(text, most)
  // Rewritten when it is opened, so that it does not grow without bound.
  await writeFile(file, entries.map((entry) => `${JSON.stringify({ entry })}\n`).join(''), { mode: 0o600 })
  const inTurn = createTurn()
  return {
    entries,
    append(line: HistoryLine): void {
      // The save of the edit itself reports a full disk.
      inTurn(() => appendFile(file, `${JSON.stringify(line)}\n`)).catch(() => undefined)
    },
    settle: (): Promise<void> => inTurn(async () => undefined),
  }
}
