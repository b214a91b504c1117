// Too many connections at once: past what the files of this process allow, newcomers are told to come again, so that there are files left for what is served.
import type { Server } from 'node:http'

export type ConnectionLimits = {
  /** The files this process may have open; sockets are among them. */
  readonly files: number
  /** Of connections that are no open stream: what waits longer than this queue is better told so. */
  readonly queue: number
}

export type ConnectionLimit = {
  /** Whether whoever asks now is one too many. */
  readonly tooMany: () => boolean
}

export const QUEUE = 8_192
/** Beyond this many connections requests are refused in words: half of few files are kept back, and of many what backends can need. */
export const refusedAbove = (files: number): number => files - Math.min(files / 2, 4_096)
/** Beyond this many, connections are not taken at all. */
const droppedAbove = (files: number): number => files - Math.min((files * 3) / 8, 3_072)

/** What the system allows, where it says so. */
export function openFilesLimit(): number {
  // Without it, the names of all who are connected would be looked up, one after another.
  Object.assign(process.report, { excludeNetwork: true })
  // Node types a report as an object of anything.
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' && soft > 0 ? soft : Number.POSITIVE_INFINITY
}

export function createConnectionLimit(
  server: Server,
  { files, queue }: ConnectionLimits,
  streams: () => number,
): ConnectionLimit {
  const limit = refusedAbove(files)
  let open = 0
  if (files !== Number.POSITIVE_INFINITY) server.maxConnections = Math.floor(droppedAbove(files))
  server.on('connection', (socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
  })
  return { tooMany: () => open > limit || open - streams() > queue }
}
