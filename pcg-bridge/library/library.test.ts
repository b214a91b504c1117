// Every template is canonical text without findings, and makes what it promises: judged by geometry without code of the nodes.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { firstLevel } from '../editor/document.ts'
import { held, planOf, runPlan, vectors } from '../embedded/generation/graph.fixture.ts'
import { heightAt } from '../embedded/generation/height-field.ts'
import { toAsset } from '../review/asset.ts'
import { emptyReview } from '../review/graph.ts'
import { lintGraph, lintLine } from '../review/lint/lint.ts'
import { applyPatch } from '../review/patch.ts'
import { parseText, printText } from '../review/text.ts'
import { TEMPLATES, TEXTS, templateGraph, templateSteps } from './index.ts'
import { libraryActor, librarySources, PLACES } from './sample.ts'
import { libraryModule } from './write-texts.ts'

type Id = keyof typeof TEXTS
const HALF = 2000
const plan = (id: Id, overrides: Readonly<Record<string, number>> = {}) =>
  planOf(toAsset(templateGraph({ id })), { actor: libraryActor, sources: librarySources, overrides })
const spawned = (id: Id, overrides: Readonly<Record<string, number>> = {}) =>
  Object.fromEntries(
    runPlan(plan(id, overrides)).spawned.map(({ asset, instances }) => [asset.split('/').at(-1) ?? '', instances]),
  )
const total = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, count) => sum + count, 0)
const places = (id: Id, node: string, dataIndex = 0) => vectors(held(plan(id), node, undefined, dataIndex))
const field = firstLevel().actors.find((actor) => actor.heightField)?.heightField
const ground = (x: number, y: number): number => {
  if (!field) throw new Error('The level has no landscape')
  return heightAt(field, x, y)
}
const onGround = (list: readonly (readonly [number, number, number])[]) => {
  for (const [x, y, z] of list) expect(z).toBeCloseTo(ground(x, y), 4)
}
const inClearing = ([x, y]: readonly number[]) => Math.max(Math.abs(x ?? 0), Math.abs(y ?? 0)) < 800

describe('the library', () => {
  it('has a row for each text, twelve of them', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.pcg.yaml'))
    expect(TEMPLATES.map(({ id }) => `${id}.pcg.yaml`).toSorted()).toEqual(files.toSorted())
    expect(files).toHaveLength(12)
  })
  it('is the module that its texts make; regenerate with: node pcg-bridge/library/write-texts.ts', () => {
    expect(readFileSync(new URL('texts.ts', import.meta.url), 'utf8')).toBe(libraryModule())
  })
  it.each(TEMPLATES)('$id is formatted, has typed parameters, and the linter finds nothing', ({ id }) => {
    const { graph, comments } = parseText(TEXTS[id])
    expect(printText(graph)).toBe(TEXTS[id])
    expect(comments).toEqual([])
    expect(graph.parameters.size).toBeGreaterThan(0)
    expect(lintGraph(graph).map(lintLine)).toEqual([])
  })
  it.each(TEMPLATES)('$id generates without warnings, and every spawner places something', ({ id }) => {
    const { reports, output } = runPlan(plan(id))
    expect(
      reports.flatMap(({ node, warnings, errors }) => [...warnings, ...errors].map((text) => `${node}: ${text}`)),
    ).toEqual([])
    const graph = templateGraph({ id })
    const spawners = [...graph.nodes].filter(
      ([, node]) => node.class.includes('Spawner') || node.class.includes('SpawnSpline'),
    )
    for (const [name] of spawners) expect(reports.find(({ node }) => node === name)?.spawned, name).toBeGreaterThan(0)
    expect(output.length).toBeGreaterThanOrEqual(spawners.length)
  })
  it.each(TEMPLATES)('$id is added to a graph twice: names give way, both halves stay valid', ({ id }) => {
    const at = { x: 100, y: 200 }
    const first = applyPatch(emptyReview(), templateSteps({ id }, { nodes: [], parameters: [], at }))
    const again = templateSteps({ id }, { nodes: first.nodes.keys(), parameters: first.parameters.keys(), at })
    const both = applyPatch(first, again)
    const { nodes, edges, parameters } = templateGraph({ id })
    expect([both.nodes.size, both.edges.length, both.parameters.size]).toEqual([
      2 * nodes.size,
      2 * edges.length,
      parameters.size,
    ])
    expect(
      lintGraph(both)
        .filter(({ severity }) => severity === 'error')
        .map(lintLine),
    ).toEqual([])
    expect(Math.min(...[...first.layout.nodes.values()].map(({ x }) => x))).toBe(100)
  })
  it('a parameter of a template takes another value of its type, and no other', () => {
    const steps = (value: number | string) =>
      templateSteps({ id: 'ruins' }, { nodes: [], parameters: [], at: { x: 0, y: 0 } }, { IntactShare: value })
    expect(steps(0.25)).toContainEqual(
      expect.objectContaining({ do: 'parameter', parameter: 'IntactShare', value: 0.25 }),
    )
    expect(steps('much')).toContainEqual(
      expect.objectContaining({ do: 'parameter', parameter: 'IntactShare', value: 0.6 }),
    )
  })
})

describe('what the templates make', () => {
  it('forest-with-clearing: trees outside of the clearing, more of them at a higher density', () => {
    const trees = places('forest-with-clearing', 'Trees')
    expect(trees.length).toBeGreaterThan(100)
    expect(trees.filter(inClearing)).toEqual([])
    expect(total(spawned('forest-with-clearing', { TreesPerSquareMeter: 0.05 }))).toBeLessThan(trees.length)
  })
  it('scatter-by-slope: rocks where the ground leans more than 3 degrees', () => {
    const rocks = places('scatter-by-slope', 'Rocks')
    expect(rocks.length).toBeGreaterThan(20)
    for (const [x, y] of rocks) {
      const lean = Math.hypot(ground(x + 1, y) - ground(x, y), ground(x, y + 1) - ground(x, y))
      expect((Math.atan(lean) * 180) / Math.PI).toBeGreaterThan(2.9)
    }
  })
  it('path-with-lamps: a paving for each piece of the spline, lamps on the ground; half of them by its parameter', () => {
    expect(spawned('path-with-lamps')).toMatchObject({ Paving: 3, Lamp: 9 })
    onGround(places('path-with-lamps', 'Lamps'))
    expect(spawned('path-with-lamps', { LampShare: 0.5 })['Lamp']).toBeLessThan(9)
  })
  it('fence-along-spline: as many posts as panels, as many pairs as the 64 m around hold', () => {
    const pairs = Math.floor(6400 / (20 + 200))
    expect(spawned('fence-along-spline')).toEqual({ Post: pairs, Panel: pairs })
    onGround(places('fence-along-spline', 'PostMesh'))
    expect(held(plan('fence-along-spline', { PanelHeight: 300 }), 'Divide').rows[0]?.['$BoundsMax']).toEqual([
      10, 1, 150,
    ])
  })
  it('city-block: a gate in each of four sides, buildings on them, trees inside the yard alone', () => {
    const counts = spawned('city-block')
    expect(counts['Gate']).toBe(4)
    expect((counts['House'] ?? 0) + (counts['Tower'] ?? 0)).toBeGreaterThanOrEqual(8)
    for (const node of ['GateMesh', 'HouseMesh', 'TowerMesh'])
      for (const [x, y] of places('city-block', node)) expect(Math.max(Math.abs(x), Math.abs(y))).toBeCloseTo(800, 6)
    const trees = places('city-block', 'TreeMesh')
    expect(trees.length).toBeGreaterThan(3)
    for (const [x, y] of trees) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(500)
  })
  it('cliffs: pieces at heights of whole steps', () => {
    const { data = 0 } = runPlan(plan('cliffs')).reports.find(({ node }) => node === 'Cliffs') ?? {}
    const all = Array.from({ length: data }, (_, index) => places('cliffs', 'Cliffs', index)).flat()
    expect(all.length).toBeGreaterThan(8)
    for (const [, , z] of all) expect(Math.abs(z / 50 - Math.round(z / 50))).toBeLessThan(1e-6)
  })
  it('river-bank: reeds and stones on the ground, about the shares of the bank that are asked for', () => {
    const bank = places('river-bank', 'Bank').length
    const reeds = places('river-bank', 'ReedMesh')
    expect(bank).toBeGreaterThan(100)
    expect(Math.abs(reeds.length / bank - 0.7)).toBeLessThan(0.15)
    onGround(reeds)
    onGround(places('river-bank', 'StoneMesh'))
  })
  it('ruins: 16 blocks a side in five courses, of which the share is left, both meshes', () => {
    const blocks = 4 * 16 * 5
    const counts = spawned('ruins')
    expect(Math.abs(total(counts) / blocks - 0.6)).toBeLessThan(0.1)
    expect(Object.keys(counts).toSorted()).toEqual(['Block', 'BrokenBlock'])
    expect(total(spawned('ruins', { IntactShare: 1, Courses: 1 }))).toBe(4 * 16 * 2)
  })
  it('crop-field: rows inside the spline, the share of them grown, on the ground', () => {
    const rows = places('crop-field', 'Rows')
    const grown = places('crop-field', 'Down')
    expect(rows.length).toBeGreaterThanOrEqual(19 * 19)
    for (const [x, y] of rows) expect([Math.abs(x % 80), Math.abs(y % 80)]).toEqual([0, 0])
    expect(Math.abs(grown.length / rows.length - 0.95)).toBeLessThan(0.04)
    onGround(grown)
  })
  it('vegetation-layers: fewer trees than bushes than grass, and no bush in a tree', () => {
    const { Tree = 0, Bush = 0, Grass = 0 } = spawned('vegetation-layers')
    expect(Tree).toBeGreaterThan(10)
    expect(Bush).toBeGreaterThan(2 * Tree)
    expect(Grass).toBeGreaterThan(2 * Bush)
    const trees = places('vegetation-layers', 'TreeMesh')
    // A tree reaches 150 each way; boxes lean with the ground by a few degrees.
    for (const [x, y] of places('vegetation-layers', 'BushMesh'))
      for (const [tx, ty] of trees) expect(Math.max(Math.abs(x - tx), Math.abs(y - ty))).toBeGreaterThan(120)
  })
  it('debris-by-density-map: where the picture is bright, in the half with X below zero', () => {
    const debris = places('debris-by-density-map', 'Debris')
    expect(debris.length).toBeGreaterThan(100)
    for (const [x] of debris) expect(x).toBeLessThan(HALF / 4)
    expect(total(spawned('debris-by-density-map', { LeastDensity: 0.95 }))).toBeLessThan(debris.length)
  })
  it('points-from-a-table: a mesh for each row, at its place on the ground', () => {
    const found = places('points-from-a-table', 'Things')
    expect(found.map(([x, y]) => [x, y])).toEqual(PLACES.map(({ Place }) => [Place.X, Place.Y]))
    onGround(found)
    expect(spawned('points-from-a-table')).toEqual({ Well: 2, Cart: 2 })
  })
})
