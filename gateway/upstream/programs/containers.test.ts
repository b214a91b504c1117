// What removes a container, which outlives its client: the end of the client, the watchdog, and the next gateway. With an engine double; `e2e/scenarios/local-servers-container.test.ts` has a real one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { anEngine, IMAGE } from '../../client/packages/engine.fixture.ts'
import { LocalServerEntry } from '../../contract/local-servers.ts'
import { isGone, ownMarker } from '../../instance/marker.ts'
import { containerName, containerOf } from '../../sandbox/container.ts'
import { later } from '../upstream.fixture.ts'
import { endLeftContainers } from './containers.ts'
import { somePrograms } from './programs.fixture.ts'
import { createWatchdog } from './watchdog.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'gantry-containers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const SERVER = path.join(import.meta.dirname, '../../../e2e/peers/local-server.mjs')
const host = { PATH: folder, HOME: folder }
anEngine(folder, 'podman', SERVER)
const names = (): readonly string[] => readdirSync(path.join(folder, 'containers'))
const entry = LocalServerEntry.parse({ command: IMAGE, args: ['deaf'], sandbox: 'container', memoryMb: 32 })

/** Started by what no longer is, or by this process. */
async function aContainer(name: string): Promise<void> {
  const find = async (command: string) => (command === 'podman' ? path.join(folder, command) : undefined)
  const program = { file: IMAGE, args: [], env: {}, cwd: '/' }
  const made = await containerOf({ entry, program, name, host, find, isDry: false })
  const { file, args, env } = made.program
  const client = spawn(file, [...args], { env: { ...env }, stdio: ['pipe', 'ignore', 'ignore'] })
  await vi.waitFor(() => expect(readFileSync(path.join(folder, 'containers', name), 'utf8')).not.toBe(''), {
    timeout: 60_000,
  })
  client.kill('SIGKILL')
  await once(client, 'close')
}

const isWindows = process.platform === 'win32'
describe.skipIf(isWindows)(`a container${isWindows ? ' (skipped: the engine double is a script)' : ''}`, () => {
  it('is removed when its client is killed, and when it ignores its stop', async () => {
    const programs = somePrograms({ host, home: folder })
    later(() => programs.closeAll())
    await programs.put('one', entry, undefined)
    const call = () => programs.listTools('one')
    await call()
    const [first] = names()
    expect(first).toMatch(new RegExp(`^gantry\\.[0-9a-f]{12}\\.${process.pid}\\.`))
    // The limit of the entry is not that of the client, which needs more.
    expect(programs.report('one')?.processes[0]).toMatchObject({ memoryBytes: null })
    process.kill(programs.report('one')?.processes[0]?.pid ?? 0, 'SIGKILL')
    await vi.waitFor(() => expect(programs.report('one')?.state).toBe('failed'), { timeout: 60_000 })
    expect(names()).toEqual([])
    await call()
    expect(names()).toHaveLength(1)
    expect(names()).not.toContain(first)
    await programs.stop('one')
    expect(names()).toEqual([])
  })

  it('is removed by the watchdog when its gateway is over, and no other is', async () => {
    const marker = await ownMarker()
    const other = containerName(await ownMarker(), 1)
    await aContainer(containerName(marker, 1))
    await aContainer(other)
    const watchdog = createWatchdog(marker, '', { host })
    watchdog.engine(path.join(folder, 'podman'))
    watchdog.close()
    await vi.waitFor(() => expect(names()).toEqual([other]), { timeout: 60_000 })
    await endLeftContainers(host, async () => true)
    expect(names()).toEqual([])
  })

  it('of a gateway that is no more is removed by the next one, and that of a living one stays', async () => {
    const [pid = '', ...others] = (await ownMarker()).split(':')
    const left = containerName(['4194304', ...others].join(':'), 1)
    const used = containerName([pid, ...others].join(':'), 1)
    for (const name of [left, used, 'unrelated']) await aContainer(name)
    const mine = await ownMarker()
    expect(await endLeftContainers(host, (other) => isGone(mine, other))).toBe(1)
    expect([...names()].sort()).toEqual([used, 'unrelated'])
    for (const name of names())
      process.kill(Number(readFileSync(path.join(folder, 'containers', name), 'utf8')), 'SIGKILL')
    for (const name of names()) rmSync(path.join(folder, 'containers', name))
  })
})
