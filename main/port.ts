// The port agents know, or the next free one while another program holds it.
import { createServer } from 'node:net'

const HOST = '127.0.0.1'
/** So many ports are tried; more would be a machine that has another problem. */
const TRIES = 20

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host: HOST, port }, () => probe.close(() => resolve(true)))
  })
}

export async function freePort(wanted: number): Promise<number> {
  const last = Math.min(wanted + TRIES - 1, 65_535)
  for (let port = wanted; port <= last; port++) if (await isFree(port)) return port
  throw new Error(`Other programs use every port from ${wanted} to ${last}. Choose another in Settings → This app.`)
}
