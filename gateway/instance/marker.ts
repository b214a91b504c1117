// Names a process of this machine, so that no later one is taken for it: what it started carries the name.
import { randomUUID } from 'node:crypto'
import { readFile, readlink } from 'node:fs/promises'

/** The start of a process, in ticks since the boot: with its number it names one process. Linux only. */
async function startOf(pid: number | 'self'): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name before the last ")" may contain anything.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return state === 'Z' || state === 'X' ? undefined : fields[18]
}

/** This process in markers: its number and start, its number space, and one of several in a process. */
export async function ownMarker(): Promise<string> {
  const [start, space] = await Promise.all([startOf('self'), readlink('/proc/self/ns/pid').catch(() => '-')])
  return `${process.pid}:${start ?? Math.round(performance.timeOrigin)}:${space.replaceAll(/\D/g, '')}:${randomUUID()}:`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // of another user
  }
}

/** Whether a marker is of a process that is no more. One of another number space says nothing here. */
export async function isGone(own: string, marker: string): Promise<boolean> {
  const [, , space] = own.split(':')
  const [pid = '', start, of] = marker.split(':')
  if (marker.startsWith(own) || of !== space || !/^\d+$/.test(pid)) return false
  return process.platform === 'linux' ? (await startOf(Number(pid))) !== start : !isAlive(Number(pid))
}
