// The desktop among the other users and starts of one machine: who reads its files, how often it runs, what a kill and a quit leave.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DesktopApp } from './app.ts'
import { addShop, adminRequest, agent, runningUrl, soon } from './desktop.fixture.ts'
import { aProfile, hasHost, hostName, isDouble, launchApp, runToItsEnd, useApp } from './launch.ts'

const UNPRIVILEGED = 65_534
const ENV = { ALLOW_PRIVATE_IPS: 'true' }
const CALLS = 50
const posix = process.platform !== 'win32'
const hasOtherUser = process.getuid?.() === 0
const otherUser = hasOtherUser ? '' : '; skipped: only root can be another user'

/** An API whose answers wait until they are let go, but for that it is well. */
const held: ServerResponse[] = []
const api = createServer(({ url }, response) => {
  if (url?.startsWith('/items/')) held.push(response)
  else response.end()
})
const letGo = (): void => held.splice(0).forEach((response) => response.end('{"kept":true}'))
let apiPort = 0
let userData = ''

/** What an application keeps; the double's browser has its own folder. */
function filesIn(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'chromium')
  return below.flatMap((entry) => {
    const file = path.join(folder, entry.name)
    return entry.isDirectory() ? [file, ...filesIn(file)] : [file]
  })
}

/** What that user gets of each file, and of the gateway without a key. */
const AS_ANOTHER = `
  const { readFileSync, readdirSync } = require('node:fs')
  const [url, ...files] = process.argv.slice(1)
  const outcomeOf = (code, read) => { try { read(); return 'read' } catch (error) { return error.code } }
  const seen = files.map((file) => outcomeOf(file, () => readFileSync(file)))
  fetch(url + '/mcp/shop', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    .then(({ status }) => console.log(JSON.stringify([status, ...new Set(seen)])))`

/** Calls whose answers are held; how each of them ends. */
async function inFlight(app: DesktopApp): Promise<{ readonly ends: Promise<readonly string[]> }> {
  const client = await agent(app, 'shop')
  const calls = Promise.allSettled(
    Array.from({ length: CALLS }, (_, id) => client.callTool({ name: 'item', arguments: { id: String(id) } })),
  )
  await soon(() => held.length).toBe(CALLS)
  return { ends: calls.then((all) => all.map(({ status }) => status)) }
}

describe.skipIf(!hasHost)(`the desktop on a machine (${hostName})`, () => {
  // Every test here runs in it: a name that no path may trip over.
  const running = useApp(
    ENV,
    async (folder) => {
      userData = folder
      // The parent lets everyone through, so that what keeps others out is ours.
      chmodSync(path.dirname(folder), 0o755)
      mkdirSync(folder, { mode: 0o755 })
    },
    `Zoë's "own" profil 日本 $(x)`,
  )
  beforeAll(async () => {
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    const address = api.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    apiPort = address.port
  })
  afterAll(() => {
    letGo()
    api.close()
  })

  it('works in a folder whose name has spaces, quotes and letters of every kind (security case EL-22)', async () => {
    const app = running()
    expect((await fetch(`${await runningUrl(app)}/readyz`)).status).toBe(200)
    await addShop(app, apiPort)
    expect(filesIn(userData)).toContain(path.join(userData, 'data', 'gantry.db'))
  })

  it.skipIf(!posix)(
    `keeps every file and folder for its user alone (security case EL-12${posix ? '' : '; skipped: no POSIX modes'})`,
    async () => {
      await runningUrl(running())
      const modes = [userData, ...filesIn(userData)].map((file) => ({ file, open: statSync(file).mode & 0o077 }))
      expect(modes.filter(({ open }) => open !== 0)).toEqual([])
      const kept = modes.map(({ file }) => path.relative(userData, file))
      for (const name of ['', 'encryption-key', 'agent-key', 'logs/gantry.log', 'data/gantry.db'])
        expect(kept).toContain(name)
    },
  )

  it.skipIf(!hasOtherUser)(
    `gives another user of the system nothing: no file, no environment, no answer without a key (security case EL-12${otherUser})`,
    async () => {
      const app = running()
      const environment = process.platform === 'linux' ? [`/proc/${app.pid}/environ`] : []
      const files = [...filesIn(userData).filter((file) => statSync(file).isFile()), ...environment]
      const other = spawnSync(process.execPath, ['-e', AS_ANOTHER, await runningUrl(app), ...files], {
        uid: UNPRIVILEGED,
        gid: UNPRIVILEGED,
        encoding: 'utf8',
      })
      expect(JSON.parse(other.stdout || other.stderr)).toEqual([401, 'EACCES'])
    },
  )

  it(`is one, however often it is started (security case EL-14${isDouble ? '; skipped: the race for the first lock, which is Electron’s own' : ''})`, async () => {
    const app = running()
    const url = await runningUrl(app)
    const ended = await Promise.all(Array.from({ length: 10 }, () => runToItsEnd({ userData, env: ENV })))
    expect(ended.map(({ code }) => code)).toEqual(Array.from({ length: 10 }, () => 0))
    expect(ended.filter(({ output }) => /listening|did not start|cannot/.test(output))).toEqual([])
    expect(await runningUrl(app)).toBe(url)
    expect((await app.facts()).windows).toBe(1)
  })

  it.skipIf(!isDouble)(
    `does not start packaged with a door held open, and makes nothing (security case EL-20${isDouble ? '' : '; skipped: this Electron is not packaged'})`,
    async () => {
      const profile = path.join(aProfile(), 'new')
      const env = { GANTRY_DOUBLE_PACKAGED: 'yes' }
      for (const open of [
        'remote-debugging-port=0',
        'inspect',
        'proxy-server=127.0.0.1:1',
        'host-rules=MAP * 127.0.0.1',
      ]) {
        const { code, output } = await runToItsEnd({ userData: profile, env, args: [`--${open}`] })
        expect([code, output]).toEqual([78, `Gantry does not run with --${open.split('=')[0]}.\n`])
      }
      expect(existsSync(profile)).toBe(false)
    },
  )

  it('is back after a kill with calls in flight, its database whole; a quit then waits for the calls there are (security cases EL-14, EL-15, EL-21)', async () => {
    const lost = await inFlight(running())
    await running().kill()
    expect(await lost.ends).toEqual(Array.from({ length: CALLS }, () => 'rejected'))
    letGo()

    // Its lock lies there, and its holder is no more.
    const app = await launchApp({ userData, env: ENV })
    const url = await runningUrl(app)
    const asked = await adminRequest(app, { method: 'GET', path: '/admin-api/audit-log/verify', headers: {} })
    expect(JSON.parse(asked.body)).toMatchObject({ valid: true })
    const database = new Database(path.join(userData, 'data', 'gantry.db'), { readonly: true })
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    database.close()

    const kept = await inFlight(app)
    const quitting = app.quit()
    // 503 to a newcomer, or no connection at all: the stop has begun.
    await soon(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status ?? 503).toBe(503)
    expect(held).toHaveLength(CALLS)
    letGo()
    expect(await kept.ends).toEqual(Array.from({ length: CALLS }, () => 'fulfilled'))
    expect(await quitting).toBe(0)
  })

  it.skipIf(!hasOtherUser)(
    `says in one message that it cannot write to its folder, and ends (security case EL-22${otherUser})`,
    async () => {
      const folder = aProfile()
      chmodSync(folder, 0o555)
      const { code, output } = await runToItsEnd({ userData: folder, uid: UNPRIVILEGED })
      expect({ code, lines: output.split('\n').filter((line) => line.includes(folder)) }).toEqual({
        code: 1,
        lines: [expect.stringMatching(/^Gantry cannot start: .*cannot write there.*--user-data-dir/)],
      })
    },
  )
})
