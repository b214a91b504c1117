// Every fault of e2e/chaos/faults.ts on SQLite, with callers that go on through it.
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ALWAYS, FAULTS, type FaultName, faultTable, ON_POSTGRES, POSTGRES } from '../chaos/faults.ts'
import { type Ledger, opened, openLedger } from '../chaos/ledger.ts'
import { IS_LONG } from '../fuzz/mode.ts'
import { anUpstream, call, failureOf, openSession, ROOMY, register, rpc } from './data-plane.fixture.ts'
import { aFolder, type Env, endsOfSuite } from './gateway.fixture.ts'
import { aGatewayProcess, type GatewayProcess, spawnGateway } from './gateway-process.fixture.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

const KILLS = IS_LONG ? 100 : 2
const root = new URL('../..', import.meta.url).pathname
const imported = (file: string): Env => ({ NODE_OPTIONS: `--import=${new URL(file, import.meta.url).href}` })
const ENV: Env = { ...ROOMY, RETRY_MAX_ATTEMPTS: '0', TOOL_CALL_TIMEOUT_MS: '1500' }

let ledger: Ledger
let shared: { readonly gateway: GatewayProcess; readonly ledger: Ledger } | undefined
beforeEach(async () => {
  if (shared === undefined) ledger = await openLedger()
  else {
    const { gateway } = shared
    ledger = shared.ledger
    ledger.work(() => gateway)
  }
})
afterEach(async () => {
  await ledger.rest()
  if (shared === undefined) await ledger.close()
})

/** One gateway for the tests of a suite, with callers during each: for faults that are not of the gateway. */
function onOneGateway(env: Env = {}): () => GatewayProcess {
  const ends = endsOfSuite()
  beforeAll(async () => {
    const gateway = await spawnGateway({ ...ENV, ...env }, aFolder(ends))
    ends(gateway.end)
    const own = await openLedger()
    ends(own.close)
    await opened(gateway, own)
    shared = { gateway, ledger: own }
    ends(() => {
      shared = undefined
    })
  })
  return () => {
    if (shared === undefined) throw new Error('The gateway of this suite has not started')
    return shared.gateway
  }
}

/** A gateway whose callers go on until the test is over. */
async function aBusyGateway(env: Env = {}, folder = aFolder()): Promise<GatewayProcess> {
  const gateway = await spawnGateway({ ...ENV, ...env }, folder)
  onTestFinished(gateway.end)
  await opened(gateway, ledger)
  ledger.work(() => gateway)
  await served()
  return gateway
}

/** So many more calls were answered. */
async function served(more = 20): Promise<void> {
  const before = ledger.answered()
  await vi.waitUntil(() => ledger.answered() >= before + more, { timeout: 60_000, interval: 10 })
}

/** The test of a fault has the words of its row; a fault without a test, or tested twice, fails at the end. */
const untested = new Set<FaultName>(Object.keys(FAULTS) as FaultName[]) // the keys of this table
function survives(name: FaultName, note: string, run: () => Promise<void>, skipped?: string): void {
  untested.delete(name)
  const { fault, holds } = FAULTS[name]
  it.skipIf(skipped !== undefined)(`${name}: ${fault}. ${holds}${note}${skipped ? ` (skipped: ${skipped})` : ''}`, run)
}

const team = (gateway: GatewayProcess, name: string) =>
  gateway.admin('/admin-api/teams', { method: 'POST', body: { name } })

describe('the process and its disk', () => {
  survives('kill-9', ` (security case NF-06, ${KILLS} kills; in the long mode: 100)`, async () => {
    const folder = aFolder()
    let gateway = await spawnGateway(ENV, folder)
    await opened(gateway, ledger)
    ledger.work(() => gateway)
    const made: string[] = []
    const until = { over: false }
    const writing = (async () => {
      for (let at = 0; !until.over; at += 1) {
        const answer = await team(gateway, `team-${at}`).catch(() => undefined)
        if (answer?.status === 201) made.push(`team-${at}`)
        else await pause(20)
      }
    })()
    for (let kill = 0; kill < KILLS; kill += 1) {
      await served(10 + kill * 7)
      gateway.signal('SIGKILL')
      await gateway.exited
      gateway = await spawnGateway(ENV, folder)
    }
    await served()
    until.over = true
    await writing
    await ledger.rest()
    const stored = new Database(join(folder, 'gantry.db'), { readonly: true })
    const namesOf = (query: string): Set<unknown> => new Set(stored.prepare(query).pluck().all())
    const [names, audited] = [
      namesOf('SELECT name FROM teams'),
      namesOf("SELECT target FROM audit_log WHERE action = 'team.create'"),
    ]
    stored.close()
    expect(made.length).toBeGreaterThan(0)
    expect(made.filter((name) => !names.has(name) || !audited.has(name))).toEqual([])
    await ledger.balanced(gateway)
    await gateway.end()
  })

  survives('stopped', '', async () => {
    const gateway = await aBusyGateway()
    const session = await openSession(gateway)
    gateway.signal('SIGSTOP')
    await pause(3_000)
    gateway.signal('SIGCONT')
    await served()
    expect((await rpc(gateway, 'ping', {}, { headers: session })).status).toBe(200)
    await ledger.rest()
    await ledger.balanced(gateway)
  })

  const MOUNT = join(aRoom(), 'disk')
  survives(
    'full-disk',
    ' (security case ST-06)',
    async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', MOUNT])
      onTestFinished(() => void execFileSync('umount', ['-l', MOUNT]))
      const gateway = await aBusyGateway({}, MOUNT)
      const ballast = join(MOUNT, 'ballast')
      let failed = 0
      for (let at = 0; at < 400 && failed < 3; at += 1) {
        // The last bytes go to whichever process asks first, so fill again until writing fails.
        fill(ballast)
        const { status } = await team(gateway, `full-${at}`)
        if (status >= 500) failed += 1
        else expect(status).toBe(201)
        expect((await gateway.ask('/livez')).status).toBe(200)
      }
      expect(failed).toBe(3)
      // Until the journal has used up the page it has; calls before that are made, each with an id of its own.
      let id = 0
      await vi.waitUntil(
        async () => {
          fill(ballast)
          id -= 1
          const { status, text } = await rpc(gateway, 'tools/call', { name: 'getPetById', arguments: { id } })
          return status === 503 && text.includes('was not made')
        },
        { timeout: 60_000 },
      )
      rmSync(ballast)
      let again = 0
      await vi.waitUntil(async () => (await team(gateway, `again-${(again += 1)}`)).status === 201, {
        timeout: 60_000,
      })
      await served()
      await ledger.rest()
      await ledger.balanced(gateway)
    },
    mountable(MOUNT) ? undefined : 'no right to mount a small disk',
  )

  survives('journal-torn', '', async () => {
    const { folder, journal } = await aKilledGateway()
    appendFileSync(journal, '["torn",1763')
    await startedAgain(folder)
  })

  survives('journal-older', '', async () => {
    const { folder, journal } = await aKilledGateway()
    const [header = '', ...lines] = readFileSync(journal, 'utf8').trimEnd().split('\n')
    const { columns, ...rest } = JSON.parse(header) as { columns: string[] } // as the gateway wrote it
    const older = lines.map((line) => ['x', ...(JSON.parse(line) as unknown[]).slice(0, -2).reverse()])
    const text = [{ ...rest, columns: ['dropped', ...columns.slice(0, -2).reverse()] }, ...older]
    writeFileSync(journal, text.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await startedAgain(folder)
  })

  survives('journal-twice', '', async () => {
    const { folder, journal } = await aKilledGateway()
    const bytes = readFileSync(journal)
    const first = await spawnGateway(ENV, folder)
    await ledger.balanced(first)
    first.signal('SIGKILL')
    await first.exited
    writeFileSync(journal, bytes)
    await startedAgain(folder)
  })

  const shim = slowFsync()
  survives(
    'slow-disk',
    '',
    async () => {
      const gateway = await aBusyGateway({ LD_PRELOAD: shim ?? '' })
      expect(readFileSync(`/proc/${gateway.pid}/maps`, 'utf8')).toContain('slow-fsync')
      for (let at = 0; at < 3; at += 1) expect((await team(gateway, `slow-${at}`)).status).toBe(201)
      await served()
      await ledger.rest()
      await ledger.balanced(gateway)
    },
    shim === undefined ? 'no C compiler to build a slow fsync' : undefined,
  )
})

describe('two instances on one SQLite file, each with its journal', () => {
  it(`are killed by turns under calls, ${KILLS} times: no answered call lacks its row, and none has two`, async () => {
    const folder = aFolder()
    const env = { ...ENV, ALLOW_SECOND_INSTANCE: 'true', LEADER_LEASE_DURATION_MS: '1500' }
    const first = await aGatewayProcess(env, folder)
    await opened(first, ledger)
    // The other reads backends when it starts.
    const both: [GatewayProcess, GatewayProcess] = [first, await spawnGateway(env, folder)]
    onTestFinished(async () => {
      for (const each of both) await each.end()
    })
    let turn = 0
    ledger.work(() => both[(turn += 1) % 2 === 0 ? 0 : 1])
    for (let kill = 0; kill < KILLS; kill += 1) {
      await served(50)
      const at = kill % 2 === 0 ? 0 : 1
      both[at].signal('SIGKILL')
      await both[at].exited
      // The other goes on alone, and takes the journal over.
      await served()
      both[at] = await spawnGateway(env, folder)
    }
    await served(50)
    await ledger.rest()
    await ledger.balanced(both[0])
    for (const each of both) await each.stop()
    const stored = new Database(join(folder, 'gantry.db'), { readonly: true })
    expect(stored.prepare('SELECT request_id FROM calls GROUP BY request_id HAVING count(*) > 1').all()).toEqual([])
    stored.close()
    expect(readdirSync(folder).filter((name) => name.includes('.journal'))).toEqual([])
  })
})

/** Killed while another process held the write lock of the database, so that the rows of many calls are in the journal only. */
async function aKilledGateway(): Promise<{ readonly folder: string; readonly journal: string }> {
  const folder = aFolder()
  const gateway = await aBusyGateway({}, folder)
  const other = new Database(join(folder, 'gantry.db'))
  other.exec('BEGIN IMMEDIATE')
  await served(100)
  gateway.signal('SIGKILL')
  await gateway.exited
  await ledger.rest()
  other.exec('ROLLBACK')
  other.close()
  const journals = readdirSync(folder).filter((name) => name.endsWith('.journal'))
  expect(journals).toHaveLength(1)
  return { folder, journal: join(folder, journals[0] ?? '') }
}

async function startedAgain(folder: string): Promise<void> {
  const gateway = await spawnGateway(ENV, folder)
  onTestFinished(gateway.end)
  await ledger.balanced(gateway)
  const stored = new Database(join(folder, 'gantry.db'), { readonly: true })
  expect(stored.prepare('SELECT request_id FROM calls GROUP BY request_id HAVING count(*) > 1').all()).toEqual([])
  stored.close()
  expect(readdirSync(folder).filter((name) => name.includes('.journal'))).toEqual([])
}

/** Down to pieces of one byte: the gateway takes space in the meantime. */
function fill(file: string): void {
  for (let size = 1_048_576; size >= 1; )
    try {
      appendFileSync(file, Buffer.alloc(size))
    } catch {
      size = Math.floor(size / 16)
    }
}

/** A folder of the file, for what has to exist before its tests begin. */
function aRoom(): string {
  const folder = join(tmpdir(), `gantry-chaos-${process.pid}`)
  mkdirSync(join(folder, 'disk'), { recursive: true })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function mountable(folder: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status !== 0) return false
  return spawnSync('umount', [folder]).status === 0
}

function slowFsync(): string | undefined {
  const file = join(aRoom(), 'slow-fsync.so')
  const built = spawnSync('cc', ['-shared', '-fPIC', '-o', file, join(root, 'e2e/chaos/slow-fsync.c'), '-ldl'])
  return process.platform === 'linux' && built.status === 0 ? file : undefined
}

describe('a backend', () => {
  const KINDS = {
    'upstream-hangs': ['hang', 'timeout'],
    'upstream-drips': ['drip', 'timeout'],
    'upstream-half-closes': ['half', 'network'],
    'upstream-resets': ['reset', 'network'],
    'upstream-garbage': ['garbage', 'network'],
  } as const
  const gatewayOf = onOneGateway({ TOOL_CALL_TIMEOUT_MS: '4000' })
  for (const [name, [tool, kind]] of Object.entries(KINDS) as [keyof typeof KINDS, readonly [string, string]][])
    survives(name, '', async () => {
      const gateway = gatewayOf()
      const bad = await anUpstream()
      await register(gateway, bad, tool)
      const path = `/mcp/${tool}`
      const faults = Array.from({ length: 10 }, () => call(gateway, tool, {}, path))
      await served()
      expect((await Promise.all(faults)).map((result) => failureOf(result).kind)).toEqual(Array(10).fill(kind))
      if (tool === 'reset') {
        bad.answer = (_request, response) => void response.socket?.resetAndDestroy()
        await call(gateway, 'addPet', { name: 'once' }, path)
        expect(bad.seen.filter((seen) => seen === 'POST /pets')).toHaveLength(1)
        bad.answer = undefined
      }
      expect((await call(gateway, 'getPetById', { id: 1 }, path)).isError ?? false).toBe(false)
      await ledger.rest()
      await ledger.balanced(gateway)
    })
})

describe('the clock of the machine', () => {
  survives('clock-jumps', ' (security case NF-10)', async () => {
    const gateway = await aBusyGateway({ ...imported('moved-clock.mjs'), LEADER_LEASE_DURATION_MS: '3000' })
    const session = await openSession(gateway)
    const HOUR = 3_600_000
    for (const offMs of [HOUR, -HOUR, 10 * 365 * 24 * HOUR, 0]) {
      writeFileSync(join(gateway.folder, 'clock'), String(offMs))
      gateway.signal('SIGUSR2')
      await vi.waitUntil(() => gateway.output().includes(`the clock is off by ${offMs} ms`), { timeout: 20_000 })
      await served(5)
      expect((await rpc(gateway, 'ping', {}, { headers: session })).status).toBe(200)
      expect((await gateway.ask('/readyz')).status).toBe(200)
    }
    await ledger.rest()
    await ledger.balanced(gateway)
  })
})

describe('the names of the machine', () => {
  const gatewayOf = onOneGateway({ ...imported('moved-names.mjs'), OPENAPI_DISCOVERY_TIMEOUT_MS: '2000' })
  /** What the names mean, what a registration is answered, and where a registered backend is called. */
  const NAMES = {
    'dns-hangs': ['hangs', 400],
    'dns-fails': ['fails', 400],
    'dns-empty': [[], 400],
    'dns-changes': [['127.0.0.9'], 400],
  } as const
  for (const [fault, [means, status]] of Object.entries(NAMES) as [
    keyof typeof NAMES,
    (typeof NAMES)[keyof typeof NAMES],
  ][])
    survives(fault, ' (security cases SS-04, SS-13)', async () => {
      const gateway = gatewayOf()
      const backend = fault.replace('dns-', '')
      const name = `${backend}.chaos.test`
      const mean = (what: unknown) => writeFileSync(join(gateway.folder, 'names'), JSON.stringify({ [name]: what }))
      mean(['127.0.0.1'])
      const named = await anUpstream()
      const url = `http://${name}:${new URL(named.url).port}`
      await register(gateway, { ...named, url }, backend)
      mean(means)
      const body = { name: 'late', openapi_url: `${url}/openapi.json` }
      const registering = gateway.admin('/register', { method: 'POST', body })
      await served()
      expect((await call(gateway, 'ok', {}, `/mcp/${backend}`)).isError ?? false).toBe(false)
      const answer = await registering
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(/"code":"[A-Z_]+"/)])
      expect(named.seen.filter((seen) => seen.endsWith('/ok'))).toHaveLength(1)
      await ledger.rest()
      await ledger.balanced(gateway)
    })
})

describe('the table', () => {
  it('has a test for each fault', () => {
    expect([...untested]).toEqual([])
    const text = readFileSync(join(root, POSTGRES), 'utf8')
    expect(Object.keys(ON_POSTGRES).filter((name) => !text.includes(`ON_POSTGRES.${name}`))).toEqual([])
  })

  it('is shown in docs/security.md as it is here', () => {
    const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
    expect(page).toContain(faultTable())
    expect(page).toContain(ALWAYS)
  })
})
