// The port: bound on one address, or for "localhost" on that of each family.
import { lookup } from 'node:dns/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

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

/** Serves the addresses of the name that `main` did not take. They end with it. */
async function bindOthers(main: Server, host: string, taken: AddressInfo, another: () => Server): Promise<void> {
  for (const { address } of await lookup(host, { all: true }).catch(() => [])) {
    if (address === taken.address) continue
    const server = another()
    for (const event of ['request', 'upgrade', 'clientError'] as const)
      server.on(event, (...about: unknown[]) => main.emit(event, ...about))
    main.once('close', () => {
      server.close()
      server.closeAllConnections()
    })
    // A machine may have no such address.
    await bind(server, address, taken.port).catch(() => undefined)
  }
}

export async function listen(main: Server, host: string, port: number, another: () => Server): Promise<Bound> {
  const bound = await bind(main, host, port)
  if (host === 'localhost') await bindOthers(main, host, bound, another)
  return { port: bound.port, url: `http://${hostIn(bound)}:${bound.port}` }
}
