// What a real editor does now, from what it writes beside its game thread: its watch file, its log, its crash reports.
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { type EditorActivity, EditorDialog } from '../contract/index.ts'
import { parseBounded } from './bounded-json.ts'
import { createLogReader, type LogSeen, readCrash } from './editor-log.ts'

const LOOK_MS = 400
/** A game thread that is silent for less is between two frames of a full level. */
const BLOCKED_MS = 1500
/** The thread that writes the file is gone, or its machine sleeps. */
const STALE_MS = 5000
/** A report is written before the process ends. */
const CRASH_MS = 60_000

const Watched = z.object({
  pid: z.number(),
  op: z.string().nullable(),
  playing: z.boolean(),
  blocked_ms: z.number(),
  nested: z.boolean(),
  sees_windows: z.boolean(),
  dialog: EditorDialog.nullable(),
})
type Watched = z.output<typeof Watched>

export type Signals = {
  readonly link: 'up' | 'connecting' | 'down'
  /** How long the running call takes. */
  readonly callMs: number
  readonly op: string | null
  readonly watched: Watched | null
  readonly log: LogSeen | null
  readonly crash: string | null
}
type Found = Omit<EditorActivity, 'since'>
const found = (is: Found['is'], what: string | null = null, progress: number | null = null): Found => ({
  is,
  what,
  progress,
  dialog: null,
})

/** Of a system that shows no windows: a loop of its own is all that is known. */
const NAMELESS: EditorDialog = { id: 'unknown', title: '', text: null, answers: [] }

export function activityFrom({ link, callMs, op, watched, log, crash }: Signals): Found | null {
  if (link !== 'up') {
    if (crash !== null) return found('crashed', crash)
    if (log?.fresh && log.crash !== null) return found('crashed', log.crash)
    return log?.fresh && !log.started ? found('starting', log.line, log.progress) : null
  }
  if (watched?.dialog) return { ...found('dialog', watched.dialog.title), dialog: watched.dialog }
  const blocked = watched ? watched.blocked_ms >= BLOCKED_MS : callMs >= BLOCKED_MS
  if (blocked) {
    if (log?.compiling != null) return found('compiling', log.compiling, log.progress)
    // A loop of its own without news in the log is a window that waits for a person.
    if (watched?.nested && !watched.sees_windows && !log?.fresh) return { ...found('dialog'), dialog: NAMELESS }
    return found('busy', (log?.fresh ? log.line : null) ?? watched?.op ?? op, log?.progress ?? null)
  }
  if (watched?.playing) return found('playing')
  return log?.compiling == null ? found('ready') : found('compiling', log.compiling, log.progress)
}

export type Observer = {
  now(): EditorActivity | null
  /** Looks at once: the reason why a call ended. */
  look(): Promise<EditorActivity | null>
  answer(id: string, answer: string): Promise<boolean>
  close(): void
}
type Observed = Pick<Signals, 'link' | 'callMs' | 'op'> & {
  /** The folder, if this machine sees it. */
  readonly project: string | null
  readonly pid: number | null
  readonly session: string | null
}

async function readWatched(folder: string, pid: number): Promise<Watched | null> {
  const file = path.join(folder, `state-${pid}.json`)
  try {
    if (Date.now() - (await stat(file)).mtimeMs > STALE_MS) return null
    const read = Watched.safeParse(parseBounded(await readFile(file, 'utf8')))
    return read.success && read.data.pid === pid ? read.data : null
  } catch {
    return null
  }
}

export function createObserver(observed: () => Observed, changed: (activity: EditorActivity | null) => void): Observer {
  let activity: EditorActivity | null = null
  let closed = false
  let upSince = Date.now()
  let running: Promise<EditorActivity | null> | null = null
  const readLog = createLogReader()

  async function read(): Promise<EditorActivity | null> {
    const { project, pid, ...link } = observed()
    if (link.link === 'up') upSince = Date.now()
    const folder = project === null ? null : path.join(project, 'Saved', 'PcgBridge')
    const watched = folder !== null && pid !== null && link.link === 'up' ? await readWatched(folder, pid) : null
    const log = project === null ? null : await readLog(project)
    const crash = project !== null && link.link !== 'up' ? await readCrash(project, upSince - CRASH_MS) : null
    const next = activityFrom({ ...link, watched, log, crash })
    const same = JSON.stringify(next) === JSON.stringify(activity && withoutSince(activity))
    if (!same && !closed) {
      const since = next && next.is === activity?.is ? activity.since : new Date().toISOString()
      activity = next && { ...next, since }
      changed(activity)
    }
    return activity
  }
  const look = (): Promise<EditorActivity | null> => {
    running ??= read().finally(() => {
      running = null
    })
    return running
  }
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS).unref()

  return {
    now: () => activity,
    look,
    async answer(id, answer) {
      const { project, session } = observed()
      const offered = activity?.dialog?.id === id && activity.dialog.answers.some((one) => one.id === answer)
      if (!offered || project === null || session === null) return false
      const file = path.join(project, 'Saved', 'PcgBridge', `answer-${session}.json`)
      await writeFile(`${file}.part`, JSON.stringify({ id, answer }), { mode: 0o600 })
      await rename(`${file}.part`, file)
      for (let at = 0; at < 50; at += 1) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS / 4))
        if ((await look())?.dialog?.id !== id) return true
      }
      return false
    },
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}
const withoutSince = ({ since: _since, ...rest }: EditorActivity): Found => rest
