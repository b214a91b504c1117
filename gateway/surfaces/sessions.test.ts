// Sessions: what does not open, what is not found, who makes room, and what outlives a restart.
import { afterEach, describe, expect, it } from 'vitest'
import { createSessionSeal, principalHash } from './session-seal.ts'
import { createSessions, type Sessions } from './sessions.ts'

const KEY = Buffer.alloc(32, 1)
const seal = createSessionSeal(KEY)
const stores: Sessions[] = []
afterEach(() => {
  for (const store of stores.splice(0)) store.close()
})

function aStore({ max = 10, key = KEY, startMs = 0 }: { max?: number; key?: Buffer; startMs?: number } = {}) {
  let nowMs = startMs
  let tickMs = 0
  const store = createSessions({
    seal: createSessionSeal(key),
    max,
    ttlMs: 1_000_000,
    now: () => nowMs,
    monotonic: () => tickMs,
  })
  stores.push(store)
  const open = (principal = 'ann', surface = 'client:shop') => store.open(surface, principal, '2025-11-25', null)
  const pass = (ms: number): void => {
    nowMs += ms
    tickMs += ms
  }
  return { store, open, pass, setClock: (byMs: number) => (nowMs += byMs) }
}

const codeOf = (act: () => unknown): unknown => {
  try {
    act()
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
  return undefined
}

describe('a session id', () => {
  const id = seal.seal({
    surface: 's',
    principal: principalHash('ann'),
    revision: '2025-11-25',
    createdAtMs: 1,
    capabilities: {},
    nonce: 'n',
  })

  it.each([
    ['nonsense', 'x'],
    ['another version', id.replace('v1', 'v2')],
    ['one with more behind it', `${id}.more`],
    ['a shortened one', id.slice(0, -4)],
    ['a changed one', `${id.slice(0, 20)}${id[20] === 'A' ? 'B' : 'A'}${id.slice(21)}`],
    ['padding', `${id}==`],
    ['a very long one', `v1.${'A'.repeat(2_000)}`],
    [
      'one of another key',
      createSessionSeal(Buffer.alloc(32, 2)).seal({
        surface: 's',
        principal: '',
        revision: '',
        createdAtMs: 0,
        capabilities: {},
        nonce: '',
      }),
    ],
  ])('does not open: %s [ct.0.3.not-open]', (_what, given) => {
    expect(seal.open(given)).toBeUndefined()
    expect(codeOf(() => aStore().store.find(given, 's', 'ann'))).toBe('INVALID_SESSION_ID')
  })

  it('is sealed: no two are alike, and nothing in it can be read [ct.0.3.sealed]', () => {
    const { open } = aStore()
    const ids = Array.from({ length: 5 }, () => open().id)
    expect(new Set(ids).size).toBe(5)
    expect(ids.join()).not.toMatch(/shop|ann|2025/)
    expect(Buffer.from(ids[0]?.slice(3) ?? '', 'base64url').toString('latin1')).not.toMatch(/shop|ann|2025/)
  })
})

it('ten thousand session ids have nothing in common that could be guessed (security case MC-03)', () => {
  const { open } = aStore({ max: 10_000 })
  const bytes = Array.from({ length: 10_000 }, () => Buffer.from(open().id.slice('v1.'.length), 'base64url'))
  expect(new Set(bytes.map((each) => each.toString('hex'))).size).toBe(10_000)
  const length = Math.min(...bytes.map((each) => each.length))
  let free = 0
  for (let bit = 0; bit < length * 8; bit += 1) {
    const mask = 1 << (bit % 8)
    const set = bytes.filter((each) => ((each[bit >> 3] ?? 0) & mask) !== 0).length
    // Six standard deviations of a fair coin thrown ten thousand times.
    if (Math.abs(set - 5_000) < 300) free += 1
  }
  expect(free).toBeGreaterThanOrEqual(122)
})

describe('a session is not found (security cases MC-02, MC-04)', () => {
  it.each([
    ['by another principal', 'client:shop', 'bob'],
    ['on another surface', 'client:other', 'ann'],
  ])('%s [ct.5.2.bound]', (_who, surface, principal) => {
    const { store, open } = aStore()
    const { id } = open()
    expect(codeOf(() => store.find(id, surface, principal))).toBe('SESSION_NOT_FOUND')
    expect(codeOf(() => aStore().store.find(id, surface, principal))).toBe('SESSION_NOT_FOUND')
    expect(store.find(id, 'client:shop', 'ann').id).toBe(id)
  })

  it('when it ended [ct.0.3.not-found]', () => {
    const { store, open } = aStore()
    const session = open()
    store.end(session)
    expect(codeOf(() => store.find(session.id, 'client:shop', 'ann'))).toBe('SESSION_NOT_FOUND')
  })

  it('when nobody used it for its time; a use, a stream and a call under way are use [ct.5.2.idle]', () => {
    const { store, open, pass } = aStore()
    const [used, streaming, calling, idle] = [open(), open(), open(), open()]
    streaming.stream = { send: () => undefined, close: () => undefined, refresh: () => undefined }
    calling.inFlight.add({ id: 1, cancel: () => undefined, unanswered: false })
    pass(600_000)
    store.find(used.id, 'client:shop', 'ann')
    pass(600_000)
    for (const { id } of [used, streaming, calling]) expect(store.find(id, 'client:shop', 'ann').id).toBe(id)
    expect(codeOf(() => store.find(idle.id, 'client:shop', 'ann'))).toBe('SESSION_NOT_FOUND')
  })
})

it.each([
  ['an hour ahead', 3_600_000],
  ['an hour back', -3_600_000],
  ['ten years ahead', 315_360_000_000],
])('a clock that is set %s ends no session in use, and keeps none that is idle (security case NF-10)', (_how, byMs) => {
  const { store, open, pass, setClock } = aStore()
  const [used, idle] = [open(), open()]
  pass(600_000)
  store.find(used.id, 'client:shop', 'ann')
  setClock(byMs)
  expect(store.find(used.id, 'client:shop', 'ann').id).toBe(used.id)
  pass(600_000)
  expect(store.find(used.id, 'client:shop', 'ann').id).toBe(used.id)
  expect(codeOf(() => store.find(idle.id, 'client:shop', 'ann'))).toBe('SESSION_NOT_FOUND')
})

describe('after a restart', () => {
  it('the same key opens it, and its first use makes it live again [ct.0.3.any-instance]', () => {
    const { id } = aStore().open()
    const { store } = aStore({ startMs: 1_000 })
    expect(store.find(id, 'client:shop', 'ann')).toMatchObject({ revision: '2025-11-25', clientInfo: null })
    expect(store.list()).toHaveLength(1)
  })

  it('also one that is older than it may be idle, as long as it may have been in use', () => {
    const { id } = aStore().open()
    const { store } = aStore({ startMs: 5_000_000 })
    expect(store.find(id, 'client:shop', 'ann').id).toBe(id)
    const later = aStore({ startMs: 5_000_000 })
    later.pass(1_000_001)
    expect(codeOf(() => later.store.find(id, 'client:shop', 'ann'))).toBe('SESSION_NOT_FOUND')
  })

  it('another key does not', () => {
    const { id } = aStore().open()
    expect(codeOf(() => aStore({ key: Buffer.alloc(32, 2) }).store.find(id, 'client:shop', 'ann'))).toBe(
      'INVALID_SESSION_ID',
    )
  })
})

describe('at capacity (security case RL-11)', () => {
  it('a new one is refused while the others are fresh, streaming or calling [ct.5.2.capacity-503]', () => {
    const { open, pass } = aStore({ max: 2 })
    const [streaming, calling] = [open(), open()]
    expect(codeOf(() => open())).toBe('SESSION_CAPACITY')
    streaming.stream = { send: () => undefined, close: () => undefined, refresh: () => undefined }
    calling.inFlight.add({ id: 1, cancel: () => undefined, unanswered: false })
    pass(400_000)
    expect(codeOf(() => open())).toBe('SESSION_CAPACITY')
  })

  it('whoever holds more than a fair share gives way to who holds less, and to nobody else', () => {
    const { store, pass } = aStore({ max: 4 })
    const openAs = (who: string) => {
      pass(1)
      return store.open('client:shop', who, '2025-11-25', null)
    }
    const [first, second, third] = [openAs('ann'), openAs('ann'), openAs('ann')]
    openAs('ann')
    // Her own share is the whole as long as she is alone.
    expect(codeOf(() => openAs('ann'))).toBe('SESSION_CAPACITY')
    first.inFlight.add({ id: 1, cancel: () => undefined, unanswered: false })
    second.stream = { send: () => undefined, close: () => undefined, refresh: () => undefined }
    openAs('bob')
    expect(store.list()).not.toContain(second)
    expect(store.list()).toContain(first)
    openAs('bob')
    expect(store.list()).not.toContain(third)
    // Two each: neither has more than the other.
    expect(codeOf(() => openAs('bob'))).toBe('SESSION_CAPACITY')
    expect(codeOf(() => openAs('ann'))).toBe('SESSION_CAPACITY')
  })

  it('the longest idle one makes room [ct.5.2.capacity-drop]', () => {
    const { store, open, pass } = aStore({ max: 2 })
    const [first, second] = [open(), open()]
    pass(1)
    store.find(first.id, 'client:shop', 'ann')
    pass(300_000)
    open()
    expect(codeOf(() => store.find(second.id, 'client:shop', 'ann'))).toBe('SESSION_NOT_FOUND')
    expect(store.find(first.id, 'client:shop', 'ann').id).toBe(first.id)
  })
})

it('the end of a session cancels its calls and closes its stream', () => {
  const { store, open } = aStore()
  const session = open()
  const told: string[] = []
  session.inFlight.add({ id: 1, cancel: () => told.push('cancelled'), unanswered: false })
  session.stream = { send: () => undefined, close: () => told.push('closed'), refresh: () => undefined }
  store.endWhere(({ surface }) => surface === 'client:shop')
  expect(told).toEqual(['cancelled', 'closed'])
  expect(store.list()).toEqual([])
})
