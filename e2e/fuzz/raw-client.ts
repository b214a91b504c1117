// An HTTP client that writes the bytes it is given, in the pieces it is given, and reads every answer that comes back on the connection.
import { connect } from 'node:net'

export type RawAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export type Exchange = {
  readonly answers: readonly RawAnswer[]
  /** Bytes after the last whole answer. */
  readonly rest: string
}

/** The first answer in the bytes and where it ends; undefined while it is incomplete. */
function answerIn(bytes: Buffer, ended: boolean): { answer: RawAnswer; end: number } | undefined {
  const head = bytes.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, head).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1])
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const start = head + 4
  const made = (body: Buffer, end: number) => ({ answer: { status, headers, body: body.toString('utf8') }, end })
  if (status < 200 || status === 204) return made(Buffer.alloc(0), start)
  if (headers['transfer-encoding'] === 'chunked') return chunked(bytes, start, made)
  if (headers['content-length'] === undefined) return ended ? made(bytes.subarray(start), bytes.length) : undefined
  const end = start + Number(headers['content-length'])
  return bytes.length < end ? undefined : made(bytes.subarray(start, end), end)
}

function chunked<T>(bytes: Buffer, start: number, made: (body: Buffer, end: number) => T): T | undefined {
  const pieces: Buffer[] = []
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    const end = line + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return made(Buffer.concat(pieces), end)
    pieces.push(bytes.subarray(line + 2, line + 2 + size))
    at = end
  }
}

export type Sent = {
  readonly port: number
  readonly pieces: readonly Buffer[]
  /** How many whole answers are waited for. */
  readonly answers?: number
  /** Closes the writing side when everything is written. */
  readonly halfClose?: boolean
  /** Stops reading after this long without a byte: for a stream that does not end, and for an answer that never comes. */
  readonly quietMs?: number
}

export function exchange({
  port,
  pieces,
  answers: wanted = 1,
  halfClose = false,
  quietMs = 30_000,
}: Sent): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const answers: RawAnswer[] = []
    let bytes = Buffer.alloc(0)
    const finish = (): void => {
      socket.destroy()
      resolve({ answers, rest: bytes.toString('utf8') })
    }
    const read = (ended: boolean): void => {
      for (let found = answerIn(bytes, ended); found; found = answerIn(bytes, ended)) {
        if (found.answer.status >= 200) answers.push(found.answer)
        bytes = bytes.subarray(found.end)
        if (found.end === 0 || bytes.length === 0) break
      }
      if (ended || answers.length >= wanted) finish()
    }
    socket.setTimeout(quietMs, finish)
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      read(false)
    })
    socket.on('end', () => read(true))
    // A reset is an end: what was answered before it counts.
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? reject(error) : read(true)))
    socket.on('connect', () => void write())
    const write = async (): Promise<void> => {
      for (const piece of pieces) {
        if (socket.destroyed || !socket.writable) return
        socket.write(piece)
        if (pieces.length > 1) await new Promise((next) => setImmediate(next))
      }
      if (halfClose) socket.end()
    }
  })
}

/** Cut at the given places, each modulo the length. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length))
}
