// Holding a tree that runs already. The system is a double: processes are rows, and each look may find more of them.
import { expect, it } from 'vitest'
import { holdWithDescendants, type System } from './descendants.ts'

type Row = { readonly pid: number; readonly parent: number; readonly born?: number; readonly isFree?: boolean }

/** `looks`: what each look shows, the last one from then on. A process that a held one starts is held, unless it `isFree`. */
function aSystem(looks: readonly (readonly Row[])[], refused: readonly number[] = []) {
  const held = new Set<number>()
  let at = -1
  let counted = 0
  const now = (): readonly Row[] => looks[Math.min(Math.max(at, 0), looks.length - 1)] ?? []
  const system: System = {
    look() {
      at += 1
      counted += 1
      for (const { pid, parent, isFree } of now()) if (!isFree && held.has(parent)) held.add(pid)
      return now()
    },
    bornAt(pid) {
      const row = now().find((each) => each.pid === pid)
      return row && BigInt(row.born ?? pid)
    },
    hold(pid) {
      if (refused.includes(pid)) throw new Error(`refused ${pid}`)
      held.add(pid)
    },
    held: () => held,
  }
  return { system, held: (): readonly number[] => [...held].sort((a, b) => a - b), looks: () => counted }
}

const ROOT = { pid: 10, parent: 1 }

it('one look is enough for a process that started nothing', () => {
  const { system, held, looks } = aSystem([[ROOT, { pid: 20, parent: 1 }]])
  holdWithDescendants(10, system)
  expect([held(), looks()]).toEqual([[10], 1])
})

it('holds what was started before, in every generation, listed in any order', () => {
  const free = { isFree: true }
  const { system, held } = aSystem([
    [{ pid: 13, parent: 12, ...free }, { pid: 12, parent: 11, ...free }, { pid: 11, parent: 10, ...free }, ROOT],
  ])
  holdWithDescendants(10, system)
  expect(held()).toEqual([10, 11, 12, 13])
})

it('looks again for what these started before they were held, also after their parent ended', () => {
  const { system, held, looks } = aSystem([
    [ROOT, { pid: 11, parent: 10, isFree: true }],
    [ROOT, { pid: 12, parent: 11, isFree: true }],
    [ROOT, { pid: 12, parent: 11, isFree: true }],
  ])
  holdWithDescendants(10, system)
  expect([held(), looks()]).toEqual([[10, 11, 12], 3])
})

it('leaves alone what is older than its parent: that number belonged to another process', () => {
  const { system, held } = aSystem([[ROOT, { pid: 11, parent: 10, born: 5, isFree: true }]])
  holdWithDescendants(10, system)
  expect(held()).toEqual([10])
})

it('leaves alone the children of a process that got the number of a descendant', () => {
  const { system, held } = aSystem([
    [ROOT, { pid: 11, parent: 10, isFree: true }],
    [ROOT, { pid: 11, parent: 1, born: 50 }, { pid: 60, parent: 11, isFree: true }],
  ])
  holdWithDescendants(10, system)
  expect(held()).toEqual([10, 11])
})

it('throws where one cannot be held', () => {
  const { system } = aSystem([[ROOT, { pid: 11, parent: 10, isFree: true }]], [11])
  expect(() => holdWithDescendants(10, system)).toThrow('refused 11')
})

it('throws where every look finds another one', () => {
  const looks = Array.from({ length: 200 }, (_, at) => [
    ROOT,
    ...Array.from({ length: at + 1 }, (_each, n) => ({ pid: 11 + n, parent: 10, isFree: true })),
  ])
  expect(() => holdWithDescendants(10, aSystem(looks).system)).toThrow('faster than they can be held')
})
