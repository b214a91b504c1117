// What it costs to know a caller: each kind of credential per call, with one key and with ten thousand, one scope and a thousand.

import { generateKeyPairSync, hash, sign } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import type { DataPlaneCaller } from '../../gateway/auth/credential.ts'
import { createDataPlane, type DataPlane } from '../../gateway/auth/data-plane.ts'
import { createJwks } from '../../gateway/auth/jwks.ts'
import { createTokens } from '../../gateway/auth/jwt.ts'
import { createManagedKeys, type ManagedKeys } from '../../gateway/auth/managed-keys.ts'
import { type Database, openDatabase } from '../../gateway/storage/database.ts'
import { jsonText } from '../../gateway/storage/json-text.ts'
import { insertKey } from '../../gateway/storage/mcp-keys.ts'
import { aFolder, KEY } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { median } from './server.ts'

const ROUNDS = 7
const CALLS = 50_000
const MANY_KEYS = 10_000
const MANY_SCOPES = 1_000
/** How many keys are in use at a time. */
const IN_USE = 64
const AT = '2026-01-01T00:00:00.000Z'
const quiet = { info: () => undefined, warn: () => undefined }
const clock = { now: Date.now }

/** As the parser hands it over: text not yet looked at. The two fields that are read, a double for a socket. */
function requests(values: readonly string[]): () => IncomingMessage {
  const headers = values.map((value) => Buffer.from(`Bearer ${value}`, 'latin1'))
  let at = 0
  return () => {
    const authorization = headers[(at += 1) % headers.length]?.toString('latin1') ?? ''
    return {
      headers: { authorization },
      rawHeaders: ['Host', 'x', 'Authorization', authorization],
    } as unknown as IncomingMessage
  }
}

const scopesOf = (key: number, count: number) =>
  jsonText({
    clients: Array.from({ length: count / 2 }, (_each, at) => `c${(key * 7 + at) % 2_000}`),
    tools: Array.from({ length: count / 2 }, (_each, at) => `d${at % 50}__t${at}`),
  })

const nameOf = (at: number): string => `mcp_${hash('sha256', `bench ${at}`, 'base64url')}`

async function withKeys<T>(
  count: number,
  scopes: number,
  use: (keys: ManagedKeys, database: Database) => Promise<T>,
): Promise<T> {
  const folder = aFolder()
  const database = await openDatabase({
    path: path.join(folder, 'bench.db'),
    dataDir: folder,
    appVersion: '1.0.0',
    strict: false,
    backupBeforeMigrate: false,
    log: quiet,
    clock,
  })
  try {
    for (let from = 0; from < count; from += 500)
      await database.write(async (tx) => {
        for (let at = from; at < Math.min(count, from + 500); at += 1)
          await insertKey(tx, {
            label: `key ${at}`,
            key_hash: hash('sha256', nameOf(at)),
            key_prefix: nameOf(at).slice(0, 12),
            retired: null,
            scopes: scopesOf(at, scopes),
            allowed_tools: null,
            consumer_id: null,
            elevated: 0,
            admin_role: null,
            enabled: 1,
            expires_at: null,
            revoked_at: null,
            last_used_at: null,
            last_used_client: null,
            install_link_id: null,
            team_id: null,
            revision: 1,
            created_at: AT,
            updated_at: AT,
            created_by: null,
          })
      })
    const keys = createManagedKeys({
      database,
      clock,
      monotonic: () => performance.now(),
      log: quiet,
      teamOf: () => null,
      onEnded: () => undefined,
      onRows: () => undefined,
    })
    await keys.load()
    const answer = await use(keys, database)
    await keys.close()
    return answer
  } finally {
    await database.close()
  }
}

function aToken(): { readonly token: string; readonly jwks: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + 3_600
  const input = `${part({ alg: 'RS256', kid: 'k' })}.${part({ sub: 'bench', exp, groups: Array.from({ length: 20 }, (_each, at) => `group-${at}`) })}`
  const token = `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`
  return { token, jwks: JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] }) }
}

const tokensOf = (jwks: string) =>
  createTokens({
    jwks: createJwks({ fetch: async () => jwks, cacheMs: 600_000, monotonic: () => performance.now(), log: quiet }),
    settings: { JWT_ISSUER: null, JWT_AUDIENCE: null },
    clock,
    monotonic: () => performance.now(),
  })

const planeOf = (managed: ManagedKeys, tokens: ReturnType<typeof tokensOf> | null): DataPlane =>
  createDataPlane({
    settings: {
      MCP_API_KEYS: [KEY],
      REQUIRE_MCP_AUTH: true,
      JWT_JWKS_URL: null,
      AUTH_DISABLED: false,
      HOST: '127.0.0.1',
      ALLOWED_HOSTS: [],
      GATEWAY_PUBLIC_URL: null,
    },
    managed,
    tokens,
    onOpen: () => undefined,
  })

/** Time of the processor, in microseconds: what else the machine does is not in it. */
function spent(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Microseconds per turn of `work`. */
function perTurn(work: () => unknown, turns = CALLS): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const since = spent()
    for (let turn = 0; turn < turns; turn += 1) work()
    return (spent() - since) / turns
  })
  return median(rounds)
}

async function known(plane: DataPlane, values: readonly string[]): Promise<DataPlaneCaller[]> {
  const next = requests(values)
  const callers: DataPlaneCaller[] = []
  for (const _value of values) callers.push(await plane.authenticate(next()))
  return callers
}

/** What every request costs before it is known who sends it. */
const bare = (values: readonly string[]): number => perTurn(requests(values))

async function authCost(plane: DataPlane, values: readonly string[]): Promise<number> {
  await known(plane, values)
  const next = requests(values)
  return perTurn(() => plane.authenticate(next())) - bare(values)
}

/** What the plainest lookup costs that keeps no key in memory: the digest of the header and one map. */
function plainCost(values: readonly string[]): number {
  const map = new Map(values.map((value) => [hash('sha256', `Bearer ${value}`), value]))
  const next = requests(values)
  return perTurn(() => map.get(hash('sha256', next().headers.authorization ?? ''))) - bare(values)
}

function reachCost([caller]: readonly DataPlaneCaller[]): number {
  let at = 0
  return perTurn(() => caller?.mayReach(`d${(at += 1) % 50}`, `t${at % MANY_SCOPES}`))
}

const µs = (value: number): string => `${value.toFixed(2)} µs`
const inUse = (count: number): string[] =>
  Array.from({ length: Math.min(IN_USE, count) }, (_each, at) => nameOf((at * 151) % count))

async function keyRows(): Promise<BenchRow[]> {
  const few = await withKeys(1, 2, async (keys) => {
    const plane = planeOf(keys, null)
    const [env, one] = [await authCost(plane, [KEY]), await authCost(plane, inUse(1))]
    return { env, one, scope: reachCost(await known(plane, inUse(1))) }
  })
  return withKeys(MANY_KEYS, MANY_SCOPES, async (keys) => {
    const plane = planeOf(keys, null)
    const many = inUse(MANY_KEYS)
    const since = spent()
    const callers = await known(plane, many)
    const first = (spent() - since) / many.length
    const cost = await authCost(plane, many)
    const wrong = requests(many.map((value) => `${value}x`))
    const refused = perTurn(() => {
      try {
        void plane.authenticate(wrong())
      } catch {
        // A wrong key is what is measured.
      }
    }, CALLS / 5)
    const [plain, scope] = [plainCost(many), reachCost(callers)]
    const row = (label: string, value: number, beside: string, base: number, aim?: string): BenchRow => ({
      label,
      value: µs(value),
      beside: `${µs(base)} ${beside}`,
      ratio: (value / base).toFixed(2),
      ...(aim === undefined ? {} : { aim }),
    })
    return [
      row('env key, per call', few.env, 'digest and map', plain, '≤ 1'),
      row('managed key of 10,000, per call', cost, 'digest and map', plain, '≤ 1'),
      row('the same beside a single key', cost, 'of one', few.one, '≤ 2'),
      row('scope check, 1,000 names', scope, 'of 2 names', few.scope, '≤ 2'),
      row('first use of a key with 1,000 names', first, 'per call later', cost),
      row('a wrong key among 10,000', refused, 'digest and map', plain),
    ]
  })
}

async function tokenRows(): Promise<BenchRow[]> {
  const { token, jwks } = aToken()
  return withKeys(1, 2, async (keys) => {
    const cost = await authCost(planeOf(keys, tokensOf(jwks)), [token])
    const since = spent()
    for (let round = 0; round < 200; round += 1) await tokensOf(jwks).verify(token, hash('sha256', token))
    const verified = (spent() - since) / 200
    return [
      {
        label: `JWT of ${token.length} characters, known, per call`,
        value: µs(cost),
        beside: `${µs(verified)} verified`,
        ratio: (cost / verified).toFixed(3),
        aim: '≤ 0.1',
      },
    ]
  })
}

export const access: BenchPart = { name: 'access', run: async () => [...(await keyRows()), ...(await tokenRows())] }
