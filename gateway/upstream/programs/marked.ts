// Finds processes by the marker in their environment, on Linux: those that left their group, and those of a gateway that died.
import { readdir, readFile } from 'node:fs/promises'
import { isGone } from '../../instance/marker.ts'
import { MARKER } from './watchdog.ts'

const MOST_TIMES = 100
const PAUSE_MS = 20
const AT = `${MARKER}=`

export type Marked = { readonly pid: number; readonly marker: string }

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

/** Many stops of one moment share a look at all processes. One that began before a stop asks may have passed its process already: it gets the next. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  function begin(): Promise<T> {
    next = undefined
    const mine = look()
    running = mine
    const over = (): void => {
      if (next === undefined) running = undefined
    }
    mine.then(over, over)
    return mine
  }
  return () => {
    if (running === undefined) return begin()
    next ??= running.then(begin, begin)
    return next
  }
}

export type Sweep = {
  /** Ends every process whose marker begins so: again while there are any, since one may start another as it ends. */
  end(marker: string): Promise<void>
}

export function createSweep(look: () => Promise<readonly Marked[]> = marked, end = killed): Sweep {
  const seen = shared(look)
  return {
    async end(marker) {
      for (let time = 0; time < MOST_TIMES; time += 1) {
        const found = (await seen()).filter((each) => each.marker.startsWith(marker))
        if (found.length === 0) return
        for (const { pid } of found) end(pid)
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
    },
  }
}

/** Ends what gateways of this user left that are no more. */
export async function endLeftovers(own: string): Promise<number> {
  let ended = 0
  for (const { pid, marker } of await marked()) if ((await isGone(own, marker)) && killed(pid)) ended += 1
  return ended
}
