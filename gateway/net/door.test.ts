// The door of a sandboxed program over real sockets: HTTP CONNECT, plain HTTP and SOCKS5, its hosts, and the outbound rules.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttp, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isListed, openDoor, type Passage } from './door.ts'
import { createOutbound } from './outbound.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'gantry-door-'))
const socketPath = path.join(folder, 's')
const passages: Passage[] = []
/** Answers each line with itself. */
const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket))
const web = createHttp((asked, response) => response.end(`${asked.method} ${asked.headers.host} ${asked.url}`))
const outbound = createOutbound({
  allowPrivate: true,
  connections: 1,
  resolve: async (name) => (name === 'metadata.test' ? ['169.254.169.254'] : ['127.0.0.1']),
})
let door: Awaited<ReturnType<typeof openDoor>>
let [echoPort, webPort] = [0, 0]

const listening = (server: typeof echo | typeof web): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))

beforeAll(async () => {
  echoPort = await listening(echo)
  webPort = await listening(web)
  door = await openDoor({
    path: socketPath,
    hosts: [`*.test:${echoPort}`, `web.test:${webPort}`, 'metadata.test'],
    pin: outbound.pin,
    onPassage: (passage) => passages.push(passage),
    clock: { now: () => 0 },
  })
})
afterAll(async () => {
  await door.close()
  await outbound.close()
  echo.close()
  web.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Sends this and collects until so many bytes came, or the end. */
function exchange(socket: Socket, bytes: Buffer | string, enough: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let found = Buffer.alloc(0)
    const done = (): void => {
      socket.off('data', more)
      resolve(found)
    }
    const more = (chunk: Buffer): void => {
      found = Buffer.concat([found, chunk])
      if (found.length >= enough) done()
    }
    socket.on('data', more)
    socket.once('end', done)
    socket.once('error', reject)
    socket.write(bytes)
  })
}

const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n'
const connecting = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`

describe('the door of a sandboxed program', () => {
  it('opens a tunnel to a listed host, by HTTP', async () => {
    const socket = connect(socketPath)
    const head = await exchange(socket, connecting(`a.test:${echoPort}`), ESTABLISHED.length)
    expect(head.toString()).toBe(ESTABLISHED)
    expect((await exchange(socket, 'hello', 5)).toString()).toBe('hello')
    socket.destroy()
    expect(passages.at(-1)).toEqual({ at: 0, host: 'a.test', port: echoPort, refused: null })
  })

  it('opens one by SOCKS5, a byte at a time as well', async () => {
    const name = Buffer.from('b.test')
    const port = Buffer.from([echoPort >> 8, echoPort & 255])
    const asked = Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, port])
    const socket = connect(socketPath)
    expect([...(await exchange(socket, Buffer.from([5, 1, 0]), 2))]).toEqual([5, 0])
    for (const byte of asked.subarray(0, -1)) {
      socket.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }
    expect((await exchange(socket, asked.subarray(-1), 10))[1]).toBe(0)
    expect((await exchange(socket, 'hello', 5)).toString()).toBe('hello')
    socket.destroy()
  })

  it('passes a plain request on, with the host of its address', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const asked = request(
        { socketPath, path: `http://web.test:${webPort}/a?b`, headers: { host: 'other.test' } },
        (answer) => {
          let body = ''
          answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
          answer.once('end', () => resolve(body))
        },
      )
      asked.once('error', reject)
      asked.end()
    })
    expect(text).toBe(`GET web.test:${webPort} /a?b`)
  })

  it.each([
    ['a host that is not listed', 'other.example:443', 'it is not in hosts of this server'],
    ['a port that is not listed', 'web.test:22', 'it is not in hosts of this server'],
    ['a metadata address behind a listed name', 'metadata.test:80', 'it does not lead to a permitted address'],
    ['an address', '169.254.169.254:80', 'it is not in hosts of this server'],
  ])('refuses %s, and logs it', async (_what, target, refused) => {
    const socket = connect(socketPath)
    expect((await exchange(socket, connecting(target), 4_096)).toString()).toContain('403 Forbidden')
    expect(passages.at(-1)).toMatchObject({ host: target.split(':')[0], refused })
  })

  it('refuses what is no request of a proxy', async () => {
    expect((await exchange(connect(socketPath), 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n', 12)).toString()).toContain(
      '400',
    )
    expect((await exchange(connect(socketPath), connecting('a.test'), 12)).toString()).toContain('400')
    // BIND.
    const socket = connect(socketPath)
    await exchange(socket, Buffer.from([5, 1, 0]), 2)
    expect((await exchange(socket, Buffer.from([5, 2, 0, 1, 127, 0, 0, 1, 0, 80]), 10))[1]).toBe(7)
  })

  it('asks for its token where it listens on a port, which other users reach', async () => {
    const open = await openDoor({
      path: undefined,
      hosts: [`*.test:${echoPort}`, `web.test:${webPort}`],
      pin: outbound.pin,
      onPassage: () => undefined,
      clock: { now: () => 0 },
    })
    const { address } = open
    if (!('port' in address)) throw new Error('it listens on no port')
    const reach = (): Socket => connect(address.port, '127.0.0.1')
    const target = `a.test:${echoPort}`
    const plain = `GET http://web.test:${webPort}/ HTTP/1.1\r\nHost: web.test\r\n\r\n`
    const known = (text: string, password: string): string =>
      text.replace('\r\n', `\r\nProxy-Authorization: Basic ${Buffer.from(`x:${password}`).toString('base64')}\r\n`)
    const first = async (text: string): Promise<string> => (await exchange(reach(), text, 12)).toString().slice(9, 12)
    for (const text of [connecting(target), plain]) {
      expect(await first(text)).toBe('407')
      expect(await first(known(text, `${address.token}x`))).toBe('407')
      expect(await first(known(text, address.token))).toBe('200')
    }

    // By SOCKS5: without a name, with a wrong password, with the token.
    expect([...(await exchange(reach(), Buffer.from([5, 1, 0]), 2))]).toEqual([5, 255])
    for (const [password, answer] of [
      ['wrong', 1],
      [address.token, 0],
    ] as const) {
      const socket = reach()
      expect([...(await exchange(socket, Buffer.from([5, 2, 0, 2]), 2))]).toEqual([5, 2])
      const named = Buffer.from([1, 1, 120, password.length, ...Buffer.from(password)])
      expect([...(await exchange(socket, named, 2))]).toEqual([1, answer])
      socket.destroy()
    }
    await open.close()
  })

  it('is the proxy of a fetch of Node that has its address and token', async () => {
    const open = await openDoor({
      path: undefined,
      hosts: [`web.test:${webPort}`],
      pin: outbound.pin,
      onPassage: () => undefined,
      clock: { now: () => 0 },
    })
    const { address } = open
    if (!('port' in address)) throw new Error('it listens on no port')
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['-e', `fetch('http://web.test:${webPort}/a').then((answer) => answer.text()).then(console.log)`],
      { env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://srt.a%3D:${address.token}@127.0.0.1:${address.port}` } },
    )
    expect(stdout).toBe(`GET web.test:${webPort} /a\n`)
    await open.close()
  })

  it.each([
    ['api.example.com', 443, true],
    ['API.example.com.', 80, true],
    ['api.example.com', 22, false],
    ['x.api.example.com', 443, false],
    ['a.wild.example', 443, true],
    ['wild.example', 443, false],
    ['evilwild.example', 443, false],
    ['port.example', 8443, true],
    ['port.example', 443, false],
  ])('lists %s:%i: %s', (host, port, expected) => {
    expect(isListed(['api.example.com', '*.wild.example', 'port.example:8443'], host, port)).toBe(expected)
  })
})
