// The port: bound on one address, or for "localhost" on that of each family.

import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'

export type Bound = { readonly port: number; readonly url: string }

const bind = (server: Server, host: string, port: number): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo) // a TCP server has no other kind
    })
  })

/** Where a program of this machine finds it. */
function hostIn({ address, family }: AddressInfo): string {
  if (family === 'IPv6') return `[${address}]`
  return address === '0.0.0.0' ? '127.0.0.1' : address
}

/** Serves the addresses of the name that `main` did not take. */
async function bindOthers(main: Server, host: string, taken: AddressInfo, another: () => Server): Promise<Server[]> {
  const others: Server[] = []
  for (const { address } of await lookup(host, { all: true }).catch(() => [])) {
    if (address === taken.address) continue
    const server = another()
    for (const event of ['request', 'upgrade', 'clientError'] as const)
      server.on(event, (...about: unknown[]) => main.emit(event, ...about))
    // A machine may have no such address.
    await bind(server, address, taken.port).then(
      () => others.push(server),
      () => undefined,
    )
  }
  return others
}

/** Takes no new connection, and keeps those that are open: that of HTTP closes idle ones as well. */
const stopAccepting = (server: Server): unknown => NetServer.prototype.close.call(server)

export function createListener(main: Server, another: () => Server) {
  let others: readonly Server[] = []
  return {
    async listen(host: string, port: number): Promise<Bound> {
      const bound = await bind(main, host, port)
      if (host === 'localhost') others = await bindOthers(main, host, bound, another)
      return { port: bound.port, url: `http://${hostIn(bound)}:${bound.port}` }
    },
    stopAccepting: (): void => [main, ...others].forEach(stopAccepting),
    /** Once no connection of the main one is left. */
    async close(): Promise<void> {
      await once(main.close(), 'close')
      for (const server of others) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}
