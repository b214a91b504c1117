// Python over remote execution: the editor is found by multicast, receives an address to connect to, and one text at a time.

import { createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { PcgError } from '../editor/editor.ts'
import { createObjectReader, isRecord } from './bounded-json.ts'
import { type Carrier, UNKNOWN_OUTCOME } from './carrier.ts'
import { isLoopback } from './http.ts'
import { type EditorNode, type Group, joinGroup, MULTICAST_GROUP, message, readMessage } from './multicast.ts'

const LOOPBACK = '127.0.0.1'
const FIND_MS = 3000
const REPEAT_MS = 500
const CONNECT_MS = 5000

export type RemoteExecutionOptions = {
  readonly group?: string
  /** Folder of the project, when several editors are open. */
  readonly project?: string
  readonly onGone: (reason: string) => void
}

function sameFolder(a: string, b: string): boolean {
  const plain = (folder: string) =>
    path
      .resolve(folder)
      .replaceAll('\\', '/')
      .replace(/(?<!\/)\/+$/, '')
      .toLowerCase()
  return plain(a) === plain(b)
}

function choose(nodes: readonly EditorNode[], project: string | undefined): EditorNode | null {
  const fitting = project === undefined ? nodes : nodes.filter((node) => sameFolder(node.project, project))
  if (fitting.length > 1)
    throw new PcgError(
      'EDITOR_UNAVAILABLE',
      `Several editors answer. Set the project of this editor to one of: ${fitting.map((node) => node.project).join(', ')}`,
    )
  return fitting[0] ?? null
}

async function find(joined: Group, project: string | undefined): Promise<EditorNode> {
  const until = performance.now() + FIND_MS
  // Waits for all answers to the first ping before it chooses one.
  for (let rest = REPEAT_MS; performance.now() < until; rest = 100) {
    await new Promise((resolve) => setTimeout(resolve, rest))
    const found = choose(joined.nodes(), project)
    if (found) return found
  }
  const others = joined.nodes().map((node) => node.project)
  throw new PcgError(
    'EDITOR_UNAVAILABLE',
    others.length > 0
      ? `No editor of ${project} answers; open are: ${others.join(', ')}`
      : 'No editor answers on the multicast group: open it and switch on Project Settings > Plugins > Python > Enable Remote Execution',
  )
}

/** The editor connects to us: port 0, so that no other tool is on it. */
function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, LOOPBACK, () => resolve(server))
    server.unref()
  })
}

async function accept(joined: Group, node: EditorNode): Promise<Socket> {
  const server = await listen()
  const address = server.address()
  const command_port = typeof address === 'object' && address ? address.port : 0
  const ask = () => joined.send('open_connection', { dest: node.id, data: { command_ip: LOOPBACK, command_port } })
  const repeat = setInterval(ask, REPEAT_MS)
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const deadline = setTimeout(
        () =>
          reject(
            new PcgError(
              'EDITOR_UNAVAILABLE',
              `The editor of ${node.project} did not connect: it may be busy or firewalled`,
            ),
          ),
        CONNECT_MS,
      )
      server.on('connection', (socket) => {
        if (!isLoopback(socket.remoteAddress ?? '')) {
          socket.destroy()
          return
        }
        clearTimeout(deadline)
        resolve(socket)
      })
      ask()
    })
  } finally {
    clearInterval(repeat)
    server.close()
  }
}

function linesOf(data: Readonly<Record<string, unknown>>): readonly string[] {
  const log = Array.isArray(data['output']) ? data['output'] : []
  const lines = log.flatMap((entry) => (isRecord(entry) ? String(entry['output'] ?? '').split(/\r?\n/) : []))
  if (data['success'] !== true && !lines.some((line) => line.includes('@gantry ')))
    throw new PcgError(
      'EDITOR_ERROR',
      `Python in the editor failed: ${String(data['result'] ?? '')
        .trim()
        .slice(-400)}`,
    )
  return lines
}

type Waiting = { readonly resolve: (lines: readonly string[]) => void; readonly reject: (error: Error) => void }

export async function openRemoteExecution(options: RemoteExecutionOptions): Promise<Carrier> {
  const joined = await joinGroup(options.group ?? MULTICAST_GROUP)
  let socket: Socket
  let node: EditorNode
  try {
    node = await find(joined, options.project)
    socket = await accept(joined, node)
  } catch (error) {
    joined.close()
    throw error
  }
  const reader = createObjectReader()
  const waiting: Waiting[] = []
  let over = false

  function end(reason: string): void {
    if (over) return
    over = true
    joined.send('close_connection', { dest: node.id })
    joined.close()
    socket.destroy()
    for (const { reject } of waiting.splice(0))
      reject(new PcgError('EDITOR_UNAVAILABLE', `${reason}. ${UNKNOWN_OUTCOME}`))
    options.onGone(reason)
  }

  socket.setNoDelay(true)
  socket.unref()
  socket.on('error', () => end('The editor closed the connection'))
  socket.on('close', () => end('The editor closed the connection'))
  socket.on('data', (chunk) => {
    try {
      for (const value of reader.push(chunk)) {
        const message = readMessage(value, joined.id)
        if (message?.type !== 'command_result' || message.source !== node.id) continue
        const next = waiting.shift()
        if (waiting.length === 0) socket.unref()
        try {
          next?.resolve(linesOf(message.data))
        } catch (error) {
          next?.reject(error instanceof Error ? error : new Error(String(error)))
        }
      }
    } catch (error) {
      end(error instanceof Error ? error.message : 'The editor sent something that is not its protocol')
    }
  })
  return {
    kind: 'remote-execution',
    address: `udp://${options.group ?? MULTICAST_GROUP} (${node.project})`,
    local: true,
    run(program) {
      return new Promise((resolve, reject) => {
        if (over) {
          reject(new PcgError('EDITOR_UNAVAILABLE', 'The editor closed the connection'))
          return
        }
        waiting.push({ resolve, reject })
        socket.ref()
        const data = { command: program, unattended: true, exec_mode: 'ExecuteFile' }
        socket.write(message('command', joined.id, { dest: node.id, data }))
      })
    },
    close: () => end('The connection was closed'),
  }
}
