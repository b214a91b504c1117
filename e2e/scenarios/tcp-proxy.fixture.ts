// A TCP proxy between a gateway and its database server, which a test can cut, hold or slow down.
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export type TcpProxy = {
  readonly port: number
  /** Where the server sees its connections come from. */
  ports(): readonly number[]
  /** Ends every connection, and refuses new ones until `restore`. */
  cut(): void
  /** Connections stay, and nothing passes any more: a network that drops packets. */
  hold(): void
  /** Each piece of data waits this long, in either direction. */
  slow(ms: number): void
  restore(): void
  close(): Promise<void>
}

export async function startProxy(toPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const upstreams = new Set<Socket>()
  let refuses = false
  let delayMs = 0
  let held: PromiseWithResolvers<void> | undefined

  async function pump(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from) {
        if (held) await held.promise
        if (delayMs > 0) await pause(delayMs)
        if (!to.destroyed && !to.write(chunk))
          await new Promise((resolve) => to.once('drain', resolve).once('close', resolve))
      }
    } catch {
      // Cut: the other side ends as well.
    }
    to.destroy()
  }

  const server = createServer((client) => {
    if (refuses) {
      client.destroy()
      return
    }
    const upstream = connect(toPort, '127.0.0.1')
    upstreams.add(upstream)
    upstream.once('close', () => upstreams.delete(upstream))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => sockets.delete(socket))
    }
    void pump(client, upstream)
    void pump(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')

  const proxy: TcpProxy = {
    port: address.port,
    ports: () => [...upstreams].flatMap(({ localPort }) => (localPort === undefined ? [] : [localPort])),
    cut() {
      refuses = true
      for (const socket of sockets) socket.destroy()
    },
    hold() {
      held ??= Promise.withResolvers()
    },
    slow(ms) {
      delayMs = ms
    },
    restore() {
      refuses = false
      delayMs = 0
      held?.resolve()
      held = undefined
    },
    async close() {
      proxy.cut()
      held?.resolve()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
