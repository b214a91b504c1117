// The memory budget of answers: small ones always fit, large ones up to a limit, processed in turn, without leaks.
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryBudget, LARGE_BYTES } from './memory-budget.ts'

const MiB = 1_048_576

describe('room', () => {
  it('rejects a large answer beyond the limit, and is released', () => {
    const room = createMemoryBudget({ mostBytes: 3 * MiB, mostWorkBytes: MiB })
    const [first, second] = [room.account(), room.account()]
    expect([first.take(2 * MiB), second.take(MiB), second.take(1)]).toEqual([true, true, false])
    first.free()
    expect(second.take(2 * MiB)).toBe(true)
  })

  it('accepts small answers even when full', () => {
    const room = createMemoryBudget({ mostBytes: MiB, mostWorkBytes: MiB })
    room.account().hold(5 * MiB)
    const small = room.account()
    expect([small.take(LARGE_BYTES), small.take(1)]).toEqual([true, false])
  })

  it('counts existing bytes, and releases each once', () => {
    const room = createMemoryBudget({ mostBytes: MiB, mostWorkBytes: MiB })
    const held = room.account()
    held.hold(MiB)
    expect(room.account().take(MiB)).toBe(false)
    held.free()
    held.free()
    const [again, more] = [room.account(), room.account()]
    expect([again.take(MiB), more.take(MiB)]).toEqual([true, false])
  })
})

describe('a turn', () => {
  it('admits large answers one at a time and in order; small ones need no turn', async () => {
    const room = createMemoryBudget({ mostBytes: 100 * MiB, mostWorkBytes: 2 * MiB })
    const accounts = [3, 1, 1, 1].map((size) => {
      const account = room.account()
      account.take(size * MiB)
      return account
    })
    const done: number[] = []
    const turns = accounts.map((account) => account.turn())
    for (const [at, turn] of turns.entries()) void turn?.then(() => done.push(at))
    // An answer above the limit is processed alone.
    expect(turns.map((turn) => turn === undefined)).toEqual([true, false, false, false])
    expect(room.account().turn()).toBeUndefined()
    accounts[0]?.free()
    await nextTurn()
    await nextTurn()
    expect(done).toEqual([1, 2])
    accounts[2]?.free()
    await nextTurn()
    await nextTurn()
    expect(done).toEqual([1, 2, 3])
  })

  it('is dropped when its waiter leaves', async () => {
    const room = createMemoryBudget({ mostBytes: 100 * MiB, mostWorkBytes: 2 * MiB })
    const [first, second, third] = [2, 1, 1].map((size) => {
      const account = room.account()
      account.take(size * MiB)
      return account
    })
    const done: string[] = []
    void first?.turn()
    void second?.turn()?.then(() => done.push('second'))
    void third?.turn()?.then(() => done.push('third left'))
    third?.free()
    await nextTurn()
    await nextTurn()
    // The first still runs and uses the whole budget.
    expect(done).toEqual(['third left'])
    first?.free()
    await nextTurn()
    await nextTurn()
    expect(done).toEqual(['third left', 'second'])
  })

  it('reaches every waiter, and never admits more than fit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 12 }), async (sizes) => {
        const room = createMemoryBudget({ mostBytes: 1_000 * MiB, mostWorkBytes: 4 * MiB })
        const working: number[] = []
        const together: (readonly number[])[] = []
        await Promise.all(
          sizes.map(async (size) => {
            const account = room.account()
            account.take(size * MiB)
            await account.turn()
            if (size > 0) working.push(size)
            together.push([...working])
            await nextTurn()
            if (size > 0) working.splice(working.indexOf(size), 1)
            account.free()
          }),
        )
        for (const sizes of together.filter(({ length }) => length > 1))
          expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(4)
      }),
      { numRuns: 50 },
    )
  })
})
