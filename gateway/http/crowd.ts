// Too many connections at once: past half of the files this process may open, newcomers are told to come again, so that the other half is there for what it serves.
import type { Server } from 'node:http'

export type CrowdLimits = {
  /** The files this process may have open; sockets are among them. */
  readonly files: number
  /** Of connections that are no open stream: what waits longer than this queue is better told so. */
  readonly queue: number
}

export type Crowd = {
  /** Whether whoever asks now is one too many. */
  readonly tooMany: () => boolean
}

export const QUEUE = 8_192
/** Of the files: beyond the first, requests are refused in words; beyond the second, connections are not taken at all. */
const REFUSED_ABOVE = 1 / 2
const DROPPED_ABOVE = 5 / 8

/** What the system allows, where it says so. */
export function openFilesLimit(): number {
  // Without it, the names of all who are connected would be looked up, one after another.
  Object.assign(process.report, { excludeNetwork: true })
  // Node types a report as an object of anything.
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' && soft > 0 ? soft : Number.POSITIVE_INFINITY
}

export function createCrowd(server: Server, { files, queue }: CrowdLimits, streams: () => number): Crowd {
  let open = 0
  if (files !== Number.POSITIVE_INFINITY) server.maxConnections = Math.floor(files * DROPPED_ABOVE)
  server.on('connection', (socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
  })
  return { tooMany: () => open > files * REFUSED_ABOVE || open - streams() > queue }
}
