// Memory is given back by an idle process that has grown, and by no other.
import { describe, expect, it } from 'vitest'
import { collectGarbage, createIdleMemory } from './idle-memory.ts'

const MB = 1_048_576

function starting(after: number) {
  const state: { busy: number; resident: number | undefined; collected: number; started: number } = {
    busy: 0,
    resident: 100 * MB,
    collected: 0,
    started: 0,
  }
  const look = createIdleMemory({
    busy: () => state.busy,
    residentBytes: () => state.resident,
    collect() {
      state.collected += 1
      state.resident = after
    },
    startIsOver() {
      state.started += 1
    },
  })
  return { state, look }
}

/** Its start is collected. */
function looking(after: number) {
  const { state, look } = starting(after)
  look()
  Object.assign(state, { collected: 0, resident: 100 * MB })
  look()
  return { state, look }
}

describe('the memory of an idle process', () => {
  it('is collected when its start is over, and looked at more often until then', () => {
    const { state, look } = starting(90 * MB)
    state.busy = 0.5
    const soon = look()
    expect(state.collected).toBe(0)
    state.busy = 0
    const later = look()
    expect(state.collected).toBe(1)
    expect(later).toBeGreaterThan(soon)
    look()
    expect(state).toMatchObject({ collected: 1, started: 1 })
  })

  it('is not collected right after calls that began during its start: they would warm their code again', () => {
    const { state, look } = starting(90 * MB)
    state.busy = 0.9
    const looks = Array.from({ length: 4 }, look)
    expect(looks[3]).toBeGreaterThan(looks[0] ?? 0)
    Object.assign(state, { busy: 0, resident: 110 * MB })
    look()
    expect(state).toMatchObject({ collected: 0, started: 1 })
    state.resident = 200 * MB
    look()
    expect(state.collected).toBe(1)
  })

  it('is not collected while calls are served', () => {
    const { state, look } = looking(110 * MB)
    for (const busy of [0.5, 0.03]) {
      Object.assign(state, { busy, resident: 400 * MB })
      look()
    }
    expect(state.collected).toBe(0)
  })

  it('is not collected where it has hardly grown', () => {
    const { state, look } = looking(100 * MB)
    state.resident = 120 * MB
    look()
    expect(state.collected).toBe(0)
  })

  it('is collected once after a load, and again after the next', () => {
    const { state, look } = looking(160 * MB)
    state.resident = 400 * MB
    look()
    look()
    expect(state.collected).toBe(1)
    state.resident = 300 * MB
    look()
    expect(state.collected).toBe(2)
  })

  it('is left alone while the system does not report it', () => {
    const { state, look } = looking(100 * MB)
    state.resident = undefined
    look()
    expect(state.collected).toBe(0)
    state.resident = 400 * MB
    look()
    expect(state.collected).toBe(1)
  })

  it('is compared with the least it was', () => {
    const { state, look } = looking(90 * MB)
    state.resident = 80 * MB
    look()
    state.resident = 101 * MB
    look()
    expect(state.collected).toBe(1)
  })
})

describe('a collection', () => {
  it('frees what is not held, and leaves no gc function behind', async () => {
    const gone = new WeakRef({})
    // A reference that was just made is held until the turn ends.
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    collectGarbage()
    expect(gone.deref()).toBeUndefined()
    expect('gc' in globalThis).toBe(false)
  })
})
