// What the log of a project says about an editor that does not answer: starting, compiling, how far, crashed.
import { open, readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'

const TAIL_BYTES = 16_384
/** A line that is older says nothing about now. */
const FRESH_MS = 10_000
const LINE = /^(?:\[[^\]]{0,40}\]){0,2}(Log\w{1,60}): (?:Display: |Warning: |Error: )?(.{1,300})/
const SHADERS = /shaders left to compile (\d{1,9})/i
const OF = /\b(\d{1,6}) ?(?:\/|of) ?(\d{1,6})\b/
const PERCENT = /\b(\d{1,3})(?:\.\d{1,3})?%/

export type LogSeen = {
  /** The last line, without its time and category. */
  readonly line: string
  readonly fresh: boolean
  readonly started: boolean
  readonly compiling: string | null
  readonly progress: number | null
  readonly crash: string | null
}

function progressIn(line: string): number | null {
  const [, done, all] = OF.exec(line) ?? []
  if (done !== undefined && all !== undefined && Number(all) > 0 && Number(done) <= Number(all))
    return Number(done) / Number(all)
  const [, percent] = PERCENT.exec(line) ?? []
  return percent !== undefined && Number(percent) <= 100 ? Number(percent) / 100 : null
}

export function readLines(text: string, ageMs: number): LogSeen | null {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, category = '', message = ''] = LINE.exec(line) ?? []
    return category === '' ? [] : [{ category, message: message.trim() }]
  })
  const last = lines.findLast(({ message }) => message !== '')
  if (!last) return null
  const fresh = ageMs < FRESH_MS
  let compiling: string | null = null
  let most = 0
  for (const { category, message } of lines) {
    const [, left] = SHADERS.exec(message) ?? []
    if (left !== undefined) {
      most = Math.max(most, Number(left))
      compiling = Number(left) > 0 ? `shaders: ${left} left` : null
    } else if (category === 'LogLiveCoding') {
      if (message.startsWith('Starting Live Coding compile')) compiling = 'C++ code (Live Coding)'
      else if (/^Live coding (succeeded|failed)/i.test(message)) compiling = null
    }
  }
  const [, left] = /^shaders: (\d{1,9}) left$/.exec(compiling ?? '') ?? []
  const shaders = left === undefined || most === 0 ? null : 1 - Number(left) / most
  const critical = lines.findIndex(({ message }) => message.startsWith('=== Critical error'))
  const reason = lines.slice(critical + 1).find(({ message }) => !/^(Error:|Fatal error!)$/.test(message))
  return {
    line: last.message,
    fresh,
    started: text.includes('Engine is initialized. Leaving FEngineLoop::Init()'),
    compiling: fresh ? compiling : null,
    progress: fresh ? (shaders ?? progressIn(last.message)) : null,
    crash: critical < 0 ? null : (reason?.message ?? 'Critical error'),
  }
}

async function projectName(project: string): Promise<string> {
  const files = await readdir(project).catch(() => [])
  return files.find((name) => name.endsWith('.uproject'))?.slice(0, -'.uproject'.length) ?? path.basename(project)
}

/** Reads the end of a project's log when it has grown. */
export function createLogReader(): (project: string) => Promise<LogSeen | null> {
  let last: { project: string; file: string; size: number; text: string } | null = null
  return async (project) => {
    try {
      const file =
        last?.project === project ? last.file : path.join(project, 'Saved', 'Logs', `${await projectName(project)}.log`)
      const { size, mtimeMs } = await stat(file)
      if (last?.project !== project || last.size !== size) {
        const opened = await open(file, 'r')
        try {
          const length = Math.min(size, TAIL_BYTES)
          const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, size - length)
          last = { project, file, size, text: buffer.toString('utf8', 0, bytesRead) }
        } finally {
          await opened.close()
        }
      }
      return readLines(last.text, Date.now() - mtimeMs)
    } catch {
      // No log yet, or of another user.
      last = null
      return null
    }
  }
}

const MESSAGE = /<ErrorMessage>([^<]{0,2000})/
/** The report that the editor wrote about its own end, if it is newer than `sinceMs`. */
export async function readCrash(project: string, sinceMs: number): Promise<string | null> {
  const folder = path.join(project, 'Saved', 'Crashes')
  const names = await readdir(folder).catch(() => [])
  let newest: { at: number; name: string } | null = null
  for (const name of names.slice(-200)) {
    const at = (await stat(path.join(folder, name)).catch(() => null))?.mtimeMs ?? 0
    if (at >= sinceMs && at > (newest?.at ?? 0)) newest = { at, name }
  }
  if (!newest) return null
  const report = await readFile(path.join(folder, newest.name, 'CrashContext.runtime-xml')).catch(() => null)
  if (!report) return 'The editor crashed'
  const wide = report[0] === 0xff && report[1] === 0xfe
  const [, message = ''] = MESSAGE.exec(report.toString(wide ? 'utf16le' : 'utf8')) ?? []
  return message.trim().split('\n')[0]?.slice(0, 300) || 'The editor crashed'
}
