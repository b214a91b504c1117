// The first answer is not yet the editor: what a rogue on the port, the group or the callback receives.
import { createHash } from 'node:crypto'
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NO_PYTHON, ownGroup, startDouble } from './double.fixture.ts'
import { chooseEditor, discoverEditors, openUnrealEditor, type UnrealEditor } from './index.ts'
import { RUNTIME_SHA256 } from './program.ts'

const closing: (() => unknown)[] = []
let project = ''
beforeEach(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'unreal-victim-'))
  await writeFile(path.join(project, 'Victim.uproject'), '{}')
  closing.push(() => rm(project, { recursive: true, force: true }))
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString()
}
function listen(server: Server): Promise<number> {
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    }),
  )
}
function editor(options: Parameters<typeof openUnrealEditor>[0]): UnrealEditor {
  const made = openUnrealEditor({ autoConnect: false, ...options })
  closing.push(() => made.close())
  return made
}

type Received = { readonly op: string; readonly args: Readonly<Record<string, unknown>> }
/** Has all of our program but what it cannot read: the secret in the project's folder. */
function lines(command: string, received: Received[], claim = project): string[] {
  const encoded = /module\.call\('([A-Za-z0-9+/=]+)'\)/.exec(command)?.[1]
  if (encoded === undefined) return [`@gantry loaded 1/1 ${RUNTIME_SHA256}`]
  const request = JSON.parse(Buffer.from(encoded, 'base64').toString())
  received.push({ op: request.op, args: request.args })
  const identity = {
    project: claim,
    project_file: 'Victim.uproject',
    engine: '5.8.0',
    pid: 1,
    level: null,
    features: {},
    playing: false,
    hash: RUNTIME_SHA256,
  }
  const value = request.op === 'identify' ? identity : { proof: createHash('sha256').update('guess').digest('hex') }
  return [`@gantry ${request.id} 1/1 ${JSON.stringify({ id: request.id, value })}`]
}

describe('an impostor on the port of Remote Control (security case PC-12)', () => {
  async function rogue(received: Received[], headers: string[]) {
    const server = createServer((request, response) => {
      headers.push(JSON.stringify(request.headers))
      if (request.url === '/remote/info') {
        response.end(JSON.stringify({ HttpRoutes: [{ Path: '/remote/object/call', Verb: 'Put' }] }))
        return
      }
      void bodyOf(request).then((body) => {
        const { parameters } = JSON.parse(body)
        const LogOutput = lines(parameters.PythonCommand, received).map((Output) => ({ Type: 'Info', Output }))
        response.end(JSON.stringify({ ReturnValue: true, CommandResult: '', LogOutput }))
      })
    })
    return `http://127.0.0.1:${await listen(server)}`
  }

  it('that claims the right project is found out, and has seen neither arguments nor token', async () => {
    const [received, headers]: [Received[], string[]] = [[], []]
    const url = await rogue(received, headers)
    const from = editor({ driver: 'remote-control', url, project, token: 'the-passphrase' })
    const secret = 'Very_Secret_Name'
    const call = from.tools.create_pcg_graph({ name: secret, package_path: '/Game/PCG' }, { actor: 't', source: 'mcp' })
    await expect(call).rejects.toThrow(/disconnected|cannot read that folder/)
    await expect(from.connect()).rejects.toThrow('cannot read that folder')
    expect(new Set(received.map(({ op }) => op))).toEqual(new Set(['identify', 'prove']))
    expect(JSON.stringify(received)).not.toContain(secret)
    expect(headers.join()).not.toContain('the-passphrase')
    // Nothing of the challenge stays behind.
    expect(await readdir(path.join(project, 'Saved', 'PcgBridge'))).toEqual([])
  })

  it('that claims a missing folder is refused', async () => {
    await rm(path.join(project, 'Victim.uproject'))
    const received: Received[] = []
    const from = editor({ driver: 'remote-control', url: await rogue(received, []) })
    await expect(from.connect()).rejects.toThrow('cannot see')
    expect(received.map(({ op }) => op)).toEqual(['identify'])
  })

  it('that is no Remote Control, answers garbage, endless bytes, or a redirect, is not spoken to', async () => {
    const answers = [
      (_request: IncomingMessage, write: (text: string) => void) => write('<html>'),
      (_request: IncomingMessage, write: (text: string) => void) => write('{"HttpRoutes":[]}'),
      (_request: IncomingMessage, write: (text: string) => void) => write('['.repeat(5000)),
    ]
    for (const answer of answers) {
      const seen: string[] = []
      const server = createServer((request, response) => {
        seen.push(`${request.method} ${request.url}`)
        answer(request, (text) => response.end(text))
      })
      const from = editor({ driver: 'remote-control', url: `http://127.0.0.1:${await listen(server)}`, token: 'x' })
      await expect(from.connect()).rejects.toThrow()
      expect(seen).toEqual(['GET /remote/info'])
    }
    const elsewhere: string[] = []
    const target = await listen(
      createServer((request, response) => response.end(elsewhere.push(String(request.url)).toString())),
    )
    const server = createServer((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${target}/remote/info` }).end()
    })
    const from = editor({ driver: 'remote-control', url: `http://127.0.0.1:${await listen(server)}` })
    await expect(from.connect()).rejects.toThrow()
    expect(elsewhere).toEqual([])
  })

  it('that never stops answering is cut off', async () => {
    const server = createServer((_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      const pump = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', pump)
      }
      pump()
    })
    const from = editor({ driver: 'remote-control', url: `http://127.0.0.1:${await listen(server)}` })
    // By its size, or on a busy machine by the time a probe may take.
    await expect(from.connect()).rejects.toThrow(/too much|nothing came back within/)
  })
})

describe('an impostor of remote execution (security case PC-12)', () => {
  function onGroup(group: string, hear: (message: Record<string, unknown>, say: (value: object) => void) => void) {
    const [address = '', port = ''] = group.split(':')
    const socket: UdpSocket = createSocket({ type: 'udp4', reuseAddr: true })
    closing.push(() => socket.close())
    const say = (value: object) =>
      socket.send(JSON.stringify({ version: 1, magic: 'ue_py', source: 'rogue', ...value }), Number(port), address)
    socket.on('message', (datagram) => hear(JSON.parse(datagram.toString()), say))
    return new Promise<void>((resolve) =>
      socket.bind({ address: process.platform === 'win32' ? '127.0.0.1' : address, port: Number(port) }, () => {
        socket.addMembership(address, '127.0.0.1')
        socket.setMulticastInterface('127.0.0.1')
        socket.setMulticastTTL(0)
        resolve()
      }),
    )
  }

  it('that answers first and connects is found out before any argument', async () => {
    const group = ownGroup()
    const received: Received[] = []
    await onGroup(group, (message, say) => {
      const dest = String(message['source'])
      const given = message['data'] as { command_ip: string; command_port: number } | undefined
      if (message['type'] === 'ping')
        say({ type: 'pong', dest, data: { project_root: project, project_name: 'Victim', engine_version: '5.8.0' } })
      if (message['type'] !== 'open_connection' || !given) return
      const tcp = connect(given.command_port, given.command_ip)
      closing.push(() => tcp.destroy())
      let text = ''
      tcp.on('error', () => undefined)
      tcp.on('data', (chunk) => {
        text += chunk.toString()
        try {
          const asked = JSON.parse(text)
          text = ''
          const output = lines(asked.data.command, received).map((line) => ({ type: 'Info', output: line }))
          const answer = { version: 1, magic: 'ue_py', type: 'command_result', source: 'rogue', dest }
          tcp.write(JSON.stringify({ ...answer, data: { success: true, result: '', output } }))
        } catch {
          // Not all of it yet.
        }
      })
    })
    const from = editor({ driver: 'remote-execution', url: `udp://${group}`, project })
    await expect(from.connect()).rejects.toThrow('cannot read that folder')
    expect(new Set(received.map(({ op }) => op))).toEqual(new Set(['identify', 'prove']))
  })

  it('noise on the group does no harm', async () => {
    const group = ownGroup()
    await onGroup(group, (message, say) => {
      if (message['type'] !== 'ping') return
      for (const value of [
        { type: 'pong', version: 2 },
        { type: 'pong', magic: 'other' },
        { type: 'pong', source: '' },
        { type: 'pong', dest: 'another' },
        { type: 'pong', source: 'x'.repeat(5000) },
        { type: 'command_result', data: { success: true } },
      ])
        say(value)
    })
    const from = editor({ driver: 'remote-execution', url: `udp://${group}` })
    await expect(from.connect()).rejects.toThrow('No editor answers')
  })

  it('an address that is no group, and another machine for MCP, are refused', async () => {
    await expect(editor({ driver: 'remote-execution', url: 'udp://10.0.0.1:6766' }).connect()).rejects.toThrow(
      'no multicast group',
    )
    await expect(editor({ driver: 'unreal-mcp', url: 'http://10.0.0.1:8000/mcp' }).connect()).rejects.toThrow(
      'this machine only',
    )
    await expect(editor({ driver: 'remote-control', url: 'https://127.0.0.1:1' }).connect()).rejects.toThrow(
      'plain HTTP',
    )
  })
})

describe.skipIf(NO_PYTHON)(`an impostor on the port of the MCP server${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  it('that says it added a parameter is found out by reading in the editor that was proven', async () => {
    const double = await startDouble({ remoteControl: {}, toolsets: false })
    closing.push(() => double.dispose())
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const { id, method } = body === '' ? { id: 0, method: '' } : JSON.parse(body)
        const result =
          method === 'initialize'
            ? { protocolVersion: '2025-03-26', serverInfo: { name: 'unreal-mcp', version: '5.8' } }
            : { content: [{ type: 'text', text: '{"returnValue":true}' }] }
        response.setHeader('Content-Type', 'application/json')
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      })
    })
    const mcpUrl = `http://127.0.0.1:${await listen(server)}/mcp`
    const from = editor({ driver: 'remote-control', url: double.remoteControl, mcpUrl })
    await from.connect()
    const who = { actor: 't', source: 'mcp' } as const
    const { asset_path } = await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, who)
    const call = from.tools.add_pcg_graph_parameter({ pcg_graph_path: asset_path, name: 'A', type: 'int' }, who)
    await expect(call).rejects.toThrow('is another editor open?')
  })

  it('the real one, restarted, is used again with a new session', async () => {
    const double = await startDouble({ remoteControl: {}, mcp: {}, toolsets: false })
    closing.push(() => double.dispose())
    const from = editor({ driver: 'unreal-mcp', url: double.mcp, remoteControlUrl: double.remoteControl })
    await from.connect()
    const who = { actor: 't', source: 'mcp' } as const
    const make = async (name: string) => {
      const { asset_path } = await from.tools.create_pcg_graph({ name, package_path: '/Game/PCG' }, who)
      return from.tools.add_pcg_graph_parameter({ pcg_graph_path: asset_path, name: 'A', type: 'int' }, who)
    }
    expect(await make('Before')).toMatchObject({ added: true })
    double.kill()
    const port = (url: string) => Number(new URL(url).port)
    const again = await startDouble({
      remoteControl: { port: port(double.remoteControl) },
      mcp: { port: port(double.mcp) },
      toolsets: false,
      project: double.project,
    })
    closing.push(() => again.dispose())
    await from.connect().catch(() => undefined)
    expect(await make('After')).toMatchObject({ added: true })
  })
})

describe.skipIf(NO_PYTHON)(`discovery${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  it('names every editor of this machine once for each way, and takes the best', async () => {
    const group = ownGroup()
    const double = await startDouble({ remoteControl: {}, remoteExecution: { group }, mcp: {} })
    closing.push(() => double.dispose())
    const web = await listen(createServer((_request, response) => response.end('hello')))
    const ports = [double.remoteControl, double.mcp].map((url) => Number(new URL(url).port))
    const found = await discoverEditors({ ports: [...ports, web, 9, ...ports], group })
    expect(found.map(({ driver, url }) => [driver, url])).toEqual([
      ['remote-control', double.remoteControl],
      ['unreal-mcp', double.mcp],
      ['remote-execution', `udp://${group}`],
    ])
    expect(found[2]).toMatchObject({ project: double.project, engine: expect.stringContaining('5.8.0') })
    expect(chooseEditor(found, double.project)?.driver).toBe('remote-control')
    expect(chooseEditor(found.slice(1), '/another')?.driver).toBe('unreal-mcp')
    expect(chooseEditor([])).toBeNull()
  })

  it('the MCP server alone is not enough, and the message names what is', async () => {
    const double = await startDouble({ mcp: {} })
    closing.push(() => double.dispose())
    const options = {
      driver: 'unreal-mcp',
      url: double.mcp,
      remoteControlUrl: 'http://127.0.0.1:9',
      multicastGroup: ownGroup(),
    } as const
    await expect(editor(options).connect()).rejects.toThrow('switch on Remote Control or Python remote execution')
  })

  it('a passphrase goes to an address the user has set, and to no loopback', async ({ skip }) => {
    const own = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal)
    if (!own) skip('skipped: this machine has no address besides loopback')
    const double = await startDouble({
      remoteControl: { passphrase: 'the-passphrase', host: '0.0.0.0', guard_info: true },
    })
    closing.push(() => double.dispose())
    const { port } = new URL(double.remoteControl)
    const far = { driver: 'remote-control', url: `http://${own?.address}:${port}` } as const
    await expect(editor(far).connect()).rejects.toThrow('set it as the token')
    const from = editor({ ...far, token: 'the-passphrase' })
    await from.connect()
    expect(from.connection()).toMatchObject({ status: 'connected', proof: 'address' })
    await expect(
      editor({ driver: 'remote-control', url: double.remoteControl, token: 'the-passphrase' }).connect(),
    ).rejects.toThrow()
  })
})
