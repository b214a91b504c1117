// Whether a Linux desktop shows tray icons, asked on real buses.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DBUS_DAEMON, hasDbusDaemon, ownWatcher, startBus, startTrayBus } from './session-bus.fixture.ts'
import { hasTrayHost, socketOf } from './session-bus.ts'

const uid = process.getuid?.() ?? 0

function aSocket(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-bus-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'bus')
}

describe.skipIf(!hasDbusDaemon)(`a real bus${hasDbusDaemon ? '' : ` (skipped: no ${DBUS_DAEMON})`}`, () => {
  async function aBus(): Promise<{ env: Record<string, string>; socket: string }> {
    const { address, daemon } = await startBus()
    onTestFinished(() => void daemon.kill())
    const env = { DBUS_SESSION_BUS_ADDRESS: address }
    return { env, socket: socketOf(env) ?? '' }
  }

  it('without a watcher shows no icons', async () => {
    const { env } = await aBus()
    expect(await hasTrayHost(env, uid)).toBe(false)
  })

  it.each([true, false])('with a watcher shows icons when that has a host: %s', async (host) => {
    const { env, socket } = await aBus()
    const leave = await ownWatcher(socket, uid, host)
    onTestFinished(leave)
    expect(await hasTrayHost(env, uid)).toBe(host)
    expect(await hasTrayHost(env, uid)).toBe(host)
  })

  it('refuses another user, which is no tray', async () => {
    const { env, socket } = await aBus()
    onTestFinished(await ownWatcher(socket, uid, true))
    expect(await hasTrayHost(env, uid + 1)).toBe(false)
  })
})

describe('a session', () => {
  it('without a bus, or with one that is gone or silent, shows no icons', async () => {
    const socket = aSocket()
    expect(await hasTrayHost({}, uid)).toBe(false)
    expect(await hasTrayHost({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` }, uid)).toBe(false)
    const silent = createServer(() => undefined).listen(socket)
    onTestFinished(() => void silent.close())
    expect(await hasTrayHost({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` }, uid)).toBe(false)
  })

  it('whose bus sends garbage shows no icons', async () => {
    const socket = aSocket()
    const server = createServer((client) => void client.end(Buffer.alloc(100_000, 7))).listen(socket)
    onTestFinished(() => void server.close())
    expect(await hasTrayHost({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` }, uid)).toBe(false)
  })

  it('has its bus in the runtime folder when no address is set', async () => {
    const socket = aSocket()
    onTestFinished(await startTrayBus(socket))
    expect(await hasTrayHost({ XDG_RUNTIME_DIR: path.dirname(socket) }, uid)).toBe(true)
  })
})

it.each([
  ['unix:path=/run/user/1000/bus', '/run/user/1000/bus'],
  ['unix:path=/tmp/a%20b,guid=1;unix:path=/c', '/tmp/a b'],
  ['unix:abstract=/tmp/dbus-x,guid=1', '\0/tmp/dbus-x'],
  ['unix:path=/tmp/%zz', undefined],
  ['tcp:host=127.0.0.1,port=1', undefined],
])('connects for %s to %j', (DBUS_SESSION_BUS_ADDRESS, socket) => {
  expect(socketOf({ DBUS_SESSION_BUS_ADDRESS })).toBe(socket)
})
