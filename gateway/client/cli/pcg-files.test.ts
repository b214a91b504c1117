// Graphs as files on the command line, without a gateway: what is written, and the exit codes that scripts read.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { gantry as gantryIn } from './cli.fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'gantry-graphs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
/** No gateway answers: none is needed. */
const gantry = (...args: string[]) => gantryIn({ HOME: folder, GANTRY_URL: 'http://127.0.0.1:1' }, ['pcg', ...args])
const at = (name: string): string => path.join(folder, name)
function file(name: string, text: string): string {
  mkdirSync(path.dirname(at(name)), { recursive: true })
  writeFileSync(at(name), text)
  return at(name)
}

const node = (name: string, properties: object = {}) => ({ name, class: 'PCGDensityFilterSettings', properties })
const edge = (from: string, to: string) => ({ from, fromPin: 'Out', to, toPin: 'In' })
const asset = (nodes: object[], edges: object[]): string =>
  JSON.stringify({
    kind: 'PCGGraph',
    version: 1,
    nodes,
    edges,
    parameters: [],
    inputPins: [],
    outputPins: [],
    serials: {},
    positions: {},
    comments: [],
  })
const WOOD = asset(
  [node('Filter_0', { LowerBound: 0.25, UpperBound: 1 }), node('Filter_1')],
  [edge('Filter_0', 'Filter_1')],
)
const TEXT = `pcg: 1
graph: /Game/PCG/Wood
nodes:
  Filter_0:
    class: PCGDensityFilterSettings
    settings:
      LowerBound: 0.25
  Filter_1:
    class: PCGDensityFilterSettings
    inputs:
      In: Filter_0.Out
`

describe('gantry pcg export and import', () => {
  it('write the text of a project file, and the file from its text', async () => {
    const wood = file('project/Content/PCG/Wood.pcg.json', WOOD)
    expect(await gantry('export', wood)).toEqual({ code: 0, out: TEXT, error: '' })
    expect(await gantry('export', wood, '-o', at('wood.pcg.yaml'))).toEqual({ code: 0, out: '', error: '' })
    expect(await gantry('import', at('wood.pcg.yaml'), '--output', at('back.pcg.json'))).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(at('back.pcg.json'), 'utf8'))).toMatchObject({
      nodes: [node('Filter_0', { LowerBound: 0.25 }), node('Filter_1')],
      edges: [edge('Filter_0', 'Filter_1')],
      serials: { Filter: 1 },
    })
  })

  it('keep the id of a node that was given another name in the editor', async () => {
    const target = file('kept.pcg.yaml', TEXT)
    const renamed = file(
      'Renamed.pcg.json',
      asset([node('Thin', { LowerBound: 0.25 }), node('Filter_1')], [edge('Thin', 'Filter_1')]),
    )
    await gantry('export', renamed, '-o', target)
    expect(readFileSync(target, 'utf8')).toContain('  Filter_0:\n    class: PCGDensityFilterSettings\n    name: Thin\n')
  })

  it('end with 2 and a line for what is no graph, and write nothing', async () => {
    const broken = file('broken.pcg.yaml', 'pcg: 1\nnodes:\n  A:\n    klass: X\n')
    expect(await gantry('import', broken, '-o', at('never.pcg.json'))).toMatchObject({
      code: 2,
      error: expect.stringContaining('broken.pcg.yaml:'),
    })
    expect(existsSync(at('never.pcg.json'))).toBe(false)
    expect(await gantry('export', at('absent'))).toMatchObject({
      code: 2,
      error: expect.stringContaining('cannot be read'),
    })
    const conflict = file('conflict.pcg.yaml', `${TEXT}---\nconflicts:\n  - kind: setting\n`)
    expect(await gantry('import', conflict)).toMatchObject({
      code: 2,
      error: expect.stringContaining('1 unresolved conflict:'),
    })
  })
})

describe('gantry pcg fmt', () => {
  it('writes the one form, and only checks with --check', async () => {
    const loose = file(
      'loose.pcg.yaml',
      TEXT.replace('LowerBound: 0.25', '"UpperBound": 1.0\n      LowerBound: 2.5e-1'),
    )
    expect(await gantry('fmt', loose, '--check')).toMatchObject({ code: 1, out: 'not formatted\n' })
    expect(await gantry('fmt', loose)).toMatchObject({ code: 0, out: 'formatted\n' })
    expect(readFileSync(loose, 'utf8')).toBe(TEXT)
    expect(await gantry('fmt', loose, '--check')).toMatchObject({ code: 0, out: 'already formatted\n' })
  })

  it('removes no comment without being asked', async () => {
    const noted = file('noted.pcg.yaml', TEXT.replace('nodes:', 'nodes: # why'))
    expect(await gantry('fmt', noted)).toMatchObject({ code: 2, error: expect.stringContaining('--drop-comments') })
    expect(readFileSync(noted, 'utf8')).toContain('# why')
    expect(await gantry('fmt', noted, '--drop-comments')).toMatchObject({ code: 0 })
    expect(readFileSync(noted, 'utf8')).toBe(TEXT)
  })
})

describe('gantry pcg diff', () => {
  it('compares a project file with a text: 0 for the same, 1 for differences, as text and as JSON', async () => {
    const [wood, text] = [file('Content/PCG/Wood.pcg.json', WOOD), file('same.pcg.yaml', TEXT)]
    expect(await gantry('diff', wood, text)).toMatchObject({ code: 0, out: 'no differences\n' })
    const other = file('other.pcg.yaml', TEXT.replace('0.25', '0.5').replaceAll('Filter_1', 'Thin'))
    expect(await gantry('diff', wood, other)).toMatchObject({
      code: 1,
      out: '~ Filter_0: LowerBound 0.25 → 0.5\n= node Filter_1 is now named Thin\n',
    })
    const { code, out } = await gantry('diff', wood, other, '--json')
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      {
        changes: [
          { kind: 'setting', before: 0.25, after: 0.5 },
          { kind: 'node renamed', after: 'Thin' },
        ],
        layout: [],
      },
    ])
  })

  it('counts the layout only when asked, and writes a picture of both', async () => {
    const [plain, placed] = [
      file('a.pcg.yaml', TEXT),
      file('b.pcg.yaml', `${TEXT}---\nlayout:\n  nodes:\n    Filter_0: { x: 1, y: 2 }\n`),
    ]
    expect(await gantry('diff', plain, placed)).toMatchObject({
      code: 0,
      out: expect.stringContaining('layout: 1 node changed'),
    })
    expect(await gantry('diff', plain, placed, '--layout', '--svg', at('diff.svg'))).toMatchObject({ code: 1 })
    expect(readFileSync(at('diff.svg'), 'utf8')).toMatch(/^<svg [^]*Before · \/Game\/PCG\/Wood[^]*After[^]*<\/svg>\n$/)
  })
})

describe('gantry pcg merge', () => {
  const [base, ours, theirs] = [TEXT, TEXT.replace('0.25', '0.4'), TEXT.replace('0.25', '0.75')].map((text, at) =>
    file(`m${at}.pcg.yaml`, text),
  )
  const line = ['merge', base ?? '', ours ?? '', theirs ?? '']

  it('writes the graph with both edits and ends with 0', async () => {
    const added = file(
      'added.pcg.yaml',
      TEXT.replace('  Filter_1:', '  Extra:\n    class: PCGMergeSettings\n  Filter_1:'),
    )
    const { code, out, error } = await gantry('merge', base ?? '', ours ?? '', added)
    expect([code, error]).toEqual([0, ''])
    expect(out).toContain('Extra')
    expect(out).toContain('LowerBound: 0.4')
  })

  it('names each conflict, writes the favored side with the conflicts, and ends with 1', async () => {
    expect(await gantry(...line, '-o', at('merged.pcg.yaml'))).toEqual({
      code: 1,
      out: '',
      error: `gantry: ${ours}: conflict: Filter_0: LowerBound: ours 0.4, theirs 0.75, before 0.25\n`,
    })
    expect(readFileSync(at('merged.pcg.yaml'), 'utf8')).toBe(
      `${TEXT.replace('0.25', '0.4')}---\nconflicts:\n  - kind: setting\n    node: Filter_0\n    setting: LowerBound\n    base: 0.25\n    ours: 0.4\n    theirs: 0.75\n`,
    )
    expect(await gantry(...line, '--favor', 'theirs')).toMatchObject({
      code: 1,
      out: expect.stringContaining('LowerBound: 0.75'),
    })
    const { out } = await gantry(...line, '--json')
    expect(JSON.parse(out)).toMatchObject({ conflicts: [{ kind: 'setting', ours: 0.4, theirs: 0.75 }], rekeyed: [] })
  })

  it('refuses another side to favor, and a file that has conflicts already', async () => {
    expect(await gantry(...line, '--favor', 'mine')).toMatchObject({ code: 64 })
    expect(await gantry('merge', base ?? '', at('merged.pcg.yaml'), theirs ?? '')).toMatchObject({ code: 2 })
  })
})

describe('gantry pcg lint', () => {
  const loose = `${TEXT}  Loose:\n    class: PCGMergeSettings\n`
  const lines = (file: string) => [
    `error Filter_0: its pin In has no edge (required-input). Connect the pin, or remove the node`,
    ...(file.includes('Loose')
      ? ['warning Loose: it has no edges (loose-node). Connect or remove it; the fix removes it']
      : []),
    'warning Output: nothing reaches Output, and no node spawns anything (output-unconnected). Connect the last node to Output, or add a spawner',
    'warning Filter_1: no node reads its result (unused-result). Connect it on, or remove it',
  ]

  it('prints each finding with its remedy and ends with 1, or 0 below the level', async () => {
    const { code, out } = await gantry('lint', file('lint.pcg.yaml', loose))
    expect([code, out.trimEnd().split('\n').toSorted()]).toEqual([1, lines(loose).toSorted()])
    expect(await gantry('lint', file('lint.pcg.json', WOOD), '--level', 'error')).toMatchObject({ code: 1 })
    const clean = 'pcg: 1\nnodes:\n  Grid:\n    class: PCGCreatePointsGridSettings\noutputs:\n  Out: Grid.Out\n'
    expect(await gantry('lint', file('clean.pcg.yaml', clean))).toEqual({ code: 0, out: 'no findings\n', error: '' })
    const debug = clean.replace('outputs:', '    settings: { bDebug: true }\noutputs:')
    expect(await gantry('lint', file('debug.pcg.yaml', debug))).toMatchObject({
      code: 0,
      out: expect.stringContaining('info Grid'),
    })
    expect(await gantry('lint', at('debug.pcg.yaml'), '--level', 'info')).toMatchObject({ code: 1 })
  })

  it('applies the quick fixes of the rules that are named, and no others', async () => {
    const target = file('fix.pcg.yaml', loose)
    expect(await gantry('lint', target, '--fix', 'disabled-node')).toMatchObject({ code: 1 })
    expect(readFileSync(target, 'utf8')).toBe(loose)
    const { out } = await gantry('lint', target, '--fix', 'loose-node')
    expect(out).toContain('fixed warning Loose: it has no edges')
    expect(readFileSync(target, 'utf8')).toBe(TEXT)
    expect(await gantry('lint', target, '--fix', 'no-such-rule')).toMatchObject({ code: 64 })
  })

  it('prints SARIF with the lines of nodes, and JSON', async () => {
    const target = file('sarif.pcg.yaml', TEXT)
    const sarif: unknown = JSON.parse((await gantry('lint', target, '--sarif')).out)
    expect(sarif).toMatchObject({
      runs: [
        {
          results: [
            { ruleId: 'required-input', locations: [{ physicalLocation: { region: { startLine: 5 } } }] },
            {},
            {},
          ],
        },
      ],
    })
    expect(JSON.parse((await gantry('lint', target, '--json')).out)).toMatchObject({
      findings: [{ rule: 'required-input', node: 'Filter_0' }, {}, {}],
      fixed: [],
    })
  })
})

describe('gantry pcg patch', () => {
  const STEPS = `- { do: add node, node: keep, class: PCGSelfPruningSettings, title: Keep apart }
- { do: connect, from: Filter_1, fromPin: Out, to: keep, toPin: In }
- { do: connect, from: keep, fromPin: Out, to: Output, toPin: Out }
- { do: set, node: Filter_0, settings: { LowerBound: null } }
`

  it('shows in a dry run what would change and what the linter finds then, and writes nothing', async () => {
    const [target, steps] = [file('patch.pcg.yaml', TEXT), file('steps.yaml', STEPS)]
    const { code, out } = await gantry('patch', target, steps, '--dry-run')
    expect([code, out.trimEnd().split('\n')]).toEqual([
      0,
      [
        '~ Filter_0: LowerBound 0.25 → 0.5',
        '+ node keep "Keep apart" (PCGSelfPruningSettings)',
        '+ edge keep.Out > Output.Out',
        '+ edge Filter_1.Out > keep.In',
      ],
    ])
    expect(readFileSync(target, 'utf8')).toBe(TEXT)
    const lossy = file(
      'lossy.json',
      JSON.stringify([{ do: 'add node', node: 'mesh', class: 'PCGStaticMeshSpawnerSettings' }]),
    )
    expect(await gantry('patch', target, lossy, '--dry-run')).toMatchObject({
      code: 1,
      out: expect.stringContaining('missing-mesh'),
    })
  })

  it('writes all steps or none', async () => {
    const target = file('patch.pcg.yaml', TEXT)
    const cases = [
      [
        '- { do: remove node, node: Filter_0 }\n- { do: remove node, node: Ghost }\n',
        'step 2: the graph has no node Ghost',
      ],
      ['- { do: connect, from: Filter_1, fromPin: Out, to: Filter_0, toPin: In }\n', 'in a cycle'],
      [
        '- { do: connect, from: Filter_1, fromPin: Nowhere, to: Output, toPin: Out }\n',
        'step 1: Filter_1 has no output pin Nowhere',
      ],
      ['- { do: explode }\n', 'step 1: '],
      ['do: nothing\n', 'expected array'],
    ] as const
    for (const [steps, reason] of cases) {
      expect(await gantry('patch', target, file('wrong.yaml', steps))).toMatchObject({
        code: 2,
        error: expect.stringContaining(reason),
      })
      expect(readFileSync(target, 'utf8')).toBe(TEXT)
    }
    expect(await gantry('patch', target, file('steps.yaml', STEPS))).toMatchObject({ code: 0 })
    expect(readFileSync(target, 'utf8')).toContain(
      '  keep:\n    class: PCGSelfPruningSettings\n    title: Keep apart\n    inputs:\n      In: Filter_1.Out\n',
    )
  })
})
