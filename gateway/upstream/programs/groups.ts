// Trees on Linux and macOS: a process group, on Linux with a cgroup where this gateway may make one and a marker in the environment, and a watchdog.

import { isGone, ownMarker } from '../../instance/marker.ts'
import { createCgroups, ownCgroup } from './cgroup.ts'
import type { HostEnvironment } from './environment.ts'
import { createSweep, endLeftovers } from './marked.ts'
import { createMemoryWatch, sessions } from './memory.ts'
import type { Patience } from './process.ts'
import type { Tree, Trees } from './tree.ts'
import { createWatchdog, MARKER } from './watchdog.ts'

type GroupsParts = {
  readonly patience: Patience
  /** The cgroup of this process, where it may make others; tests give one. */
  readonly cgroup?: (() => Promise<string | undefined>) | undefined
  readonly memoryEveryMs?: number | undefined
  readonly host?: HostEnvironment
  /** The marker of this gateway in the names of its containers. */
  readonly containers?: string
}

const POLL_MS = 20
/** A group of zombies without a parent that collects them looks alive for ever. */
const KILLED_MS = 2_000

function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, name)
    return true
  } catch {
    return false
  }
}

async function isOver(group: number, ms: number): Promise<boolean> {
  for (const endsAt = performance.now() + ms; performance.now() < endsAt; )
    if (signal(group, 0)) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    else return true
  return !signal(group, 0)
}

export async function createGroups({
  patience,
  cgroup = ownCgroup,
  memoryEveryMs,
  host,
  containers,
}: GroupsParts): Promise<Trees> {
  const [own, marker] = await Promise.all([cgroup(), ownMarker()])
  const cgroups = createCgroups(own, marker)
  const watchdog = createWatchdog(marker, cgroups.folder, { host, containers })
  const sweep = createSweep()
  const memory = createMemoryWatch(sessions, memoryEveryMs)

  function create(number: number, limitBytes: number): Tree {
    watchdog.ready()
    const held = cgroups.create(number)
    // It ends with a separator, so that no marker begins with another.
    const mine = `${marker}${number};`
    let group: number | undefined
    /** What the first process left in its group is ended as well. */
    async function endGroup(of: number): Promise<void> {
      if (!signal(of, 0) || !signal(of, 'SIGTERM') || (await isOver(of, patience.termMs))) return
      signal(of, 'SIGKILL')
      await isOver(of, KILLED_MS)
    }
    return {
      detached: true,
      env: { [MARKER]: mine },
      hold(pid) {
        group = pid
        held?.hold(pid)
        watchdog.guard(pid)
      },
      ask: () => group !== undefined && signal(group, 'SIGTERM'),
      kill: () => void (group !== undefined && signal(group, 'SIGKILL')),
      async end() {
        if (group === undefined) return held?.end()
        await endGroup(group)
        await held?.end()
        await sweep.end(mine)
        watchdog.release(group)
      },
      watch(onMeasure) {
        const isMeasured = group !== undefined && process.platform === 'linux'
        return isMeasured ? memory.watch(group ?? 0, limitBytes, onMeasure) : () => undefined
      },
    }
  }

  return {
    held: own === undefined ? 'group and marker' : 'group, marker and cgroup',
    create,
    engine: watchdog.engine,
    async endLeftovers() {
      await cgroups.endLeftovers((other) => isGone(marker, other))
      return endLeftovers(marker)
    },
    async close() {
      await cgroups.close()
      watchdog.close()
    },
  }
}
