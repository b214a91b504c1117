// Whether a port of this machine is free, and which program holds it where the system reports it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'

/** Tried, not asked for: nothing is ever sent to the program that holds it. */
export function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

const LISTENS = '0A'

/** Linux names the socket of a port in one table, and the holder of a socket by a link; other systems by programs only. */
export function holderOf(port: number, proc = '/proc'): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const sockets = ['tcp', 'tcp6'].flatMap((table) =>
    linesOf(`${proc}/net/${table}`).flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
      return state === LISTENS && local.endsWith(`:${hex}`) ? [`socket:[${inode}]`] : []
    }),
  )
  if (sockets.length === 0) return undefined
  const pid = namesIn(proc).find(
    (name) => /^\d+$/.test(name) && linksIn(`${proc}/${name}/fd`).some((link) => sockets.includes(link)),
  )
  if (pid === undefined) return undefined
  const name = linesOf(`${proc}/${pid}/comm`)[0] ?? ''
  return `${name.replaceAll(/[^\x20-\x7e]/g, '?') || 'a program'} (process ${pid})`
}

/** What cannot be read is another user's, or has just ended. */
function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
const linesOf = (file: string): readonly string[] => readOr(() => readFileSync(file, 'utf8').split('\n'), [])
const namesIn = (folder: string): readonly string[] => readOr(() => readdirSync(folder), [])
const linksIn = (folder: string): readonly string[] =>
  namesIn(folder).map((name) => readOr(() => readlinkSync(`${folder}/${name}`), ''))
