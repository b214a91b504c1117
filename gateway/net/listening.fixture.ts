// A server of a test on a free port.
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'

export type Listening = { readonly port: number; readonly url: string; readonly close: () => Promise<void> }

/** `close` also ends open connections: a client that keeps one alive must not hold up the end. */
export async function listening(
  server: Server | (Server & Pick<HttpServer, 'closeAllConnections'>),
  host = '127.0.0.1',
): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  const { port } = address
  return {
    port,
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  }
}
