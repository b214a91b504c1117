// Every starter is generated, and its result judged by geometry that shares no code with the nodes.
import { describe, expect, it } from 'vitest'
import { STARTERS } from '../../catalog/index.ts'
import { firstLevel } from '../../editor/document.ts'
import { held, planOf, runPlan, vectors, volume } from './graph.fixture.ts'
import { heightAt } from './height-field.ts'
import { graphOfStarter, starter } from './starters.fixture.ts'

type Place = readonly [number, number, number]
const AREA = { actor: volume([2000, 2000, 2000]) }
const plan = (id: string) => planOf(graphOfStarter(starter(id)), AREA)
const instances = (id: string, asset: RegExp) =>
  runPlan(plan(id))
    .spawned.filter((item) => asset.test(item.asset))
    .reduce((sum, item) => sum + item.instances, 0)

const landscape = firstLevel().actors.find((actor) => actor.heightField)?.heightField
const ground = (x: number, y: number): number => {
  if (!landscape) throw new Error('The level has no landscape')
  return heightAt(landscape, x, y)
}
/** Degrees from the vertical of the triangle through three places of the ground, one centimetre apart. */
function slopeAt(x: number, y: number): number {
  const [rise, run] = [ground(x + 1, y) - ground(x, y), ground(x, y + 1) - ground(x, y)]
  return (Math.atan(Math.sqrt(rise * rise + run * run)) * 180) / Math.PI
}
/** How often the closed curve of the level goes around a place: the angles to its corners, added. */
function turnsAround(corners: readonly (readonly number[])[], x: number, y: number): number {
  const angles = corners.map(([cx = 0, cy = 0]) => Math.atan2(cy - y, cx - x))
  const total = angles.reduce((sum, angle, i) => {
    const turn = (angles[(i + 1) % angles.length] ?? 0) - angle
    return sum + (turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn)
  }, 0)
  return Math.round(total / (2 * Math.PI))
}

it.each(STARTERS)('“$name” spawns instances with every spawner', (each) => {
  const { reports } = runPlan(planOf(graphOfStarter(each), AREA))
  const spawners = Object.entries(each.nodes).filter(([, [type]]) => type === 'StaticMeshSpawner')
  expect(spawners.length).toBeGreaterThan(0)
  for (const [name] of spawners) expect(reports.find(({ node }) => node === name)?.spawned).toBeGreaterThan(5)
})

describe('“Scatter on the ground”', () => {
  it('stands every point on the landscape, inside the volume, and no box in another', () => {
    const places = vectors(held(plan('scatter'), 'Turn')) as Place[]
    for (const [x, y, z] of places) {
      expect(z).toBeCloseTo(ground(x, y), 6)
      expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(2000)
    }
    // Before the points are turned a box reaches 50 cm each way.
    const pruned = vectors(held(plan('scatter'), 'Apart')) as Place[]
    for (const [i, a] of pruned.entries())
      for (const b of pruned.slice(i + 1)) {
        const gaps = a.map((value, k) => Math.abs(value - (b[k] ?? 0)))
        // Boxes lean with the ground by at most 6°, which widens them by less than 11 cm.
        expect(Math.max(...gaps)).toBeGreaterThan(89)
      }
  })
})

describe('“Forest with a clearing”', () => {
  const corners = firstLevel().actors.find((actor) => actor.tags.includes('Clearing'))?.spline?.points ?? []

  it('plants no tree inside the curve and as many as asked for outside', () => {
    const trees = vectors(held(plan('clearing'), 'Apart')) as Place[]
    expect(corners).toHaveLength(4)
    for (const [x, y] of trees) expect(Math.abs(turnsAround(corners, x, y))).toBe(0)
    // 0.15 a square metre on 40 m × 40 m less 16 m × 16 m are 202; pruning takes some of them.
    expect(trees.length).toBeGreaterThan(100)
    expect(trees.length).toBeLessThan(210)
    expect(instances('clearing', /Bush|Tree/)).toBe(trees.length)
  })

  it('sets the posts of the fence on the curve at equal chords, none doubled', () => {
    const posts = vectors(held(plan('clearing'), 'Down')) as Place[]
    expect(posts).toHaveLength(32)
    for (const [i, [x, y, z]] of posts.entries()) {
      const [nextX = 0, nextY = 0] = posts[(i + 1) % posts.length] ?? []
      expect(Math.sqrt((nextX - x) ** 2 + (nextY - y) ** 2)).toBeCloseTo(200, 6)
      expect(Math.max(Math.abs(x), Math.abs(y))).toBeCloseTo(800, 6)
      expect(z).toBeCloseTo(ground(x, y), 6)
    }
  })
})

describe('“Rocks where it is steep”', () => {
  it('sets rocks only where the ground leans more than 3°, and on every such sample', () => {
    const rocks = vectors(held(plan('slope'), 'Turn')) as Place[]
    for (const [x, y] of rocks) expect(slopeAt(x, y)).toBeGreaterThan(2.8)
    const samples = vectors(held(plan('slope'), 'Sample')) as Place[]
    const steep = samples.filter(([x, y]) => slopeAt(x, y) > 3.2)
    expect(rocks.length).toBeGreaterThanOrEqual(steep.length)
    expect(rocks.length).toBeLessThan(samples.length)
  })
})
