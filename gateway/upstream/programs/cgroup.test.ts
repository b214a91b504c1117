// Cgroups of version 2: where one may be made, and that their end reaches what has neither our group nor our environment.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalServerEntry } from '../../contract/local-servers.ts'
import { isGone, ownMarker } from '../../instance/marker.ts'
import { later } from '../upstream.fixture.ts'
import { cgroupIn, createCgroups, isDelegated } from './cgroup.ts'
import { somePrograms } from './programs.fixture.ts'
import { createWatchdog } from './watchdog.ts'

const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const SERVER = path.join(import.meta.dirname, '../../../e2e/peers/local-server.mjs')

describe('the cgroup of this process', () => {
  const V2 = '31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate'
  const V1 = '34 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory'
  it.each([
    ['of version 2', '0::/user.slice/app.scope', V2, '/sys/fs/cgroup/user.slice/app.scope'],
    [
      'beside version 1',
      '4:memory:/a\n0::/b',
      `${V1}\n${V2.replace('cgroup rw', 'cgroup/unified rw')}`,
      '/sys/fs/cgroup/unified/b',
    ],
    ['in a cgroup namespace', '0::/', V2, '/sys/fs/cgroup'],
    ['below a root that is mounted', '0::/docker/1/a', V2.replace('0:28 /', '0:28 /docker/1'), '/sys/fs/cgroup/a'],
    ['of version 1 only', '4:memory:/a', V1, undefined],
    ['that is not mounted', '0::/docker/2', V2.replace('0:28 /', '0:28 /docker/1'), undefined],
    ['at a path with spaces', '0::/a', V2.replace('/sys/fs', '/sys\\040fs'), undefined],
    ['outside of its number space', '0::/../a', V2, undefined],
    ['of no system', '', '', undefined],
  ])('%s', (_what, own, mounts, expected) => {
    expect(cgroupIn(own, mounts)).toBe(expected)
  })

  it('takes no others where a file is missing, or its kind is not that of processes', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gantry-cgroup-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const write = (name: string, text = ''): void => writeFileSync(path.join(folder, name), text)
    // The double of a folder: what the kernel would show.
    write('cgroup.procs')
    write('cgroup.type', 'domain\n')
    expect(await isDelegated(folder)).toBe(false)
    write('cgroup.kill')
    expect(await isDelegated(folder)).toBe(true)
    for (const type of ['threaded', 'domain invalid', 'domain threaded']) {
      write('cgroup.type', `${type}\n`)
      expect(await isDelegated(folder)).toBe(false)
    }
  })

  it('without one nothing is made, and nothing fails', async () => {
    const cgroups = createCgroups(undefined, '1:2:3:4:')
    expect([cgroups.folder, cgroups.create(1)]).toEqual([undefined, undefined])
    await cgroups.endLeftovers(async () => true)
    await cgroups.close()
    const refused = createCgroups('/nonexistent/cgroup', '1:2:3:4:')
    expect(refused.create(1)).toBeUndefined()
    await refused.close()
  })
})

/** A cgroup that this test may use, from the kernel. */
function aCgroup(): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const read = (name: string): string => readFileSync(`/proc/self/${name}`, 'utf8')
    const folder = path.join(cgroupIn(read('cgroup'), read('mountinfo')) ?? '', `gantry-test-${randomUUID()}`)
    mkdirSync(folder)
    if (existsSync(path.join(folder, 'cgroup.kill'))) return folder
    rmdirSync(folder)
  } catch {
    // Version 1, or not ours to write.
  }
  return undefined
}
const own = aCgroup()
const name = own === undefined ? 'skipped: no cgroup of version 2 can be made here' : 'in cgroups of the kernel'

describe.skipIf(own === undefined)(name, () => {
  const at = own ?? ''
  afterAll(() => {
    if (own !== undefined) rmdirSync(own)
  })
  const pidsIn = (folder: string): readonly string[] =>
    readFileSync(path.join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)

  /** As little of ours as a process can have: no group, no variable. */
  function aSleeper(): { readonly child: ChildProcess; readonly ended: Promise<string | null> } {
    const child = spawn('/bin/sleep', ['1000'], { stdio: 'ignore', detached: true, env: {} })
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, ended: new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal))) }
  }

  it('a stop ends what left the group and has none of our environment', async () => {
    const programs = somePrograms({ cgroup: async () => own })
    later(() => programs.closeAll())
    const entry = LocalServerEntry.parse({ command: process.execPath, args: [SERVER, 'hidden'] })
    await programs.put('one', entry, undefined)
    await programs.listTools('one')
    const [folder = ''] = readdirSync(at).flatMap((each) => (each.startsWith('gantry.') ? [path.join(at, each)] : []))
    const held = pidsIn(path.join(folder, '1'))
    expect(held).toHaveLength(2)
    await programs.stop('one')
    expect(held.filter((pid) => existsSync(`/proc/${pid}/exe`))).toEqual([])
    expect(existsSync(path.join(folder, '1'))).toBe(false)
    await programs.closeAll()
    expect(existsSync(folder)).toBe(false)
  })

  it('the watchdog ends and removes them with the gateway', async () => {
    const cgroups = createCgroups(at, `${process.pid}:1:1:watched:`)
    const { child, ended } = aSleeper()
    cgroups.create(1)?.hold(child.pid ?? 0)
    const watchdog = createWatchdog('of no gateway', cgroups.folder)
    watchdog.ready()
    // Its input ends, as when the gateway dies.
    watchdog.close()
    expect(await ended).toBe('SIGKILL')
    await soon(() => expect(existsSync(cgroups.folder ?? '')).toBe(false))
  })

  it('a gateway that starts ends those of gateways that are no more, and no others', async () => {
    const marker = await ownMarker()
    const [pid, start, space] = marker.split(':')
    const left = createCgroups(at, `${pid}:${Number(start) - 1}:${space}:left:`)
    const elsewhere = createCgroups(at, `${pid}:1:${Number(space) + 1}:elsewhere:`)
    const mine = createCgroups(at, marker)
    const [gone, other, living] = [aSleeper(), aSleeper(), aSleeper()]
    left.create(1)?.hold(gone.child.pid ?? 0)
    const kept = [elsewhere.create(1), mine.create(1)]
    kept[0]?.hold(other.child.pid ?? 0)
    kept[1]?.hold(living.child.pid ?? 0)
    await mine.endLeftovers((each) => isGone(marker, each))
    expect(await gone.ended).toBe('SIGKILL')
    expect(existsSync(left.folder ?? '')).toBe(false)
    for (const { child } of [other, living]) expect(child.exitCode ?? child.signalCode).toBeNull()
    for (const each of kept) await each?.end()
    for (const cgroups of [elsewhere, mine]) {
      await cgroups.close()
      expect(existsSync(cgroups.folder ?? '')).toBe(false)
    }
  })

  it('one that a program divided again is removed with its parts', async () => {
    const cgroups = createCgroups(at, '1:1:1:divided:')
    const one = cgroups.create(1)
    const inner = path.join(cgroups.folder ?? '', '1', 'inner')
    mkdirSync(inner)
    const { child, ended } = aSleeper()
    writeFileSync(path.join(inner, 'cgroup.procs'), String(child.pid))
    await one?.end()
    expect(await ended).toBe('SIGKILL')
    await cgroups.close()
    expect(existsSync(cgroups.folder ?? '')).toBe(false)
  })
})
