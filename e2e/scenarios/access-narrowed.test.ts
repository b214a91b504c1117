// Narrowed keys on every surface: they list, find and call the same tools, and cannot distinguish hidden tools from unknown ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bearer, listed, mint, outcome } from './access.fixture.ts'
import { custom, type Mall, make, member, spawnMall } from './curation.fixture.ts'
import { rpc } from './data-plane.fixture.ts'
import { type Env, passwordOf, signIn } from './gateway.fixture.ts'

const SHARDS = ['/mcp/petstore', '/mcp/bank']
const BUNDLES = [custom('mixed'), custom('other')]
/** As the surfaces of an unlimited key name them; none of them takes long. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  '/mcp/petstore': ['ok', 'getPetById', 'addPet', 'deletePet'],
  '/mcp/bank': ['ok', 'getPetById', 'addPet', 'deletePet'],
  [custom('mixed')]: ['petstore__ok', 'petstore__addPet', 'bank__ok', 'both', 'shop-only'],
  [custom('other')]: ['bank__ok', 'bank__addPet'],
}
/** How many tools each key lists on each surface; null where it is turned away. */
const KEYS: Readonly<Record<string, readonly [given: object, ...(number | null)[]]>> = {
  'of everything': [{}, 4, 4, 5, 2],
  'of one backend': [{ scopes: { clients: ['petstore'] } }, 4, 0, 3, 0],
  'of two tools': [{ scopes: { tools: ['petstore__addPet', 'bank__ok'] } }, 1, 1, 2, 1],
  'that allows two tools': [{ allowedTools: ['petstore__ok', 'bank__ok'] }, 1, 1, 4, 1],
  'of a backend that allows another’s tool': [
    { scopes: { clients: ['bank'] }, allowedTools: ['petstore__ok'] },
    0,
    0,
    0,
    0,
  ],
  'of nothing': [{ scopes: {} }, 0, 0, 0, 0],
  'of a bundle': [{ scopes: { bundles: ['mixed'] } }, null, null, 5, null],
  'of a bundle and one backend': [{ scopes: { bundles: ['mixed'], clients: ['bank'] } }, null, null, 1, null],
  'of a bundle that allows one tool': [
    { scopes: { bundles: ['other'] }, allowedTools: ['bank__ok'] },
    null,
    null,
    null,
    1,
  ],
  'of a team': [{}, null, null, null, null],
}

let mall: Mall & { end(): Promise<void> }
const keys: Record<string, Env> = {}
beforeAll(async () => {
  mall = await spawnMall({ RETRY_MAX_ATTEMPTS: '1', CACHE_MAX_ENTRIES: '0' })
  const { gateway } = mall
  const step = (client: string) => ({ targetClient: client, targetTool: 'ok' })
  await make(gateway, 'composites', { name: 'both', description: 'Of two', steps: [step('petstore'), step('bank')] })
  await make(gateway, 'composites', { name: 'shop-only', description: 'Of one', steps: [step('petstore')] })
  const tools = [member('petstore', 'ok'), member('petstore', 'addPet'), member('bank', 'ok')]
  await make(gateway, 'bundles', { name: 'mixed', tools, composites: ['both', 'shop-only'] })
  await make(gateway, 'bundles', { name: 'other', tools: [member('bank', 'ok'), member('bank', 'addPet')] })
  for (const [who, [given]] of Object.entries(KEYS)) keys[who] = bearer((await mint(gateway, given)).key)
  const team = (await gateway.admin('/admin-api/teams', { method: 'POST', body: { name: 'One' } })).json as {
    id: number
  }
  const person = { username: 'tea', password: passwordOf('tea'), role: 'admin', teamId: team.id }
  await gateway.admin('/admin-api/users', { method: 'POST', body: person })
  const headers = await signIn(gateway, 'tea', passwordOf('tea'))
  const made = await gateway.ask('/admin-api/mcp-keys', { method: 'POST', headers, body: { label: 'of a team' } })
  keys['of a team'] = bearer((made.json as { key: string }).key)
}, 240_000)
afterAll(() => mall.end())

type Reply = { result?: { structuredContent?: { matches?: { name: string }[] } }; error?: { code?: string } }

/** The names that searching finds; the code where there is nothing to search. */
async function found(path: string, headers: Env, query: string): Promise<string[] | string> {
  const asked = { name: 'search_tools', arguments: { query, limit: 50 } }
  const { status, json } = await rpc(mall.gateway, 'tools/call', asked, { path, headers })
  const { result, error } = json as Reply // one of the two, by the protocol
  return result?.structuredContent?.matches?.map(({ name }) => name) ?? `${status} ${error?.code ?? 'refused'}`
}

const ROWS = Object.entries(KEYS).flatMap(([who, [, ...counts]]) =>
  [...SHARDS, ...BUNDLES].map((path, at) => [who, path, counts[at] ?? null] as const),
)

describe('what is listed is what may be called, and what is found', () => {
  it.each(ROWS)('by a key %s on %s: %j of its tools (null: turned away)', async (who, path, count) => {
    const headers = keys[who] ?? {}
    const called = await Promise.all((NAMES[path] ?? []).map((name) => outcome(mall.gateway, headers, { path, name })))
    if (count === null) {
      const absent = path.startsWith('/mcp/') ? '/mcp/missing' : custom('missing')
      const refused = await outcome(mall.gateway, headers, { path: absent, name: 'x' })
      expect(refused).toMatch(/^40[34] /)
      expect([...new Set(called)]).toEqual([refused])
      expect(await found(path, headers, 'ok')).toBe(refused)
      await expect(listed(mall.gateway, headers, path)).rejects.toThrow('No list')
      return
    }
    const all = await listed(mall.gateway, headers, path)
    const mine = (NAMES[path] ?? []).filter((name) => all.includes(name))
    expect(mine).toHaveLength(count)
    const absent = await outcome(mall.gateway, headers, { path, name: 'noSuchTool' })
    const callable = (NAMES[path] ?? []).filter((_name, at) => called[at] !== absent)
    expect(callable).toEqual(mine)
    for (const name of NAMES[path] ?? []) {
      const matches = await found(path, headers, name)
      if (typeof matches === 'string') expect([name, mine]).toEqual([name, []])
      else {
        expect([name, matches.filter((match) => !all.includes(match))]).toEqual([name, []])
        expect([name, matches.includes(name)]).toEqual([name, mine.includes(name)])
      }
    }
  })
})

/** Of two questions asked in turns, how often the first took longer: half the time, where they cannot be distinguished. */
async function slower(first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<number> {
  const took = async (ask: () => Promise<unknown>): Promise<number> => {
    const since = performance.now()
    await ask()
    return performance.now() - since
  }
  let count = 0
  for (let round = 0; round < 120; round += 1) {
    const even = round % 2 === 0
    const [one, other] = [await took(even ? first : second), await took(even ? second : first)]
    if (even ? one > other : other > one) count += 1
  }
  return count
}
/** 120 fair coins fall outside of this once in ten million runs. */
const fair = (count: number): void => {
  expect(count).toBeGreaterThan(30)
  expect(count).toBeLessThan(90)
}

/** Everything an answer says, with what names the question taken out. */
async function bytes(headers: Env, path: string, name: string): Promise<string> {
  const answer = await rpc(
    mall.gateway,
    'tools/call',
    { name, arguments: {} },
    {
      path,
      headers: { ...headers, 'x-request-id': 'twin' },
    },
  )
  const shown = [...answer.headers].filter(([header]) => header !== 'date' && header !== 'content-length')
  return `${answer.status}\n${shown.join('\n')}\n${answer.text}`.replaceAll(name, 'NAME').replaceAll(path, 'PATH')
}

describe('hidden and nonexistent, in bundles', () => {
  it.each([
    ['a tool out of scope', 'of one backend', custom('mixed'), 'bank__ok', custom('mixed'), 'bank__no'],
    ['a tool that is in no bundle', 'of everything', custom('mixed'), 'bank__addPet', custom('mixed'), 'bank__absent'],
    ['a composite with a step out of scope', 'of one backend', custom('mixed'), 'both', custom('mixed'), 'neither'],
    ['the bundle of another user', 'of a bundle', custom('other'), 'bank__ok', custom('never'), 'bank__ok'],
    ['the bundle of no team', 'of a team', custom('other'), 'bank__ok', custom('never'), 'bank__ok'],
  ] as const)('%s: the same bytes for a key %s, in the same time', async (_what, who, path, name, nowhere, nothing) => {
    const headers = keys[who] ?? {}
    expect(await bytes(headers, path, name)).toBe(await bytes(headers, nowhere, nothing))
    const ask = (where: string, tool: string) => () =>
      rpc(mall.gateway, 'tools/call', { name: tool, arguments: {} }, { path: where, headers })
    fair(await slower(ask(path, name), ask(nowhere, nothing)))
  })
})

describe('a wrong key', () => {
  it('is as wrong with all but one of its letters as with none: security case AN-03', async () => {
    const { key } = await mint(mall.gateway)
    const last = key.at(-1) === 'A' ? 'B' : 'A'
    const near = bearer(key.slice(0, -1) + last)
    const wrong = [
      near,
      bearer(key.slice(0, 8) + 'x'.repeat(key.length - 8)),
      bearer('y'.repeat(key.length)),
      bearer(key.slice(0, 12)),
      bearer(`${key}A`),
    ]
    const reply = await Promise.all(wrong.map((headers) => bytes(headers, '/mcp/petstore', 'ok')))
    expect(reply[0]).toMatch(/^401\n/)
    expect(new Set(reply).size).toBe(1)
    const ask = (headers: Env) => () => rpc(mall.gateway, 'ping', {}, { headers })
    fair(await slower(ask(near), ask(bearer('y'.repeat(key.length)))))
  })

  it('costs no write, however many there are and however long they are: security case AN-07', async () => {
    const records = async (): Promise<string> => {
      const reads = ['mcp-keys', 'mcp-sessions', 'audit-log?limit=200'].map((read) =>
        mall.gateway.admin(`/admin-api/${read}`),
      )
      return (await Promise.all(reads)).map(({ text }) => text).join('\n')
    }
    const before = await records()
    for (let round = 0; round < 20; round += 1)
      await Promise.all(
        Array.from({ length: 20 }, async (_each, at) => {
          const { status } = await rpc(mall.gateway, 'ping', {}, { headers: bearer(`${at}`.padEnd(15_000, 'k')) })
          expect(status).toBe(401)
        }),
      )
    expect(await records()).toBe(before)
  })
})
