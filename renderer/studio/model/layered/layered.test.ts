import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Wire } from './columns.ts'
import { layered, type Place, type Sizes } from './layered.ts'

const MOST = 60
const anyBoxes = fc.array(fc.record({ w: fc.integer({ min: 1, max: 400 }), h: fc.integer({ min: 1, max: 300 }) }), {
  minLength: 1,
  maxLength: MOST,
})
const anyWires = fc.array(
  fc.record({ from: fc.nat(MOST - 1), to: fc.nat(MOST - 1), fromY: fc.nat(300), toY: fc.nat(300) }),
  { maxLength: 120 },
)
/** Edges between existing boxes; without cycles each leads to a later box. */
const graphs = (circles: boolean): fc.Arbitrary<Sizes> =>
  fc.tuple(anyBoxes, anyWires).map(([boxes, wires]) => ({
    boxes,
    wires: wires.flatMap((wire) => {
      const [a, b] = [wire.from % boxes.length, wire.to % boxes.length]
      if (circles) return [{ ...wire, from: a, to: b }]
      return a === b ? [] : [{ ...wire, from: Math.min(a, b), to: Math.max(a, b) }]
    }),
  }))

function overlaps({ boxes }: Sizes, places: readonly Place[]): readonly (readonly [number, number])[] {
  const all = boxes.map((box, at) => ({ ...box, ...(places[at] ?? { x: Number.NaN, y: Number.NaN }) }))
  return all.flatMap((a, at) =>
    all.slice(at + 1).flatMap((b, further) => {
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y
      return apart ? [] : [[at, at + 1 + further] as const]
    }),
  )
}

const wire = (from: number, to: number, fromY = 43, toY = 43): Wire => ({ from, to, fromY, toY })
const same = (count: number) => Array.from({ length: count }, () => ({ w: 200, h: 80 }))

describe('columns of a large graph', () => {
  it('boxes never overlap, with or without cycles, and equal graphs get equal layouts', () => {
    fc.assert(
      fc.property(fc.boolean().chain(graphs), (graph) => {
        const places = layered(graph)
        expect(places).toHaveLength(graph.boxes.length)
        expect(overlaps(graph, places)).toEqual([])
        expect(layered(graph)).toEqual(places)
      }),
    )
  })

  it('every edge of an acyclic graph runs to the right', () => {
    fc.assert(
      fc.property(graphs(false), (graph) => {
        const places = layered(graph)
        for (const { from, to } of graph.wires)
          expect((places[from]?.x ?? Number.NaN) + (graph.boxes[from]?.w ?? 0)).toBeLessThan(
            places[to]?.x ?? Number.NaN,
          )
      }),
    )
  })

  it('lays out a chain of thousands as a straight line, and reports progress', () => {
    const count = 3_000
    const shares: number[] = []
    const wires = Array.from({ length: count - 1 }, (_none, at) => wire(at, at + 1))
    const places = layered({ boxes: same(count), wires }, (share) => shares.push(share))
    expect(new Set(places.map(({ y }) => y)).size).toBe(1)
    expect(places[1]?.x).toBe(272)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.at(-1)).toBe(1)
  })

  it('avoids unnecessary crossings: boxes follow the order of pins', () => {
    const places = layered({
      boxes: same(4),
      wires: [wire(0, 2, 60), wire(0, 1, 40), wire(1, 3, 40, 40), wire(2, 3, 40, 60)],
    })
    expect(places[1]?.y).toBeLessThan(places[2]?.y ?? 0)
  })

  it('places a box with one consumer next to it, not in the first column', () => {
    const wires = [wire(0, 1), wire(1, 2), wire(2, 3), wire(4, 3, 43, 65)]
    const places = layered({ boxes: same(5), wires })
    expect(places[4]?.x).toBe(places[2]?.x)
  })

  it('places disconnected parts in rows, not in one column', () => {
    const places = layered({ boxes: same(100), wires: [] })
    const [columns, rows] = [new Set(places.map(({ x }) => x)), new Set(places.map(({ y }) => y))]
    expect(columns.size * rows.size).toBeGreaterThanOrEqual(100)
    expect(Math.abs(columns.size * 256 - rows.size * 136 * 1.6)).toBeLessThan(600)
  })

  it('long edges do not enlarge the layout', () => {
    const count = 600
    const chain = Array.from({ length: count - 1 }, (_none, at) => wire(at, at + 1))
    const fan = Array.from({ length: count - 2 }, (_none, at) => wire(0, at + 2))
    const graph = { boxes: same(count), wires: [...chain, ...fan] }
    expect(overlaps(graph, layered(graph))).toEqual([])
  })
})
