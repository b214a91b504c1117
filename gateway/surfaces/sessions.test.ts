// Sessions: what does not open, what is not found, which one is suspended at the limit, and what outlives a restart.
import { afterEach, describe, expect, it } from 'vitest'
import { aDatabase } from '../storage/database.fixture.ts'
import { endedSessionsOf } from '../storage/ended-sessions.ts'
import { createEndedSessions, type EndedSessions } from './ended-sessions.ts'
import { createSessionSeal, principalHash } from './session-seal.ts'
import { createSessions, type Session, type Sessions } from './sessions.ts'

const KEY = Buffer.alloc(32, 1)
const seal = createSessionSeal(KEY)
const noEnds = () => createEndedSessions({ clock: { now: () => 0 } })
const stores: Sessions[] = []
afterEach(() => {
  return Promise.all(stores.splice(0).map((store) => store.close()))
})

type StoreOptions = { max?: number; key?: Buffer; startMs?: number; ended?: EndedSessions }

function aStore({ max = 10, key = KEY, startMs = 0, ended = noEnds() }: StoreOptions = {}) {
  let nowMs = startMs
  let tickMs = 0
  const store = createSessions({
    seal: createSessionSeal(key),
    ended,
    max,
    ttlMs: 1_000_000,
    clock: { now: () => nowMs },
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
    void store.end(session)
    expect(codeOf(() => store.find(session.id, 'client:shop', 'ann'))).toBe('SESSION_NOT_FOUND')
  })

  it('when it was unused for its time; a use, a stream and a call under way are use [ct.5.2.idle]', () => {
    const { store, open, pass } = aStore()
    const [used, streaming, calling, idle] = [open(), open(), open(), open()]
    streaming.stream = { send: () => undefined, close: () => undefined, refresh: () => undefined, accepts: () => true }
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

describe('over a restart', () => {
  async function aRestart(act: (first: ReturnType<typeof aStore>) => Promise<unknown>, most?: number) {
    const database = await aDatabase()
    const ends = async (nowMs: number) => {
      const ended = createEndedSessions({
        store: endedSessionsOf(database),
        clock: { now: () => nowMs },
        ...(most === undefined ? {} : { most }),
      })
      await ended.follow()
      return ended
    }
    const first = aStore({ ended: await ends(1_000) })
    await act(first)
    await first.store.close()
    return aStore({ startMs: 2_000, ended: await ends(2_000) }).store
  }
  const again = (store: Sessions, { id }: Session) => codeOf(() => store.find(id, 'client:shop', 'ann'))

  it('a session that ended stays ended, and every other opens again [ct.0.16.ended]', async () => {
    let sessions: Session[] = []
    const store = await aRestart(async ({ store: first, open, pass }) => {
      const [deleted, , expired] = (sessions = [open(), open('ann', 'client:gone'), open(), open()])
      if (deleted) await first.end(deleted)
      first.endWhere(({ surface }) => surface === 'client:gone')
      pass(1_000_001)
      expect(codeOf(() => first.find(expired?.id ?? '', 'client:shop', 'ann'))).toBe('SESSION_NOT_FOUND')
      sessions[3] = open()
    })
    const [deleted, removed, expired, open] = sessions
    for (const each of [deleted, expired]) if (each) expect(again(store, each)).toBe('SESSION_NOT_FOUND')
    expect(codeOf(() => store.find(removed?.id ?? '', 'client:gone', 'ann'))).toBe('SESSION_NOT_FOUND')
    if (open) expect(again(store, open)).toBeUndefined()
  })

  it('a session that was suspended and then ran out stays ended', async () => {
    let first: Session | undefined
    const store = await aRestart(async ({ store: before, open, pass }) => {
      first = open()
      for (let at = 0; at < 10; at += 1) open()
      expect(before.list()).not.toContain(first)
      pass(1_000_001)
      open()
    })
    if (first) expect(again(store, first)).toBe('SESSION_NOT_FOUND')
  })

  it('past what is remembered, no token that is as old as the forgotten ones opens', async () => {
    const ended: Session[] = []
    let newest: Session | undefined
    const store = await aRestart(async ({ store: first, open, pass }) => {
      for (let at = 0; at < 30; at += 1) {
        pass(1)
        const session = open()
        ended.push(session)
        await first.end(session)
      }
      pass(1)
      newest = open()
    }, 10)
    expect(ended.map((each) => again(store, each))).toEqual(ended.map(() => 'SESSION_NOT_FOUND'))
    if (newest) expect(again(store, newest)).toBeUndefined()
  })

  it('an end that could not be stored is stored with the next', async () => {
    const database = await aDatabase()
    const store = endedSessionsOf(database)
    let broken = true
    const put: typeof store.put = (...given) =>
      broken ? Promise.reject(new Error('the disk is full')) : store.put(...given)
    const first = aStore({ ended: createEndedSessions({ store: { ...store, put }, clock: { now: () => 0 } }) })
    const [one, two] = [first.open(), first.open()]
    await expect(first.store.end(one)).rejects.toThrow('the disk is full')
    expect(again(first.store, one)).toBe('SESSION_NOT_FOUND')
    broken = false
    await first.store.end(two)
    expect((await store.since(-1, 10)).map(({ hash }) => hash).sort()).toEqual([one.hash, two.hash].sort())
  })
})

const streaming = (session: Session): void => {
  session.stream = { send: () => undefined, close: () => undefined, refresh: () => undefined, accepts: () => true }
}
const calling = (session: Session): void => {
  session.inFlight.add({ id: 1, cancel: () => undefined, unanswered: false })
}

describe('at capacity (security case RL-11)', () => {
  it('a new one is refused while the others stream or call [ct.5.2.capacity-503 ct.0.16.capacity]', () => {
    const { open, pass } = aStore({ max: 2 })
    const [first, second] = [open(), open()]
    streaming(first)
    calling(second)
    pass(400_000)
    expect(codeOf(() => open())).toBe('SESSION_CAPACITY')
  })

  it('the longest idle one is suspended, of any age, and opens again with its state [ct.5.2.capacity-drop ct.0.16.reopens]', () => {
    const { store, open, pass } = aStore({ max: 2 })
    const [first, second] = [open(), open()]
    second.logLevel = 'debug'
    second.subscriptions.add('file:///a')
    pass(1)
    store.find(first.id, 'client:shop', 'ann')
    open()
    expect(store.list()).toContain(first)
    expect(store.list()).not.toContain(second)
    expect(store.list()).toHaveLength(2)
    const again = store.find(second.id, 'client:shop', 'ann')
    expect(again).toMatchObject({ id: second.id, logLevel: 'debug', subscriptions: new Set(['file:///a']) })
    expect(store.list()).toHaveLength(2)
  })

  it('clients that never end their sessions always find room, and the last one of each still opens', () => {
    const { store, open, pass } = aStore({ max: 10 })
    const opened = Array.from({ length: 1_000 }, () => {
      pass(1)
      return open()
    })
    expect(store.list()).toHaveLength(10)
    for (const { id } of [...opened.slice(0, 5), ...opened.slice(-5)])
      expect(store.find(id, 'client:shop', 'ann').id).toBe(id)
  })

  it('one that was suspended ends when it was idle for its time, and when its surface or its principal goes', () => {
    const { store, open, pass } = aStore({ max: 1 })
    const [idle, ofSurface, ofPrincipal] = [open(), open('ann', 'client:gone'), open('bob')]
    open()
    pass(500_000)
    store.endWhere(({ surface }) => surface === 'client:gone')
    store.endWhere(({ principal }) => principal === 'bob')
    expect(codeOf(() => store.find(ofSurface.id, 'client:gone', 'ann'))).toBe('SESSION_NOT_FOUND')
    expect(codeOf(() => store.find(ofPrincipal.id, 'client:shop', 'bob'))).toBe('SESSION_NOT_FOUND')
    pass(500_001)
    expect(codeOf(() => store.find(idle.id, 'client:shop', 'ann'))).toBe('SESSION_NOT_FOUND')
  })

  it('one that finds no capacity stays suspended', () => {
    const { store, open } = aStore({ max: 1 })
    const first = open()
    const second = open()
    streaming(second)
    expect(codeOf(() => store.find(first.id, 'client:shop', 'ann'))).toBe('SESSION_CAPACITY')
    second.stream = undefined
    expect(store.find(first.id, 'client:shop', 'ann').id).toBe(first.id)
  })

  it('a principal within its share keeps its idle sessions, however many another opens', () => {
    const { store, pass } = aStore({ max: 10 })
    const openAs = (who: string) => {
      pass(1)
      return store.open('client:shop', who, '2025-11-25', null)
    }
    const mine = [openAs('bob'), openAs('bob')]
    for (let at = 0; at < 100; at += 1) openAs('ann')
    expect(store.list()).toEqual(expect.arrayContaining(mine))
  })

  it('where all are in use, the holder of more than a fair share yields to one that holds less', () => {
    const { store, pass } = aStore({ max: 4 })
    const openAs = (who: string) => {
      pass(1)
      const session = store.open('client:shop', who, '2025-11-25', null)
      streaming(session)
      return session
    }
    const [first, second, third] = [openAs('ann'), openAs('ann'), openAs('ann')]
    openAs('ann')
    // Her own share is the whole as long as she is alone.
    expect(codeOf(() => openAs('ann'))).toBe('SESSION_CAPACITY')
    calling(first)
    openAs('bob')
    expect(store.list()).not.toContain(second)
    expect(store.list()).toContain(first)
    openAs('bob')
    expect(store.list()).not.toContain(third)
    // Two each: neither has more than the other.
    expect(codeOf(() => openAs('bob'))).toBe('SESSION_CAPACITY')
    expect(codeOf(() => openAs('ann'))).toBe('SESSION_CAPACITY')
  })
})

it('the end of a session cancels its calls and closes its stream', () => {
  const { store, open } = aStore()
  const session = open()
  const received: string[] = []
  session.inFlight.add({ id: 1, cancel: () => received.push('cancelled'), unanswered: false })
  session.stream = {
    send: () => undefined,
    close: () => received.push('closed'),
    refresh: () => undefined,
    accepts: () => true,
  }
  store.endWhere(({ surface }) => surface === 'client:shop')
  expect(received).toEqual(['cancelled', 'closed'])
  expect(store.list()).toEqual([])
})
