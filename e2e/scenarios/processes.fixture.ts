// One gateway of several processes on one port, and a door to each of them: the port itself takes turns.
import { readdirSync, readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, vi } from 'vitest'
import { aShopProcess } from './data-plane.fixture.ts'
import { ADMIN_KEY, type Ends, type Env, type Gateway, onLinux, speaksTo } from './gateway.fixture.ts'
import type { GatewayProcess } from './gateway-process.fixture.ts'

/** A process of a gateway, by its name. */
export type OneOf = Gateway & { readonly name: string; readonly signal: (signal: NodeJS.Signals) => void }

const SOON = { timeout: 60_000, interval: 50 }
const SILENT_MS = 2000

/** The processes that live, by name. Linux only. */
export function pidsOf({ pid: parent }: Pick<GatewayProcess, 'pid'>): ReadonlyMap<string, number> {
  if (!onLinux) throw new Error('Processes are found in /proc')
  const found = new Map<string, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const [, , ppid] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /, ') ')
        .split(' ')
      if (Number(ppid) !== parent) continue
      const given = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      const process = given.find((argument) => argument.startsWith('--process='))
      if (process !== undefined) found.set(process.slice('--process='.length), Number(name))
    } catch {
      // It ended in this moment.
    }
  }
  return found
}

export const isRunning = (pid: number): boolean => {
  try {
    // One that has ended and was not waited for is no process.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The name of the process at the other end of a connection. */
async function nameAt(socket: Socket): Promise<string | undefined> {
  socket.write(`GET /admin-api/instances HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${ADMIN_KEY}\r\n\r\n`)
  let text = ''
  for (;;) {
    const chunk = await new Promise<Buffer | undefined>((resolve) => {
      socket.once('data', resolve).once('close', () => resolve(undefined))
    })
    if (chunk === undefined) return undefined
    text += chunk.toString()
    const [head = '', body] = text.split('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (body === undefined || Buffer.byteLength(body) < length) continue
    const { items } = JSON.parse(body) as { items: { id: string; self: boolean }[] } // by the contract
    return items.find(({ self }) => self)?.id
  }
}

/** A connection of the one port that this process has. */
async function connectionTo(port: number, name: string): Promise<Socket> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    // One that a frozen process was given says nothing until it goes on.
    if ((await Promise.race([nameAt(socket), pause(SILENT_MS, undefined, { ref: false })])) === name) return socket
    socket.destroy()
    await pause(5)
  }
}

/** A port whose connections all are those of one process. */
async function aDoorTo(gateway: GatewayProcess, name: string, ends: Ends): Promise<string> {
  const port = Number(new URL(gateway.url).port)
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client)
    client.on('error', () => undefined).pause()
    void connectionTo(port, name).then((upstream) => {
      open.add(upstream)
      client.pipe(upstream).pipe(client)
      client.once('close', () => upstream.destroy())
      upstream.once('close', () => client.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The door has no port')
  return `http://127.0.0.1:${address.port}`
}

/** Each has seen the others, as before it sends them anything. */
export async function meet(all: readonly Gateway[]): Promise<void> {
  const known = async (each: Gateway): Promise<unknown> => (await each.ask('/readyz?for=traffic')).json
  for (const each of all)
    await vi.waitFor(async () => expect(await known(each)).toMatchObject({ fleet: { instances: all.length } }), SOON)
}

/** Of `count` processes, each of which sees the others. */
export async function aGatewayOfProcesses(
  env: Env,
  count: number,
  folder?: string,
  ends: Ends = onTestFinished,
): Promise<{ readonly gateway: GatewayProcess; readonly all: readonly OneOf[] }> {
  const gateway = await aShopProcess(
    // A door has another port.
    { INSTANCE_ID: 'one', ALLOWED_HOSTS: '127.0.0.1', ...env, INSTANCES: String(count) },
    folder,
    ends,
  )
  // However the test ends: a parent that is killed leaves processes that stop by themselves, and later than their folder.
  const started = [...pidsOf(gateway).values()]
  ends(async () => {
    await gateway.stop()
    await vi.waitFor(() => expect(started.filter(isRunning)).toEqual([]), SOON)
  })
  const all = await Promise.all(
    Array.from({ length: count }, async (_none, at): Promise<OneOf> => {
      const name = `one-${at + 1}`
      const url = await aDoorTo(gateway, name, ends)
      const pid = (): number => pidsOf(gateway).get(name) ?? Number.NaN
      const signal = (what: NodeJS.Signals): void => void process.kill(pid(), what)
      const end = async (): Promise<void> => {
        const ended = pid()
        signal('SIGKILL')
        await vi.waitFor(() => expect(isRunning(ended)).toBe(false), SOON)
      }
      return { ...gateway, url, ...speaksTo(url), name, signal, end }
    }),
  )
  await meet(all)
  return { gateway, all }
}
