// A gateway that is killed leaves no program behind; long mode: GANTRY_FUZZ_RUNS kills, at most 200, and nothing survives 5 s.
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { lack } from '../../gateway/sandbox/sandbox.fixture.ts'
import { call } from './data-plane.fixture.ts'
import { aFolder } from './gateway.fixture.ts'
import { spawnGateway } from './gateway-process.fixture.ts'
import { commandsWith, listed, processesWith, program, SERVER, soon, writeServers } from './local-servers.fixture.ts'

const { GANTRY_FUZZ_RUNS: RUNS } = process.env
const KILLS = Math.min(200, Number(RUNS ?? 3))
/** Measured in the long mode only. */
const GONE_MS = RUNS === undefined ? 60_000 : 5_000

/** One in the sandbox of the operating system, where there is one. */
const sandboxed = lack === undefined ? { four: program('stubborn', { sandbox: 'os', folders: [dirname(SERVER)] }) } : {}

describe.skipIf(process.platform !== 'linux')('a gateway that is killed', () => {
  it('leaves none of its programs behind, at any point (long mode: 200 kills, 5 s)', async () => {
    let slowestMs = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      const folder = aFolder()
      const file = join(folder, 'servers.json')
      writeServers(file, { one: program(), two: program('stubborn'), three: program('family'), ...sandboxed })
      const gateway = await spawnGateway({ LOCAL_SERVERS_FILE: file }, folder)
      const marker = `GANTRY_LOCAL_SERVER=${gateway.pid}:`
      // While they start, when they run, and in the middle of a call.
      if (kill % 3 !== 0) await listed(gateway, 'two')
      if (kill % 3 === 2) {
        void call(gateway, 'slow', { count: 60_000 }, '/mcp/two').catch(() => undefined)
        await call(gateway, 'echo', { text: 'here' }, '/mcp/two')
      }
      if (kill % 3 !== 0) expect(processesWith(marker).length).toBeGreaterThan(0)
      await gateway.end()
      const since = performance.now()
      await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), { timeout: GONE_MS, interval: 50 })
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - since))
      if (RUNS !== undefined) process.stdout.write(`${JSON.stringify({ kills: kill + 1, slowestMs })}\n`)
    }
  }, 3_600_000)

  it('whose watchdog was killed as well: the next gateway ends what it left', async () => {
    const folder = aFolder()
    const file = join(folder, 'servers.json')
    writeServers(file, { two: program('stubborn') })
    const gateway = await spawnGateway({ LOCAL_SERVERS_FILE: file }, folder)
    const marker = `GANTRY_LOCAL_SERVER=${gateway.pid}:`
    await listed(gateway, 'two')
    const [first = 0] = commandsWith(marker)
    process.kill(first, 'SIGKILL')
    // It is replaced; the new one is held and goes together with its gateway.
    const watchdog = await soon(() => {
      const [pid] = commandsWith(marker).filter((each) => each !== first)
      if (pid === undefined) throw new Error('there is no watchdog yet')
      return pid
    })
    process.kill(watchdog, 'SIGSTOP')
    await gateway.end()
    process.kill(watchdog, 'SIGKILL')
    expect(processesWith(marker).length).toBeGreaterThan(0)
    const next = await spawnGateway({ LOCAL_SERVERS_FILE: file }, folder)
    try {
      await soon(() => expect(processesWith(marker)).toEqual([]))
    } finally {
      await next.end()
    }
  }, 120_000)
})
