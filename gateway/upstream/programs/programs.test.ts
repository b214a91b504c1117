import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { LocalServerEntry } from '../../contract/local-servers.ts'
import { digestOf } from '../../instance/server-store.ts'
import type { Conversation } from '../../mcp/connection.ts'
import { LargeResult } from '../../mcp/message.ts'
import { createLog } from '../../telemetry/log.ts'
import { later } from '../upstream.fixture.ts'
import type { Patience } from './process.ts'
import { somePrograms } from './programs.fixture.ts'
import { MARKER } from './watchdog.ts'

const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const SERVER = path.join(import.meta.dirname, '../../../e2e/peers/local-server.mjs')
const SMALL = path.join(path.dirname(SERVER), 'small-server.sh')
const entry = (given: Partial<LocalServerEntry> & { readonly mode?: string } = {}): LocalServerEntry => {
  const { mode = 'good', ...rest } = given
  return LocalServerEntry.parse({ command: process.execPath, args: [SERVER, mode], ...rest })
}

type Given = {
  readonly secrets?: Readonly<Record<string, string>>
  readonly maxLineBytes?: number
  readonly store?: string
  readonly memoryEveryMs?: number
  readonly patience?: Patience
}

function aHost({ secrets, ...parts }: Given = {}) {
  const logged: string[] = []
  const programs = somePrograms({
    host: { PATH: process.env['PATH'], HOME: '/home/nobody', SECRET_ENCRYPTION_KEY: 'the key of the gateway' },
    maxLineBytes: 4_000_000,
    log: createLog({ format: 'json', level: 'debug', write: (line) => logged.push(line) }),
    secretOf: async (_name, variable) => secrets?.[variable],
    ...parts,
  })
  later(() => programs.closeAll())
  const call = async (name: string, tool: string, args: object = {}, conversation?: Conversation): Promise<string> => {
    const answer = await programs.connectionOf(name).request({
      method: 'tools/call',
      params: { name: tool, arguments: args },
      timeoutMs: 20_000,
      maxBytes: parts.maxLineBytes ?? 4_000_000,
      maxDepth: 64,
      takesLarge: true,
      conversation,
    })
    if (!('result' in answer)) return JSON.stringify(answer)
    const { result } = answer
    const value = result instanceof LargeResult ? JSON.parse(Buffer.from(result.json).toString()) : result
    return String(value.content[0].text)
  }
  return { programs, call, logged }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Processes of this test's gateway, by the marker in their environment; zombies have none. */
async function markedNow(): Promise<readonly number[]> {
  const found = await Promise.all(
    (await readdir('/proc')).map(async (name) => {
      const text = /^\d+$/.test(name) ? await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '') : ''
      return text.includes(`${MARKER}=${process.pid}:`) ? [Number(name)] : []
    }),
  )
  return found.flat()
}

describe('a local server', () => {
  it('starts with its first call, answers, and is reported', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry(), undefined)
    expect(programs.report('one')).toMatchObject({ state: 'stopped', processes: [] })
    expect(await call('one', 'echo', { text: 'hello' })).toBe('hello')
    expect(programs.report('one')).toMatchObject({ state: 'idle', reason: null, file: process.execPath })
    expect(programs.report('one')?.handshakeMs).toBeGreaterThan(0)
    expect((await programs.listTools('one')).tools).toHaveLength(9)
  })

  it('speaks the modern era where the server has no other', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry({ mode: 'modern' }), undefined)
    expect(await call('one', 'echo', { text: 'hello' })).toBe('hello')
    expect(programs.connectionOf('one').known()).toMatchObject({ revision: '2026-07-28' })
  })

  it('gets a fixed list of variables, its own and its secrets, and nothing else of the gateway', async () => {
    const { programs, call } = aHost({ secrets: { TOKEN: 'tok-123456789' } })
    await programs.put('one', entry({ env: { LEVEL: 'high' }, secrets: ['TOKEN'] }), undefined)
    const env = JSON.parse(await call('one', 'env'))
    expect(Object.keys(env).sort()).toEqual([MARKER, 'HOME', 'LEVEL', 'PATH', 'TOKEN'].sort())
    expect(env.TOKEN).toBe('tok-123456789')
    expect(programs.credential('one')?.secrets).toContain('tok-123456789')
  })

  it('is not started without a secret, and the refusal names it', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry({ secrets: ['TOKEN'] }), undefined)
    await expect(call('one', 'echo')).rejects.toThrow('the secret TOKEN is not set')
    expect(programs.report('one')).toMatchObject({ state: 'failed', processes: [] })
  })

  it('of an installed package runs the installed file, and is refused where it is missing', async () => {
    const store = await mkdtemp(path.join(tmpdir(), 'gantry-store-'))
    later(() => rm(store, { recursive: true, force: true }))
    const folder = 'a'.repeat(64)
    const main = path.join(store, folder, 'node_modules', 'notes', 'main.mjs')
    const pinned = (digest: string) =>
      entry({
        command: 'npx',
        args: ['-y', 'notes', 'good'],
        pin: {
          name: 'notes',
          version: '1.0.0',
          integrity: `sha512-${'A'.repeat(86)}==`,
          folder,
          digest,
          program: 'node_modules/notes/main.mjs',
        },
      })
    const { programs, call } = aHost({ store })
    await programs.put('one', pinned('0'.repeat(64)), undefined)
    await expect(call('one', 'echo')).rejects.toThrow('its package is not installed')
    await mkdir(path.dirname(main), { recursive: true })
    await cp(SERVER, main)
    await programs.put('one', pinned('0'.repeat(64)), undefined)
    await expect(call('one', 'echo')).rejects.toThrow('was changed since')
    await programs.put('one', pinned(await digestOf(path.join(store, folder))), undefined)
    expect(await call('one', 'echo', { text: 'installed' })).toBe('installed')
    expect(programs.report('one')?.file).toMatch(/node$/)
  })

  it('keeps its other output, without the secrets', async () => {
    const { programs, call } = aHost({ secrets: { TOKEN: 'tok-123456789' } })
    await programs.put('one', entry({ mode: 'noisy', secrets: ['TOKEN'] }), undefined)
    await call('one', 'log', { text: 'I hold tok-123456789 here' })
    await soon(() => expect(programs.report('one')?.lastOutput.join('\n')).toContain('I hold'))
    const output = programs.report('one')?.lastOutput.join('\n') ?? ''
    expect(output).toContain('Starting up')
    expect(output).not.toContain('tok-123456789')
  })

  it('answers with numbers of their own, at once, large and small', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry(), undefined)
    const texts = Array.from({ length: 50 }, (_, at) => `call ${at}`)
    const [big, ...all] = await Promise.all([
      call('one', 'big', { count: 2_000_000 }),
      ...texts.map((text) => call('one', 'echo', { text })),
    ])
    expect(big).toHaveLength(2_000_000)
    expect(all).toEqual(texts)
  })

  it('fails the one call whose answer is too long, and no other', async () => {
    const { programs, call } = aHost({ maxLineBytes: 100_000 })
    await programs.put('one', entry(), undefined)
    const slow = call('one', 'slow', { count: 500 })
    await expect(call('one', 'long', { count: 5_000_000 })).rejects.toThrow('exceeds the limit')
    expect(await slow).toBe('done')
  })

  it('is not cut off in a call that it answers while it is stopped', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry({ mode: 'stubborn' }), undefined)
    await call('one', 'echo', { text: 'warm' })
    const slow = call('one', 'slow', { count: 100 })
    // The first of the two is sent by the time the second is answered.
    await call('one', 'echo', { text: 'sent' })
    await programs.stop('one')
    expect(await slow).toBe('done')
  })

  it('is started again by the next call after it crashed, and says why the running ones failed', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry(), undefined)
    await expect(call('one', 'die')).rejects.toThrow('it ended with code 7. Last output: Fatal: it is over')
    await soon(() => expect(programs.report('one')?.state).toBe('failed'))
    expect(await call('one', 'echo', { text: 'again' })).toBe('again')
  })

  it.each([
    ['npm error 404 Not Found - GET https://registry/nothing', 'the package was not found'],
    ['Error: listen EADDRINUSE: address already in use :::3000', 'a port that it needs is in use'],
    ['Error: Cannot find module "./dist/index.js"', 'a file or module that it needs is missing'],
  ])('names the known cause of an end before the handshake: %s', async (output, cause) => {
    const { programs, call } = aHost()
    await programs.put('one', { ...entry({ mode: 'exit' }), args: [SERVER, 'exit', output] }, undefined)
    await expect(call('one', 'echo')).rejects.toThrow(cause)
    expect(programs.report('one')?.reason).toContain('ended with code 3')
  })

  it('names the command that was not found', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry({ command: 'no-such-program' }), undefined)
    await expect(call('one', 'echo')).rejects.toThrow('the command "no-such-program" was not found')
    expect(programs.report('one')?.processes).toEqual([])
  })

  it('has a process for each session where its entry asks for that, and asks only the client of that session', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry({ sharing: 'session' }), undefined)
    const of = (key: string): Conversation => ({ key, capabilities: { roots: {} }, principal: 'p' })
    const [first, second, again] = [
      await call('one', 'pid', {}, of('a')),
      await call('one', 'pid', {}, of('b')),
      await call('one', 'pid', {}, of('a')),
    ]
    expect(first).toBe(again)
    expect(first).not.toBe(second)
    programs.leave('a')
    await soon(() => expect(isAlive(Number(first))).toBe(false))
    expect(isAlive(Number(second))).toBe(true)
  })

  it('that crashes in five sessions is not started for a sixth, until a person restarts it', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry({ sharing: 'session', command: 'false' }), undefined)
    const callOf = (key: string) => call('one', 'echo', {}, { key, capabilities: {} })
    for (const { status } of await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(callOf)))
      expect(status).toBe('rejected')
    await soon(() => expect(programs.report('one')?.processes).toEqual([]))
    await expect(callOf('f')).rejects.toThrow('it ended 5 times within 10 min')
    await expect(programs.restart('one')).rejects.toThrow('it ended with code 1')
  })

  it('shares one process between sessions of one principal where its entry asks for that', async () => {
    const { programs, call } = aHost()
    await programs.put('one', entry({ sharing: 'principal' }), undefined)
    const of = (key: string, principal: string): Conversation => ({ key, capabilities: {}, principal })
    const pids = [
      await call('one', 'pid', {}, of('a', 'ann')),
      await call('one', 'pid', {}, of('b', 'ann')),
      await call('one', 'pid', {}, of('c', 'bob')),
    ]
    expect(pids[0]).toBe(pids[1])
    expect(pids[0]).not.toBe(pids[2])
  })

  it('ends an idle process for a new session, and says why a call waits where none is idle', async () => {
    const { programs, call } = aHost()
    await programs.put('one', { ...entry({ sharing: 'session' }), command: '/bin/sh', args: [SMALL] }, undefined)
    const of = (key: string): Conversation => ({ key, capabilities: {} })
    const busy = Array.from({ length: 16 }, (_, at) => call('one', 'silent', {}, of(`busy ${at}`)))
    for (const one of busy) one.catch(() => undefined)
    await soon(() =>
      expect(programs.report('one')?.processes.filter(({ state }) => state === 'ready')).toHaveLength(16),
    )
    const late = programs.connectionOf('one').request({
      method: 'tools/call',
      params: { name: 'pid', arguments: {} },
      timeoutMs: 50,
      maxBytes: 1_000,
      maxDepth: 8,
      conversation: of('late'),
    })
    await expect(late).rejects.toThrow('all 16 processes of it are in use (one for each session)')
  }, 120_000)

  it('serves more sessions at once than it may have processes: each has a separate process, none of them in use elsewhere, never too many', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'gantry-many-'))
    later(() => rm(folder, { recursive: true, force: true }))
    const log = path.join(folder, 'log')
    // Waits for the end of its input, which it records.
    const { programs, call } = aHost({ patience: { inputMs: 60_000, termMs: 60_000 } })
    const script = `echo + >> ${log}; trap 'echo - >> ${log}' EXIT; . ${SMALL}`
    await programs.put('one', { ...entry({ sharing: 'session' }), command: '/bin/sh', args: ['-c', script] }, undefined)
    const keys = Array.from({ length: 32 }, (_, at) => `session ${at}`)
    const pids = await Promise.all(
      keys.map(async (key, at) => {
        const pid = await call('one', 'pid', {}, { key, capabilities: {} })
        // Half of them end, the others give way to those that wait.
        if (at % 2 === 0) programs.leave(key)
        return pid
      }),
    )
    expect(new Set(pids).size).toBe(keys.length)
    await programs.closeAll()
    let [now, most] = [0, 0]
    for (const line of (await readFile(log, 'utf8')).trim().split('\n')) {
      now += line === '+' ? 1 : -1
      most = Math.max(most, now)
    }
    expect(now).toBe(0)
    expect(most).toBeLessThanOrEqual(16)
  }, 120_000)

  it.skipIf(process.platform !== 'linux')(
    'that holds more memory than its limit is ended with that reason',
    async () => {
      const { programs, call } = aHost({ memoryEveryMs: 50 })
      await programs.put('one', entry({ memoryMb: 160 }), undefined)
      await call('one', 'echo', { text: 'a' })
      await soon(() => expect(programs.report('one')?.processes[0]?.memoryBytes).toBeGreaterThan(0))
      expect(programs.report('one')).toMatchObject({ state: 'idle', reason: null })
      await call('one', 'echo', { count: 300_000_000 }).catch(() => undefined)
      await soon(() =>
        expect(programs.report('one')).toMatchObject({
          state: 'failed',
          reason: expect.stringMatching(/^memory: it was ended because it held \d+ MiB, and its limit is 160 MiB/),
        }),
      )
      expect(await call('one', 'echo', { text: 'again' })).toBe('again')
    },
  )

  it.skipIf(process.platform !== 'linux')(
    'ends with all that it started, whether they obey or left the group',
    async () => {
      const { programs, call } = aHost()
      await programs.put('one', entry({ mode: 'stubborn' }), undefined)
      await call('one', 'echo')
      await soon(async () => expect((await markedNow()).length).toBe(3))
      await programs.stop('one')
      expect(await markedNow()).toEqual([])
      expect(programs.report('one')).toMatchObject({ state: 'stopped', processes: [] })
    },
  )
})
