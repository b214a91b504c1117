// Too many connections at once: past what the files of this process allow, new ones are asked to come again, so that files remain for those that are served.
import type { Server } from 'node:http'

export type ConnectionLimits = {
  /** The files this process may have open; sockets are among them. */
  readonly files: number
  /** Of connections that are no open stream: what would wait longer than this queue is better refused. */
  readonly queue: number
}

export type ConnectionLimit = {
  /** Whether the present request is one too many. */
  readonly tooMany: () => boolean
}

export const QUEUE = 8_192
/** Beyond this many connections requests are refused in words: half of few files are kept back, and of many what backends can need. */
export const refusedAbove = (files: number): number => files - Math.min(files / 2, 4_096)
/** Beyond this many, connections are not taken at all. */
const droppedAbove = (files: number): number => files - Math.min((files * 3) / 8, 3_072)

let openFiles: number | undefined

/** The system's limit, where it reports one. A report takes 15 ms. */
export const openFilesLimit = (): number => (openFiles ??= reportedLimit())

function reportedLimit(): number {
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
