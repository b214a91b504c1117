// Many local servers and many sessions: what is idle has no process, and what ended leaves nothing. Long mode: a hundred servers, and GANTRY_FUZZ_MINUTES of ten sessions a second.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { IS_LONG } from '../fuzz/mode.ts'
import { openSession, ROOMY, rpc } from './data-plane.fixture.ts'
import { aFolder, aGateway, type Gateway } from './gateway.fixture.ts'
import { spawnGateway } from './gateway-process.fixture.ts'
import { aHost, listed, processesWith, soon, writeServers } from './local-servers.fixture.ts'

const SMALL = new URL('../peers/small-server.sh', import.meta.url).pathname
/** A hundred in the long mode. */
const MANY = IS_LONG ? 100 : 10
const onLinux = process.platform === 'linux'
const { GANTRY_FUZZ_MINUTES: MINUTES } = process.env

const small = (proof: string, more: object = {}): object => ({
  command: '/bin/sh',
  args: [SMALL],
  env: { PROOF: proof },
  ...more,
})

/** Opens a session, calls its own process, and ends. Resolves with the number of the process. */
async function aSession(gateway: Gateway): Promise<string> {
  const path = '/mcp/own'
  const headers = await openSession(gateway, '2025-11-25', path)
  const { text } = await rpc(gateway, 'tools/call', { name: 'pid', arguments: {} }, { path, headers })
  await gateway.ask(path, { method: 'DELETE', headers })
  return /"text":"(\d+)"/.exec(text)?.[1] ?? text
}

describe.skipIf(!onLinux)('many local servers', () => {
  it('that are idle have no process, also after a restart, and sessions that ended leave none', async () => {
    const proof = randomUUID()
    const names = Array.from({ length: MANY - 1 }, (_, at) => `server-${at}`)
    const own = { own: small(proof, { sharing: 'session' }) }
    const others = Object.fromEntries(names.map((name) => [name, small(proof, { idleMinutes: 0.05 })]))
    const { gateway, folder, file } = await aHost({ ...own, ...others }, ROOMY)
    const toolCount = async (of: Gateway): Promise<number> => {
      const { json } = await of.admin('/admin-api/tools?limit=200')
      return (json as { items: unknown[] }).items.length
    }
    await soon(async () => expect(await toolCount(gateway)).toBe(MANY))
    // The one for sessions was listed by a process of its own, which stays for ten minutes.
    await gateway.admin('/admin-api/local-servers/own/stop', { method: 'POST' })
    await soon(() => expect(processesWith(proof)).toEqual([]))
    await gateway.stop()
    const again = await aGateway({ ...ROOMY, LOCAL_SERVERS_FILE: file }, folder)
    await listed(again, 'own')
    expect(await toolCount(again)).toBe(MANY)
    expect(processesWith(proof)).toEqual([])
    const pids: string[] = []
    for (let turn = 0; turn < 2; turn += 1)
      pids.push(...(await Promise.all(Array.from({ length: 4 }, () => aSession(again)))))
    expect(new Set(pids).size).toBe(8)
    await soon(() => expect(processesWith(proof)).toEqual([]))
  }, 120_000)

  it.skipIf(MINUTES === undefined)(
    'ten sessions a second leave nothing, and memory stays (long mode: GANTRY_FUZZ_MINUTES)',
    async () => {
      const folder = aFolder()
      const file = join(folder, 'servers.json')
      const proof = randomUUID()
      writeServers(file, { own: small(proof, { sharing: 'session' }) })
      const gateway = await spawnGateway({ ...ROOMY, LOCAL_SERVERS_FILE: file }, folder)
      onTestFinished(() => gateway.end())
      await listed(gateway, 'own')
      const held = (): { readonly mib: number; readonly files: number } => {
        const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8')
        const files = readdirSync(`/proc/${gateway.pid}/fd`).length
        return { mib: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024), files }
      }
      let begun = 0
      let failed = 0
      const open = new Set<Promise<unknown>>()
      async function run(minutes: number): Promise<void> {
        const end = performance.now() + minutes * 60_000
        for (let due = performance.now(); due < end; due += 100) {
          await wait(Math.max(0, due - performance.now()))
          begun += 1
          const one = aSession(gateway)
            .catch(() => {
              failed += 1
            })
            .finally(() => open.delete(one))
          open.add(one)
        }
        await Promise.all(open)
      }
      await run(Number(MINUTES) / 3)
      const warm = held()
      await run((Number(MINUTES) * 2) / 3)
      await soon(() => expect(processesWith(`${proof}\0`).length).toBeLessThanOrEqual(1))
      const after = held()
      process.stdout.write(`${JSON.stringify({ begun, failed, warm, after })}\n`)
      expect(failed).toBe(0)
      expect(after.files - warm.files).toBeLessThan(16)
      expect(after.mib - warm.mib).toBeLessThan(48)
    },
    24 * 3_600_000,
  )
})
