// A patch on an open editor, the embedded one and Unreal over its double: judged first, all or nothing, one undo.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallContext, HostedEditor, PatchStep } from '../contract/index.ts'
import { openEmbeddedEditor } from '../embedded/index.ts'
import { type Double, NO_PYTHON, startDouble } from '../unreal/double.fixture.ts'
import { openUnrealEditor } from '../unreal/index.ts'
import { createHosted } from './hosted.ts'

const WHO: CallContext = { actor: 'test', source: 'ui', batchId: 'patch' }
const WOOD = '/Game/PCG/Wood'
const STEPS: readonly PatchStep[] = [
  { do: 'add node', node: 'sample', class: 'PCGSurfaceSamplerSettings', settings: { PointsPerSquaredMeter: 0.25 } },
  { do: 'add node', node: 'keep', class: 'PCGSelfPruningSettings' },
  { do: 'connect', from: 'Input', fromPin: 'In', to: 'sample', toPin: 'Surface' },
  { do: 'connect', from: 'sample', fromPin: 'Out', to: 'keep', toPin: 'In' },
  { do: 'connect', from: 'keep', fromPin: 'Out', to: 'Output', toPin: 'Out' },
  { do: 'place', node: 'keep', x: 300, y: 40 },
]

const KINDS = ['embedded', 'unreal'] as const
describe.each(KINDS)('a patch on the %s editor', (kind) => {
  let directory = ''
  let double: Double | undefined
  let editor: HostedEditor
  const run = kind === 'unreal' && NO_PYTHON !== null ? it.skip : it

  beforeAll(async () => {
    if (kind === 'unreal' && NO_PYTHON !== null) return
    directory = await mkdtemp(path.join(tmpdir(), 'pcg-patch-'))
    if (kind === 'unreal') double = await startDouble({ remoteControl: {} })
    editor = createHosted({
      editor: double
        ? openUnrealEditor({ driver: 'remote-control', url: double.remoteControl, project: double.project })
        : await openEmbeddedEditor({ directory: path.join(directory, 'project') }),
      sidecarDir: path.join(directory, 'layouts'),
      queueMax: 32,
      callTimeoutMs: 120_000,
    })
    await editor.connect()
    await editor.tools.call('create_pcg_graph', { name: 'Wood' }, { ...WHO, batchId: null })
  })
  afterAll(async () => {
    await editor?.close()
    await double?.dispose()
    await rm(directory, { recursive: true, force: true })
  })
  const nodes = async () => (await editor.snapshot(WOOD)).nodeCount

  run('reports what would change and what the linter finds, and changes nothing in a dry run', async () => {
    const report = await editor.patchGraph(WOOD, STEPS.slice(0, 4), true, WHO)
    expect(report).toMatchObject({ graph: WOOD, applied: false, names: {}, different: [] })
    expect(report.changes.map(({ kind: what }) => what)).toEqual([
      'node added',
      'node added',
      'edge added',
      'edge added',
    ])
    expect(report.findings).toMatchObject([{ rule: 'output-unconnected' }, { rule: 'unused-result', node: 'keep' }])
    expect(await nodes()).toBe(0)
  })

  run('makes every step, names the new nodes, and is taken back by one undo', async () => {
    const report = await editor.patchGraph(WOOD, STEPS, false, WHO)
    expect([report.applied, report.different]).toEqual([true, []])
    const name = report.names['keep'] ?? ''
    const info = await editor.tools.call('get_pcg_graph_info', { pcg_graph_path: WOOD }, WHO)
    expect(info).toMatchObject({ ok: true, result: { node_count: 2, edge_count: 3 } })
    expect((await editor.layout(WOOD)).nodes[name]).toMatchObject({ x: 300, y: 40 })
    const again: PatchStep[] = [
      { do: 'set', node: report.names['sample'] ?? '', settings: { PointsPerSquaredMeter: null } },
    ]
    const reset = await editor.patchGraph(WOOD, again, false, { ...WHO, batchId: 'reset' })
    expect(reset.changes).toMatchObject([
      { kind: 'setting', setting: 'PointsPerSquaredMeter', before: 0.25, after: 0.1 },
    ])
    for (const batchId of ['reset', 'patch'])
      expect(await editor.undo({ batchId }, { ...WHO, batchId: null })).toMatchObject({ failed: null })
    expect(await nodes()).toBe(0)
  })

  run('refuses before the first step what cannot be done, with its number', async () => {
    const add = STEPS[0]
    if (!add) throw new Error('there are steps')
    const cases: readonly (readonly [PatchStep, string])[] = [
      [{ do: 'remove node', node: 'Ghost' }, 'step 2: the graph has no node Ghost'],
      [
        { do: 'connect', from: 'sample', fromPin: 'Nowhere', to: 'Output', toPin: 'Out' },
        'step 2: sample has no output pin',
      ],
      [{ do: 'title', node: 'sample', title: 'Trees' }, 'step 2: editors have no tool for titles'],
    ]
    for (const [step, reason] of cases)
      await expect(editor.patchGraph(WOOD, [add, step], false, WHO)).rejects.toThrow(reason)
    expect(await nodes()).toBe(0)
  })

  run('takes back what it did when the editor refuses a step', async () => {
    // The catalogue does not have the class, so only the editor can refuse it.
    const steps: PatchStep[] = [...STEPS.slice(0, 4), { do: 'add node', node: 'odd', class: 'PCGExNothingSettings' }]
    await expect(editor.patchGraph(WOOD, steps, false, { ...WHO, batchId: null })).rejects.toMatchObject({
      code: 'NODE_TYPE_NOT_FOUND',
    })
    expect(await nodes()).toBe(0)
    expect((await editor.snapshot(WOOD)).edgeCount).toBe(0)
  })
})
