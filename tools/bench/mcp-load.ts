// Calls over raw sockets, as cheap as they can be made, and the CPU time a server spends on them.
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { wait } from './server.ts'

export type LoadTarget = {
  readonly url: string
  readonly pid: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}
export type Load = {
  readonly connections: number
  readonly calls: number
  /** Calls a second, over all connections; without it each calls again at once. */
  readonly rate?: number
  readonly method?: 'tools/call' | 'tools/list'
}
export type Measured = { readonly cpuUs: number; readonly p50: number; readonly p99: number }

/** CPU time of all threads of a process, to the nanosecond; Linux only, NaN elsewhere. */
export function cpuMicroseconds(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const nanoseconds = (thread: string): number =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ', 1)[0])
    return threads.reduce((sum, thread) => sum + nanoseconds(thread), 0) / 1_000
  } catch {
    return Number.NaN
  }
}

type Answer = { readonly status: number; readonly head: string; readonly body: string }

const CLOSED: Answer = { status: 0, head: '', body: 'the connection is closed' }

/** One keep-alive connection with one request under way. */
export class Connection {
  private readonly target: LoadTarget
  private readonly socket: Socket
  private text = ''
  private settle: ((answer: Answer) => void) | undefined
  private session = ''

  constructor(target: LoadTarget) {
    this.target = target
    const { hostname, port } = new URL(target.url)
    this.socket = connect(Number(port), hostname)
    this.socket.setNoDelay(true)
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => this.settle?.(CLOSED))
    this.socket.on('data', (chunk) => this.read(chunk.toString('latin1')))
  }

  private read(chunk: string): void {
    this.text += chunk
    const end = this.text.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.text.slice(0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (this.text.length < end + 4 + length) return
    const body = this.text.slice(end + 4)
    this.text = ''
    this.settle?.({ status: Number(head.slice(9, 12)), head, body })
  }

  private head(method: string): string {
    const { url, path, headers } = this.target
    const more = Object.entries({ ...headers, ...(this.session === '' ? {} : { 'mcp-session-id': this.session }) })
    return `${method} ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n${more.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`
  }

  post(body: string): Promise<Answer> {
    const head = `${this.head('POST')}content-type: application/json\r\naccept: application/json, text/event-stream\r\n`
    return new Promise((resolve) => {
      if (this.socket.destroyed) {
        resolve(CLOSED)
        return
      }
      this.settle = resolve
      this.socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
    })
  }

  async open(): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
    const { status, head } = await this.post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }))
    if (status !== 200) throw new Error(`initialize answered ${status}`)
    this.session = /mcp-session-id: (\S+)/i.exec(head)?.[1] ?? ''
  }

  /** The stream from server to client, held from now on. */
  hold(): Promise<void> {
    return new Promise((resolve) => {
      this.socket.once('data', () => resolve())
      this.socket.write(`${this.head('GET')}accept: text/event-stream\r\n\r\n`)
    })
  }

  /** Another connection of the same session. */
  beside(): Connection {
    const other = new Connection(this.target)
    other.session = this.session
    return other
  }

  close(): void {
    this.socket.destroy()
  }
}

let id = 0

async function once(connection: Connection, method: string): Promise<void> {
  id += 1
  const params = method === 'tools/call' ? { name: 'get_item', arguments: { id } } : {}
  const { status, body } = await connection.post(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  if (status !== 200 || body.includes('"isError":true')) throw new Error(`${method} answered ${status}: ${body}`)
}

export async function measure(target: LoadTarget, load: Load): Promise<Measured> {
  const { connections, calls, rate, method = 'tools/call' } = load
  const all = Array.from({ length: connections }, () => new Connection(target))
  for (const connection of all) await connection.open()
  const times: number[] = []
  const before = cpuMicroseconds(target.pid)
  let left = calls
  const started = performance.now()
  const due = (): number => (rate === undefined ? performance.now() : started + ((calls - left) * 1_000) / rate)
  await Promise.all(
    all.map(async (connection) => {
      while (left > 0) {
        const from = due()
        left -= 1
        // What it waits for its turn counts as well: a late call is not spared.
        if (from > performance.now()) await wait(from - performance.now())
        await once(connection, method)
        times.push(performance.now() - from)
      }
    }),
  )
  const cpuUs = (cpuMicroseconds(target.pid) - before) / calls
  for (const connection of all) connection.close()
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN
  return { cpuUs, p50: at(0.5), p99: at(0.99) }
}
