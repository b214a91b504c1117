// A port for a server that cannot choose its own.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections: other tests open thousands of those. */
const [LEAST, MOST] = [12_000, 30_000]

/** Free when it was tried. */
export async function serverPort(): Promise<number> {
  for (;;) {
    const port = randomInt(LEAST, MOST)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('listening', () => resolve(true)).once('error', () => resolve(false))
    })
    if (!isFree) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}
