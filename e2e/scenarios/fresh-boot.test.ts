// A new gateway: where it listens, that nothing known beforehand admits a caller, and that no file holds such a thing.
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rowOf, SETTING_NAMES } from '../../gateway/settings/table.ts'
import { type Env, FIRST_ADMIN, onLinux, unlessLinux } from './gateway.fixture.ts'
import { aGatewayProcess, type GatewayProcess } from './gateway-process.fixture.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const addresses = Object.values(networkInterfaces()).flat()
const hasIpv6 = addresses.some((each) => each?.address === '::1')

/** The local ends of the sockets that listen on the port, in the words of the kernel. */
function listening(gateway: GatewayProcess): string[] {
  const port = Number(new URL(gateway.url).port).toString(16).toUpperCase().padStart(4, '0')
  return ['tcp', 'tcp6'].flatMap((family) =>
    readFileSync(`/proc/${gateway.pid}/net/${family}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([, local = '', , state]) => (state === '0A' && local.endsWith(`:${port}`) ? [local.slice(0, -5)] : [])),
  )
}

const reached = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')))
  })

describe('where it listens (security case OH-08)', () => {
  it.skipIf(!onLinux)(`without HOST is 127.0.0.1, and no other address of the machine${unlessLinux}`, async () => {
    const gateway = await aGatewayProcess()
    expect(listening(gateway)).toEqual(['0100007F'])
    const port = Number(new URL(gateway.url).port)
    expect(await reached('127.0.0.1', port)).toBe(true)
    const elsewhere = addresses.flatMap((each) => (each === undefined || each.address === '127.0.0.1' ? [] : [each]))
    for (const { address, scopeid } of elsewhere) {
      const host = scopeid ? `${address}%${scopeid}` : address
      expect([host, await reached(host, port)]).toEqual([host, false])
    }
  })

  it.skipIf(!onLinux || !hasIpv6)(
    `with an address of IPv6 is that address${hasIpv6 ? unlessLinux : ' (skipped: this machine has no ::1)'}`,
    async () => {
      const gateway = await aGatewayProcess({ HOST: '::1' })
      expect(listening(gateway)).toEqual(['00000000000000000000000001000000'])
      expect((await gateway.ask('/health')).status).toBe(200)
      expect(await reached('127.0.0.1', Number(new URL(gateway.url).port))).toBe(false)
    },
  )
})

/** What products came with, and what a manual might have shown. */
const KNOWN =
  'admin changeme password secret gantry default test example secret-api-key your-api-key undefined null'.split(' ')
/** A sign-in costs what its hash costs. */
const GUESSED = new Set(['', 'admin', 'password', 'gantry'])

describe('what is known beforehand (security case LK-13)', () => {
  it('is in no setting: every secret is unset by default', () => {
    const secrets = SETTING_NAMES.filter((name) => rowOf(name).secret)
    expect(secrets.length).toBeGreaterThan(10)
    const given = secrets.filter((name) => {
      const value = rowOf(name).default
      return value !== null && (typeof value !== 'object' || Object.keys(value).length > 0)
    })
    expect(given).toEqual([])
  })

  it('admits no caller', async () => {
    const env = { ADMIN_API_KEYS: '', REQUIRE_MCP_AUTH: 'true', RATE_LIMIT_LOGIN: '10000', ...FIRST_ADMIN }
    const gateway = await aGatewayProcess(env)
    for (const word of ['', ...KNOWN]) {
      const basic = Buffer.from(`admin:${word}`).toString('base64')
      const claims: readonly Env[] = [
        { authorization: `Bearer ${word}` },
        { authorization: `Basic ${basic}` },
        { 'x-api-key': word },
        { 'x-admin-key': word, 'x-gantry-internal': word, 'x-desktop': word },
        { cookie: `session=${word}; gantry_session=${word}` },
      ]
      for (const headers of claims)
        for (const path of ['/admin-api/users', '/admin-api/clients', '/metrics'])
          expect([word, headers, (await gateway.ask(path, { headers })).status]).toEqual([word, headers, 401])
      for (const path of ['/mcp', '/mcp/pcg']) {
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
        const headers = { authorization: `Bearer ${word}` }
        expect([word, (await gateway.ask(path, { method: 'POST', headers, body })).status]).toEqual([word, 401])
      }
      if (!GUESSED.has(word)) continue
      const body = { username: 'admin', password: word }
      const { status } = await gateway.ask('/admin-api/auth/login', { method: 'POST', body })
      expect([word, [400, 401].includes(status)]).toEqual([word, true])
    }
  })

  it('is not the first password: that one is long, and another at every first start', async () => {
    const printed = async (): Promise<string> => {
      const gateway = await aGatewayProcess(FIRST_ADMIN)
      return /^bootstrap admin: username=admin password=(\S+)$/m.exec(gateway.output())?.[1] ?? ''
    }
    const [one, other] = await Promise.all([printed(), printed()])
    expect(one.length).toBeGreaterThanOrEqual(20)
    expect(one).not.toBe(other)
  })
})

const SKIPPED = new Set(['node_modules', 'dist', '.git', 'package-lock.json'])
const isText = (name: string): boolean =>
  /\.(?:ts|tsx|mjs|cjs|js|json|ya?ml|md|html|css|py|toml|sh|txt)$|^\w*file$|^\.\w/i.test(name)

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return files(path)
    return entry.isFile() && isText(entry.name) ? [path] : []
  })
}

/** Bits for a character: text of people has about four, random base64 nearly six. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

const SHAPES: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=\s]{100,}/,
  'a key of this gateway': /\b(?:mcp|gil)_(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{43}\b/,
  'a key of a cloud': /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b(?<!EXAMPLE)/,
  'a token of a forge': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|glpat-[\w-]{20})\b/,
  'a signed token': /\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{40,}/,
}

describe('the files of the project (security case LK-13)', () => {
  const all = files(ROOT).map((path) => ({ name: relative(ROOT, path), text: readFileSync(path, 'utf8') }))
  const shipped = all.filter(({ name }) => !/\.(?:test|fixture|suite)\.tsx?$|^e2e\/|^docs\//.test(name))

  it('outside of tests hold nothing in the shape of a credential', () => {
    expect(shipped.length).toBeGreaterThan(300)
    const found = shipped.flatMap(({ name, text }) =>
      Object.entries(SHAPES).flatMap(([what, shape]) => (shape.test(text) ? [`${name}: ${what}`] : [])),
    )
    expect(found).toEqual([])
  })

  it('outside of tests hold no literal that looks drawn at random', () => {
    const literal = /(?<=['"`=:\s])[A-Za-z0-9+/_-]{28,}={0,2}(?=['"`\s,;]|$)/gm
    // An alphabet to draw from is not drawn.
    const drawn = (text: string): boolean =>
      !text.includes('ABCDEFGH') &&
      /\d/.test(text) &&
      /[a-z]/.test(text) &&
      /[A-Z]/.test(text) &&
      entropyOf(text) > 4.3 &&
      !/[/-][a-z]{3,}[/-]/.test(text)
    const found = shipped
      .filter(({ name }) => !name.endsWith('.md'))
      .flatMap(({ name, text }) => (text.match(literal) ?? []).filter(drawn).map((word) => `${name}: ${word}`))
    expect(found).toEqual([])
  })
})
