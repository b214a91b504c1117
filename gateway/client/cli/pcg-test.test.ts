// `gantry pcg test` and pictures of comparisons on files: generated in the process, without a gateway.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inflateSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { gantry as gantryIn } from './cli.fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'gantry-tests-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const gantry = (...args: string[]) => gantryIn({ HOME: folder, GANTRY_URL: 'http://127.0.0.1:1' }, ['pcg', ...args])
function file(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text)
  return path.join(folder, name)
}

const GRID = `  Grid:
    class: PCGCreatePointsGridSettings
    settings:
      GridExtents: [500, 500, 50]
`
const graph = (assertions: string, nodes = GRID, output = 'Grid.Out'): string =>
  `pcg: 1\ngraph: /Game/PCG/Grid\nnodes:\n${nodes}outputs:\n  Out: ${output}\n${assertions === '' ? '' : `tests:\n  assertions:\n${assertions}`}`
const GOOD = '    - { check: count, of: Grid, min: 100, max: 100 }\n    - { check: deterministic }\n'

it('exits with 0 where all assertions hold, and writes JUnit', async () => {
  const junit = path.join(folder, 'junit.xml')
  const answer = await gantry('test', file('good.pcg.yaml', graph(GOOD)), '--junit', junit)
  expect(answer).toMatchObject({ code: 0, error: '' })
  expect(answer.out).toContain('passed points of Grid: 100 to 100 (100)\npassed deterministic under one seed')
  const xml = readFileSync(junit, 'utf8')
  expect(xml).toContain('<testsuites tests="2" failures="0"')
  expect(xml.match(/<testcase /g)).toHaveLength(2)
})

it('exits with 1 where one fails, and names it with what it found', async () => {
  const junit = path.join(folder, 'failed.xml')
  const bad = file(
    'bad.pcg.yaml',
    graph('    - { check: no overlap, of: Grid, closer: 101 }\n    - { check: count, max: 0 }\n'),
  )
  const answer = await gantry('test', bad, '--junit', junit)
  expect(answer.code).toBe(1)
  expect(answer.out).toMatch(/FAILED no points of Grid closer than 101 cm \(\d+ pairs, the nearest 100\.0 cm apart\)/)
  expect(readFileSync(junit, 'utf8')).toMatch(/failures="1"[^]*<failure message="180 pairs, /)
  const json = await gantry('test', bad, '--json')
  expect(JSON.parse(json.out)).toMatchObject({ results: [{ passed: false }, { passed: true }] })
})

it('exits with 2 for a graph without assertions, a missing file and a missing subgraph', async () => {
  expect(await gantry('test', file('none.pcg.yaml', graph('')))).toMatchObject({
    code: 2,
    error: expect.stringContaining('has no assertions'),
  })
  expect(await gantry('test', path.join(folder, 'gone.pcg.yaml'))).toMatchObject({ code: 2 })
  const embeds = '  Sub:\n    class: PCGSubgraphSettings\n    settings:\n      SubgraphOverride: /Game/PCG/Inner\n'
  expect(
    await gantry('test', file('outer.pcg.yaml', graph('    - { check: within, ms: 60000 }\n', embeds, 'Sub.Out'))),
  ).toMatchObject({
    code: 2,
    error: expect.stringContaining('embeds /Game/PCG/Inner, which is not beside it'),
  })
})

it('finds embedded graphs beside the file', async () => {
  file('Inner.pcg.yaml', graph('').replace('/Game/PCG/Grid', '/Game/PCG/Inner'))
  const embeds = '  Sub:\n    class: PCGSubgraphSettings\n    settings:\n      SubgraphOverride: /Game/PCG/Inner\n'
  const outer = file(
    'outer.pcg.yaml',
    graph('    - { check: count, of: Sub, min: 100, max: 100 }\n', embeds, 'Sub.Out'),
  )
  expect(await gantry('test', outer)).toMatchObject({ code: 0 })
})

it('draws a comparison as a PNG whose pixels can be read', async () => {
  const picture = path.join(folder, 'diff.png')
  const changed = graph(GOOD, GRID.replace('[500, 500, 50]', '[600, 500, 50]'))
  expect(
    await gantry('diff', file('a.pcg.yaml', graph(GOOD)), file('b.pcg.yaml', changed), '--png', picture),
  ).toMatchObject({ code: 1 })
  const png = readFileSync(picture)
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  expect([png.subarray(1, 4).toString('latin1'), width >= 1280, height >= 400]).toEqual(['PNG', true, true])
  const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)))
  expect(rows).toHaveLength((width * 4 + 1) * height)
})
