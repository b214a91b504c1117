// Live events: disconnects, refusals, invalid data and session end.
import { describe, expect, it } from 'vitest'
import { followDesktop } from './desktop-events.ts'
import {
  createSseReader,
  followEvents,
  type LiveEvent,
  retryDelayMs,
  StreamRefused,
  type StreamState,
} from './events.ts'
import { createInvalidator } from './invalidation.ts'

/** Plays a list of chunks per connection; an Error refuses; then stays silent until stopped. */
async function follow(connections: readonly (readonly string[] | Error)[], seen = false) {
  const events: LiveEvent[] = []
  const states: StreamState[] = []
  const waits: number[] = []
  let goodbyes = 0
  const left = [...connections]
  await new Promise<void>((resolve) => {
    const stop = followEvents({
      open: (signal) => {
        const next = left.shift()
        if (next instanceof Error) return Promise.reject(next)
        if (next) return Promise.resolve(chunks(next))
        queueMicrotask(() => {
          stop()
          resolve()
        })
        return new Promise((_open, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
      },
      onEvent: (event) => events.push(event),
      onState: (state) => states.push(state),
      onGoodbye: () => {
        goodbyes += 1
      },
      wait: (ms) => {
        waits.push(ms)
        return Promise.resolve()
      },
      random: () => 1,
      seen: () => seen,
    })
  })
  return { events, states, waits, goodbyes }
}

async function* chunks(list: readonly string[]): AsyncGenerator<string> {
  for (const chunk of list) {
    await Promise.resolve()
    yield chunk
  }
}

const READY = 'event: ready\ndata: {}\n\n'

describe('reconnecting', () => {
  it('asks a gateway that is away again within 1.2 s while the page is looked at, and one that refuses less often', async () => {
    const away = await follow(
      Array.from({ length: 5 }, () => new Error('no answer')),
      true,
    )
    expect(away.waits).toEqual([500, 1000, 1200, 1200, 1200])
    const refusing = await follow(
      Array.from({ length: 5 }, () => new StreamRefused('answered 429')),
      true,
    )
    expect(refusing.waits).toEqual([500, 1000, 2000, 4000, 8000])
  })

  it('waits longer after each refusal and never longer than half a minute', async () => {
    const { waits, states } = await follow(Array.from({ length: 9 }, () => new Error('refused')))
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    expect(new Set(states)).toEqual(new Set(['connecting', 'lost']))
  })

  it('resets the delay after a live connection', async () => {
    const { waits, states } = await follow([new Error('refused'), new Error('refused'), [READY], [READY]])
    expect(waits).toEqual([500, 1000, 500, 500])
    expect(states).toEqual(['connecting', 'lost', 'lost', 'live', 'lost', 'live', 'lost'])
  })

  it('is not live after a heartbeat alone', async () => {
    const { states } = await follow([[': ping\n\n']])
    expect(states).toEqual(['connecting', 'lost'])
  })

  it('jitters the delay by at most half', () => {
    expect(retryDelayMs(1, 0)).toBe(250)
    expect(retryDelayMs(50, 0)).toBe(15_000)
  })
})

describe('delivering', () => {
  it('drops unknown topics and keeps data that is not JSON', async () => {
    const { events } = await follow([[READY, 'event: weather\ndata: {}\n\nevent: audit\ndata: not json\n\n']])
    expect(events).toEqual([{ topic: 'audit', data: 'not json' }])
  })

  it('reassembles chunks', async () => {
    const { events } = await follow([[READY, 'event: cal', 'ls\r\ndata: {"a"', ':1}\r\n\r\n: ping\n\n']])
    expect(events).toEqual([{ topic: 'calls', data: { a: 1 } }])
  })

  it('reports the end of the session', async () => {
    expect((await follow([[READY, 'event: bye\ndata: {}\n\n']])).goodbyes).toBe(1)
  })

  it('joins several data lines', () => {
    expect(createSseReader()('event: a\ndata: 1\ndata: 2\n\n')).toEqual([{ event: 'a', data: '1\n2' }])
  })
})

describe('in the desktop window', () => {
  type Status = { state: 'starting' | 'running' | 'stopped'; url: null; reason: null; movedFrom: null }
  const status = (state: Status['state']): Status => ({ state, url: null, reason: null, movedFrom: null })

  function window(first: Promise<Status>) {
    const states: StreamState[] = []
    const events: LiveEvent[] = []
    const listeners = new Map<string, (data: unknown) => void>()
    const stop = followDesktop(
      {
        gatewayStatus: () => first,
        subscribe: (topic, listener) => {
          listeners.set(topic, listener)
          return () => void listeners.delete(topic)
        },
      },
      { onEvent: (event) => events.push(event), onState: (state) => states.push(state) },
    )
    const emit = (topic: string, data: unknown) => listeners.get(topic)?.(data)
    return { states, events, emit, stop, listeners }
  }

  it('is disconnected if main does not answer, and still receives events', async () => {
    const { states, events, emit } = window(Promise.reject(new Error('gone')))
    emit('tools', 2)
    await new Promise((resolve) => setImmediate(resolve))
    expect(states).toEqual(['lost'])
    expect(events).toEqual([{ topic: 'tools', data: 2 }])
  })

  it('prefers a change over an older answer, and stops when stopped', async () => {
    const { states, emit, stop, listeners } = window(Promise.resolve(status('running')))
    emit('gateway:changed', status('stopped'))
    await new Promise((resolve) => setImmediate(resolve))
    emit('gateway:changed', status('running'))
    expect(states).toEqual(['lost', 'live'])
    stop()
    expect(listeners.size).toBe(0)
  })

  it('treats an unknown state as disconnected', () => {
    const { states, emit } = window(Promise.resolve(status('running')))
    emit('gateway:changed', { state: 'asleep' })
    emit('gateway:changed', 'running')
    expect(states).toEqual(['lost', 'lost'])
  })
})

describe('invalidating queries', () => {
  it('batches bursts into one refetch per key, and none after it was stopped', async () => {
    const keys: string[] = []
    const { note, stop } = createInvalidator((key) => keys.push(key), 1)
    for (let burst = 0; burst < 50; burst += 1) note('calls')
    note('config')
    note('audit')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(keys.toSorted()).toEqual([
      'alerts',
      'budgets',
      'bundles',
      'composites',
      'config-snapshots',
      'consumers',
      'consumers',
      'keys',
      'oidc',
      'overview',
      'overview',
      'policies',
      'posture',
      'schedules',
      'settings',
      'teams',
      'usage',
      'users',
      'ws-targets',
    ])
    const before = keys.length
    note('tools')
    stop()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(keys).toHaveLength(before)
  })
})
