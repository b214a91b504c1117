// A cgroup (v2) for each process of a local server, where this gateway may make one: its end also reaches what left the group and cleared its environment.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { access, constants, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

export type Cgroup = {
  /** At once after the spawn; what the process starts from then on belongs to it. */
  hold(pid: number): void
  /** Ends all that is in it, and removes it. */
  end(): Promise<void>
}

export type Cgroups = {
  /** Contains those of this gateway; undefined where it may make none. */
  readonly folder: string | undefined
  create(number: number): Cgroup | undefined
  /** Ends and removes those of gateways that are no more. */
  endLeftovers(isGone: (marker: string) => Promise<boolean>): Promise<void>
  close(): Promise<void>
}

const PREFIX = 'gantry.'
const POLL_MS = 10
const MOST_POLLS = 200

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** Where a cgroup file system shows the cgroup of this process: `0::/path` below the root that is mounted. */
export function cgroupIn(own: string, mounts: string): string | undefined {
  const at = /^0::(\/.*)$/m.exec(own)?.[1]
  // Outside of what its number space shows.
  if (at === undefined || at.includes('/..')) return undefined
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ')
    const [, , , root = '', point = ''] = before.split(' ')
    if (!after.startsWith('cgroup2 ') || point.includes('\\')) continue
    const below = path.relative(root, at)
    if (!below.startsWith('..')) return path.join(point, below)
  }
  return undefined
}

/** Its own cgroup, where this process may make others below it. The root of the hierarchy has no `cgroup.kill` and belongs to the system; kernels before 5.14 have none at all. */
export async function ownCgroup(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  const own = cgroupIn(await textOf('/proc/self/cgroup'), await textOf('/proc/self/mountinfo'))
  return own !== undefined && (await isDelegated(own)) ? own : undefined
}

export async function isDelegated(folder: string): Promise<boolean> {
  try {
    for (const name of ['', 'cgroup.procs', 'cgroup.kill']) await access(path.join(folder, name), constants.W_OK)
    return (await textOf(path.join(folder, 'cgroup.type'))).trim() === 'domain'
  } catch {
    return false
  }
}

/** Those below it first. One in use stays. */
async function removed(folder: string): Promise<void> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const each of found) if (each.isDirectory()) await removed(path.join(folder, each.name))
  await rmdir(folder).catch(() => undefined)
}

async function ended(folder: string): Promise<void> {
  const isEmpty = async (): Promise<boolean> => !/^populated 1$/m.test(await textOf(path.join(folder, 'cgroup.events')))
  if (!(await isEmpty())) await writeFile(path.join(folder, 'cgroup.kill'), '1').catch(() => undefined)
  for (let poll = 0; poll < MOST_POLLS && !(await isEmpty()); poll += 1)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  await removed(folder)
}

function cgroupAt(folder: string): Cgroup | undefined {
  try {
    const above = path.dirname(folder)
    if (!existsSync(above)) mkdirSync(above)
    mkdirSync(folder)
  } catch {
    // Not writable after all, or at a limit of the system: the group and the marker remain.
    return undefined
  }
  return {
    hold(pid) {
      try {
        writeFileSync(path.join(folder, 'cgroup.procs'), String(pid))
      } catch {
        // It ended already, or may not be moved.
      }
    },
    end: () => ended(folder),
  }
}

/** `own`: the cgroup of this process, where it may make others. `marker` names this gateway. */
export function createCgroups(own: string | undefined, marker: string): Cgroups {
  const folder = own && path.join(own, PREFIX + marker)
  return {
    folder,
    create: (number) => (folder === undefined ? undefined : cgroupAt(path.join(folder, String(number)))),
    async endLeftovers(isGone) {
      if (own === undefined) return
      for (const name of await readdir(own).catch(() => []))
        if (name.startsWith(PREFIX) && (await isGone(name.slice(PREFIX.length)))) await ended(path.join(own, name))
    },
    async close() {
      if (folder !== undefined) await removed(folder)
    },
  }
}
