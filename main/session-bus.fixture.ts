// Session buses for tests: a stand-in that shows tray icons, and a tray host on a real dbus-daemon.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { endedWithUs } from '../tools/ended-with.ts'

export const DBUS_DAEMON = '/usr/bin/dbus-daemon'
export const hasDbusDaemon = existsSync(DBUS_DAEMON)

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
/** A variant of a boolean. */
const variant = (value: boolean): Buffer => Buffer.concat([Buffer.from('\x01b\0\0'), uint32(value ? 1 : 0)])
/** A method return without header fields. */
const bareReturn = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from('l\x02\x01\x01'), uint32(body.length), uint32(1), uint32(0), body])

/** Accepts every client and answers that there is a tray. Returns how to stop it. */
export async function startTrayBus(socket: string): Promise<() => void> {
  const server = createServer((client) => {
    client.on('error', () => undefined)
    client.on('data', (chunk) => {
      const received = chunk.toString('latin1')
      if (received.startsWith('\0AUTH EXTERNAL ')) client.write('OK 0123\r\n')
      if (received.includes('BEGIN'))
        client.write(Buffer.concat([bareReturn(Buffer.alloc(0)), bareReturn(variant(true))]))
    })
  })
  server.listen(socket)
  await once(server, 'listening')
  return () => void server.close()
}

/** The address of a real bus, and its process. */
export async function startBus(): Promise<{ readonly address: string; readonly daemon: ChildProcess }> {
  const daemon = spawn(DBUS_DAEMON, ['--session', '--print-address=1', '--nofork'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  endedWithUs(daemon)
  const [line] = await once(daemon.stdout, 'data')
  return { address: String(line).trim(), daemon }
}

/** Owns the name of the tray's watcher on a real bus, and answers each call with the value. */
export async function ownWatcher(socket: string, uid: number, value: boolean): Promise<() => void> {
  const client = createConnection({ path: socket })
  client.on('error', () => undefined)
  await once(client, 'connect')
  client.write(`\0AUTH EXTERNAL ${Buffer.from(String(uid)).toString('hex')}\r\n`)
  await once(client, 'data')
  client.write(Buffer.concat([Buffer.from('BEGIN\r\n'), call(1, 'Hello'), call(2, 'RequestName')]))
  const owned = new Promise<void>((resolve) =>
    client.on('data', (chunk) => {
      if (chunk.includes('NameAcquired') && chunk.includes('org.kde.StatusNotifierWatcher')) resolve()
      // A call by another client; this sends one message at a time.
      if (chunk[1] === 1) client.write(reply(chunk, value))
    }),
  )
  await owned
  return () => client.destroy()
}

const text = (value: string): Buffer => Buffer.concat([uint32(value.length), Buffer.from(`${value}\0`)])
const pad = (bytes: Buffer, to: number): Buffer => Buffer.concat([bytes, Buffer.alloc((to - (bytes.length % to)) % to)])
const field = (code: number, signature: string, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([code, 1, signature.charCodeAt(0), 0]), value])

function message(type: number, serial: number, fields: readonly Buffer[], body: Buffer): Buffer {
  const array = Buffer.concat(fields.map((each, at) => (at < fields.length - 1 ? pad(each, 8) : each)))
  const start = Buffer.concat([
    Buffer.from(['l'.charCodeAt(0), type, 0, 1]),
    uint32(body.length),
    uint32(serial),
    uint32(array.length),
    array,
  ])
  return Buffer.concat([pad(start, 8), body])
}

function call(serial: number, member: string): Buffer {
  const body =
    member === 'RequestName'
      ? Buffer.concat([pad(text('org.kde.StatusNotifierWatcher'), 4), uint32(0)])
      : Buffer.alloc(0)
  const to = [
    field(1, 'o', text('/org/freedesktop/DBus')),
    field(2, 's', text('org.freedesktop.DBus')),
    field(3, 's', text(member)),
    field(6, 's', text('org.freedesktop.DBus')),
  ]
  return message(1, serial, body.length > 0 ? [...to, field(8, 'g', Buffer.from('\x02su\0'))] : to, body)
}

function reply(called: Buffer, value: boolean): Buffer {
  const sender =
    called
      .toString('latin1')
      .match(/:1\.\d+/g)
      ?.at(-1) ?? ''
  const fields = [
    field(5, 'u', uint32(called.readUInt32LE(8))),
    field(6, 's', text(sender)),
    field(8, 'g', Buffer.from('\x01v\0')),
  ]
  return message(2, 3, fields, variant(value))
}
