// The discovery channel of Python remote execution: JSON datagrams on a multicast group, on this machine only.
import { randomUUID } from 'node:crypto'
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { PcgError } from '../editor/editor.ts'
import { isRecord, type Json, parseBounded } from './bounded-json.ts'
import { isLoopback } from './http.ts'

export const MULTICAST_GROUP = '239.0.0.1:6766'
const LOOPBACK = '127.0.0.1'
const MOST_NODES = 64

export type EditorNode = {
  readonly id: string
  readonly project: string
  readonly projectName: string
  readonly engine: string
  readonly machine: string
}

export function message(type: string, source: string, rest: Json = {}): string {
  return JSON.stringify({ version: 1, magic: 'ue_py', type, source, ...rest })
}

export type Message = { readonly type: string; readonly source: string; readonly data: Json }
/** Only what follows the protocol and is meant for us; everything else on the group is noise. */
export function readMessage(value: unknown, self: string): Message | null {
  if (!isRecord(value) || value['version'] !== 1 || value['magic'] !== 'ue_py') return null
  const { type, source, dest, data } = value
  if (typeof type !== 'string' || typeof source !== 'string' || source === '' || source.length > 200) return null
  if (source === self || (dest !== undefined && dest !== null && dest !== '' && dest !== self)) return null
  return { type, source, data: isRecord(data) ? data : {} }
}

function endpoint(group: string): { address: string; port: number } {
  const [, address = '', port = ''] = /^(\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})$/.exec(group) ?? []
  const first = Number(address.split('.')[0])
  if (!(first >= 224 && first <= 239) || !(Number(port) > 0 && Number(port) < 65536))
    throw new PcgError(
      'INVALID_ARGUMENT',
      `'${group.slice(0, 80)}' is no multicast group: give one such as ${MULTICAST_GROUP}`,
    )
  return { address, port: Number(port) }
}

export type Group = {
  readonly id: string
  /** Everyone who answered in the last seconds. */
  nodes(): readonly EditorNode[]
  send(type: string, rest?: Json): void
  close(): void
}

const GONE_MS = 5000
const PING_MS = 1000

export function joinGroup(group = MULTICAST_GROUP): Promise<Group> {
  const { address, port } = endpoint(group)
  const id = randomUUID()
  const seen = new Map<string, EditorNode & { at: number }>()
  const socket: Socket = createSocket({ type: 'udp4', reuseAddr: true })

  function hear(datagram: Buffer, from: RemoteInfo): void {
    // The group is joined on loopback only; a datagram from elsewhere is not ours.
    if (!isLoopback(from.address)) return
    let message: Message | null = null
    try {
      message = readMessage(parseBounded(datagram.toString('utf8')), id)
    } catch {
      return
    }
    if (message?.type !== 'pong' || (!seen.has(message.source) && seen.size >= MOST_NODES)) return
    const text = (name: string) => String(message.data[name] ?? '').slice(0, 1000)
    seen.set(message.source, {
      id: message.source,
      project: text('project_root'),
      projectName: text('project_name'),
      engine: text('engine_version'),
      machine: text('machine'),
      at: performance.now(),
    })
  }

  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.close()
      reject(
        new PcgError(
          'EDITOR_UNAVAILABLE',
          `Multicast does not work on this machine (${error.message}): use Remote Control`,
        ),
      )
    }
    socket.once('error', fail)
    // Bound to the group itself, the port receives nothing else; Windows cannot bind to a group and takes loopback.
    socket.bind({ address: process.platform === 'win32' ? LOOPBACK : address, port }, () => {
      try {
        socket.addMembership(address, LOOPBACK)
        socket.setMulticastInterface(LOOPBACK)
        socket.setMulticastTTL(0)
        socket.setMulticastLoopback(true)
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
        return
      }
      socket.off('error', fail)
      socket.on('error', () => undefined)
      socket.on('message', hear)
      socket.unref()
      const send = (type: string, rest: Json = {}) =>
        socket.send(message(type, id, rest), port, address, () => undefined)
      const pings = setInterval(() => send('ping'), PING_MS)
      pings.unref()
      send('ping')
      let closed = false
      resolve({
        id,
        nodes: () => [...seen.values()].filter((node) => performance.now() - node.at < GONE_MS),
        send,
        close() {
          if (closed) return
          closed = true
          clearInterval(pings)
          socket.close()
        },
      })
    })
  })
}

export async function discoverNodes(group: string = MULTICAST_GROUP, waitMs = 1200): Promise<readonly EditorNode[]> {
  const joined = await joinGroup(group)
  try {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    return joined.nodes()
  } finally {
    joined.close()
  }
}
