// Stops of one moment share a look at all processes, and none relies on a look that began before it.
import { expect, it } from 'vitest'
import { createSweep, type Marked } from './marked.ts'

/** A double of the process table whose looks take until they are let through. */
function aTable() {
  const alive = new Map<number, string>()
  const waiting: (() => void)[] = []
  let looks = 0
  const sweep = createSweep(
    () => {
      looks += 1
      // What it sees is what there is when it begins.
      const seen: readonly Marked[] = [...alive].map(([pid, marker]) => ({ pid, marker }))
      return new Promise((resolve) => waiting.push(() => resolve(seen)))
    },
    (pid) => alive.delete(pid),
  )
  async function open(work: Promise<unknown>): Promise<void> {
    const state = { isOpen: true }
    void work.finally(() => {
      state.isOpen = false
    })
    while (state.isOpen) {
      waiting.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { alive, sweep, looks: () => looks, open }
}

it('a hundred stops of one moment look twice: the one that began with the first, and one for the others', async () => {
  const { sweep, looks, open } = aTable()
  await open(Promise.all(Array.from({ length: 100 }, (_, at) => sweep.end(`gateway:${at};`))))
  expect(looks()).toBe(2)
  await open(sweep.end('gateway:100;'))
  expect(looks()).toBe(3)
})

it('a stop that comes after a look began makes another look, and ends what the first did not see', async () => {
  const { alive, sweep, looks, open } = aTable()
  const first = sweep.end('gateway:1;')
  alive.set(5, 'gateway:2;')
  const second = sweep.end('gateway:2;')
  await open(Promise.all([first, second]))
  expect(alive.size).toBe(0)
  // The third sees that it is gone.
  expect(looks()).toBe(3)
})

it('looks again while a process starts another as it ends, and leaves those of other markers', async () => {
  const alive = new Map([
    [1, 'gateway:1;'],
    [9, 'gateway:11;'],
  ])
  let left = 3
  const sweep = createSweep(
    async () => [...alive].map(([pid, marker]) => ({ pid, marker })),
    (pid) => {
      alive.delete(pid)
      if ((left -= 1) > 0) alive.set(pid + 1, 'gateway:1;')
      return true
    },
  )
  await sweep.end('gateway:1;')
  expect([...alive]).toEqual([[9, 'gateway:11;']])
})

it('a look that fails fails the stops that waited for it, and no later one', async () => {
  let fails = true
  const sweep = createSweep(async () => {
    if (fails) throw new Error('no /proc')
    return []
  })
  await expect(Promise.all([sweep.end('a'), sweep.end('b')])).rejects.toThrow('no /proc')
  fails = false
  await sweep.end('a')
})
