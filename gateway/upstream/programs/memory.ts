// What the processes of a local server hold in memory, looked at every few seconds; on Linux those of its session and what they started.
import { readdir, readFile } from 'node:fs/promises'
import type { OnMeasure } from './tree.ts'

export type Seen = {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly pages: number
}

/** Looks once; what it returns says how much one of those that are watched holds. */
type Look<K> = () => Promise<(key: K, limitBytes: number) => Promise<number> | number>

type MemoryWatch<K> = {
  /** Measures one from now on, until the returned function is called. */
  watch(key: K, limitBytes: number, onMeasure: OnMeasure): () => void
}

const EVERY_MS = 5_000
const PAGE_BYTES = 4_096

/** The fields behind the name, which may contain anything. */
export function seenIn(pid: number, stat: string): Seen | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [parent, group, session, pages] = [1, 2, 3, 21].map((at) => Number(fields[at]))
  if (parent === undefined || group === undefined || session === undefined || pages === undefined) return undefined
  return [parent, group, session, pages].every(Number.isFinite) ? { pid, parent, group, session, pages } : undefined
}

/** Of one server: its session and group, and all that descends from them. A sandbox is a session of its own below it. */
export function belonging(all: readonly Seen[], session: number): readonly Seen[] {
  const found = new Map(
    all.filter((one) => one.session === session || one.group === session).map((one) => [one.pid, one]),
  )
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const one of all) if (found.has(one.parent)) found.set(one.pid, one)
  }
  return [...found.values()]
}

async function processes(): Promise<readonly Seen[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const seen = names.map(async (name) => {
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
    return seenIn(Number(name), stat) ?? []
  })
  return (await Promise.all(seen)).flat()
}

/** What they hold together, with pages that several share counted once. Undefined where the system does not say. */
async function sharedBytes(all: readonly Seen[]): Promise<number | undefined> {
  let total = 0
  for (const { pid } of all) {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '')
    const [, kib] = /^Pss:\s+(\d+) kB/m.exec(text) ?? []
    if (kib === undefined) return undefined
    total += Number(kib) * 1_024
  }
  return total
}

async function bytesOf(all: readonly Seen[], limitBytes: number): Promise<number> {
  const resident = all.reduce((sum, { pages }) => sum + pages, 0) * PAGE_BYTES
  // Exact, and more expensive: asked for only where it decides.
  return resident > limitBytes ? ((await sharedBytes(all)) ?? resident) : resident
}

/** By the number of a session. */
export const sessions: Look<number> = async () => {
  const all = await processes()
  return (session, limitBytes) => bytesOf(belonging(all, session), limitBytes)
}

type Watched<K> = { readonly key: K; readonly limitBytes: number; readonly onMeasure: OnMeasure }

export function createMemoryWatch<K>(look: Look<K>, everyMs = EVERY_MS): MemoryWatch<K> {
  const watched = new Set<Watched<K>>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false

  async function measure(): Promise<void> {
    const bytesOfOne = await look()
    for (const one of watched) {
      const bytes = await bytesOfOne(one.key, one.limitBytes)
      if (watched.has(one)) one.onMeasure(bytes, bytes > one.limitBytes)
    }
  }

  function lookAlone(): void {
    if (isLooking) return
    isLooking = true
    const over = (): void => {
      isLooking = false
    }
    // What cannot be measured now is measured later.
    measure().then(over, over)
  }

  return {
    watch(key, limitBytes, onMeasure) {
      const one = { key, limitBytes, onMeasure }
      watched.add(one)
      timer ??= setInterval(lookAlone, everyMs).unref()
      lookAlone()
      return () => {
        watched.delete(one)
        if (watched.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
