// Finds processes by the marker in their environment, on Linux: those that left their group, and those of a gateway that died.
import { randomUUID } from 'node:crypto'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { MARKER } from './watchdog.ts'

const MOST_TIMES = 100
const PAUSE_MS = 20
const AT = `${MARKER}=`

type Marked = { readonly pid: number; readonly marker: string }

/** The start of a process, in ticks since the boot: with its number it names one process. */
async function startOf(pid: number | 'self'): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name before the last ")" may contain anything.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return state === 'Z' || state === 'X' ? undefined : fields[18]
}

async function marked(): Promise<readonly Marked[]> {
  if (process.platform !== 'linux') return []
  const names = await readdir('/proc').catch(() => [])
  const found: Marked[] = []
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue
    const text = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
    const value = text
      .split('\0')
      .find((each) => each.startsWith(AT))
      ?.slice(AT.length)
    if (value !== undefined) found.push({ pid: Number(name), marker: value })
  }
  return found
}

function killed(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    // It ended in the meantime.
    return false
  }
}

/** This gateway in markers: its number and start, so that no later process is taken for it, its number space, and one of several in a process. */
export async function ownMarker(): Promise<string> {
  const [start, space] = await Promise.all([startOf('self'), readlink('/proc/self/ns/pid').catch(() => '-')])
  return `${process.pid}:${start ?? Math.round(performance.timeOrigin)}:${space.replaceAll(/\D/g, '')}:${randomUUID()}:`
}

/** Ends every process whose marker begins so: again while there are any, since one may start another as it ends. */
export async function endMarked(marker: string): Promise<void> {
  for (let time = 0; time < MOST_TIMES; time += 1) {
    const found = (await marked()).filter((each) => each.marker.startsWith(marker))
    if (found.length === 0) return
    for (const { pid } of found) killed(pid)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** Ends what gateways of this user left that are no more. A marker of another number space says nothing here. */
export async function endLeftovers(own: string): Promise<number> {
  const [, , space] = own.split(':')
  let ended = 0
  for (const { pid, marker } of await marked()) {
    const [gateway = '', start, of] = marker.split(':')
    if (marker.startsWith(own) || of !== space || !/^\d+$/.test(gateway)) continue
    if ((await startOf(Number(gateway))) === start) continue
    if (killed(pid)) ended += 1
  }
  return ended
}
