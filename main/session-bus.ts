// Asks the session bus of a Linux desktop whether it shows tray icons: one D-Bus property, by the D-Bus Specification.
import { createConnection } from 'node:net'
import path from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

const WATCHER = 'org.kde.StatusNotifierWatcher'
const TIMEOUT_MS = 1_000
/** Larger than any response here. */
const MAX_BYTES = 65_536

const METHOD_CALL = 1
const METHOD_RETURN = 2
const SIGNAL = 4
const NO_AUTO_START = 2
/** Before the header fields: byte order, type, flags, version, body length, serial, length of the fields. */
const FIXED_BYTES = 16

const aligned = (length: number, to: number): number => Math.ceil(length / to) * to
const padded = (bytes: Buffer, to: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length, to) - bytes.length)])
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const text = (value: string): Buffer => Buffer.concat([uint32(Buffer.byteLength(value)), Buffer.from(`${value}\0`)])

/** A header field: its code, the signature of its variant, its value. */
function field(code: number, signature: 'o' | 's' | 'g', value: string): Buffer {
  const bytes = signature === 'g' ? Buffer.from(`${String.fromCharCode(value.length)}${value}\0`) : text(value)
  return Buffer.concat([Buffer.from([code, 1, signature.charCodeAt(0), 0]), bytes])
}

type Call = { readonly to: string; readonly at: string; readonly method: readonly [iface: string, member: string] }

function callMessage(serial: number, { to, at, method: [iface, member] }: Call, args: readonly string[] = []): Buffer {
  const body = args.reduce((bytes, each) => Buffer.concat([padded(bytes, 4), text(each)]), Buffer.alloc(0))
  const fields = [field(1, 'o', at), field(2, 's', iface), field(3, 's', member), field(6, 's', to)]
  if (args.length > 0) fields.push(field(8, 'g', 's'.repeat(args.length)))
  const array = Buffer.concat(fields.map((each, index) => (index < fields.length - 1 ? padded(each, 8) : each)))
  const start = Buffer.concat([
    Buffer.from(['l'.charCodeAt(0), METHOD_CALL, NO_AUTO_START, 1]),
    uint32(body.length),
    uint32(serial),
    uint32(array.length),
  ])
  return Buffer.concat([padded(Buffer.concat([start, array]), 8), body])
}

const BUS = { to: 'org.freedesktop.DBus', at: '/org/freedesktop/DBus' } as const
const HELLO = callMessage(1, { ...BUS, method: [BUS.to, 'Hello'] })
const HAS_HOST = callMessage(
  2,
  { to: WATCHER, at: '/StatusNotifierWatcher', method: ['org.freedesktop.DBus.Properties', 'Get'] },
  [WATCHER, 'IsStatusNotifierHostRegistered'],
)

/** The complete messages at the start of the bytes. */
function* messagesIn(bytes: Buffer): Generator<{ readonly type: number; readonly body: Buffer }> {
  let rest = bytes
  while (rest.length >= FIXED_BYTES) {
    const header = aligned(FIXED_BYTES + rest.readUInt32LE(12), 8)
    const end = header + rest.readUInt32LE(4)
    if (rest.length < end) return
    yield { type: rest.readUInt8(1), body: rest.subarray(header, end) }
    rest = rest.subarray(end)
  }
}

/** Undefined until the second response, which is that of the property. */
function answerIn(bytes: Buffer): boolean | undefined {
  const responses = [...messagesIn(bytes)].filter(({ type }) => type !== SIGNAL)
  const [, answer] = responses
  // The body is a variant of a boolean: its signature, padding, and the value as four bytes.
  return answer && answer.type === METHOD_RETURN && answer.body.length >= 8 && answer.body.readUInt32LE(4) === 1
}

/** Of `unix:path=…` or `unix:abstract=…`; the first address of a list. */
export function socketOf({ DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR }: Environment): string | undefined {
  if (!DBUS_SESSION_BUS_ADDRESS) return XDG_RUNTIME_DIR ? path.join(XDG_RUNTIME_DIR, 'bus') : undefined
  const [first = ''] = DBUS_SESSION_BUS_ADDRESS.split(';')
  const [, kind, value = ''] = /^unix:(path|abstract)=([^,]*)/.exec(first) ?? []
  if (kind === undefined) return undefined
  try {
    return (kind === 'abstract' ? '\0' : '') + decodeURIComponent(value)
  } catch {
    return undefined
  }
}

export function hasTrayHost(env: Environment, uid: number): Promise<boolean> {
  const socket = socketOf(env)
  if (socket === undefined) return Promise.resolve(false)
  return new Promise((resolve) => {
    const bus = createConnection({ path: socket })
    const end = (answer: boolean): void => {
      resolve(answer)
      bus.destroy()
    }
    let received = Buffer.alloc(0)
    let accepted = false
    bus.setTimeout(TIMEOUT_MS, () => end(false))
    bus.on('error', () => end(false))
    bus.on('close', () => resolve(false))
    bus.on('connect', () => bus.write(`\0AUTH EXTERNAL ${Buffer.from(String(uid)).toString('hex')}\r\n`))
    bus.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (received.length > MAX_BYTES) return end(false)
      if (!accepted) {
        const line = received.indexOf('\r\n')
        if (line < 0) return
        if (!received.subarray(0, line).toString('latin1').startsWith('OK ')) return end(false)
        accepted = true
        received = received.subarray(line + 2)
        bus.write(Buffer.concat([Buffer.from('BEGIN\r\n'), HELLO, HAS_HOST]))
      }
      const answer = answerIn(received)
      if (answer !== undefined) end(answer)
    })
  })
}
