// The toolset of whole graphs on both editors: text, patch with a dry run, linter.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUTHORING } from '../catalog/index.ts'
import type { PatchStep } from '../contract/index.ts'
import { parseText } from '../review/text.ts'
import { AGENT, cannotRun, EDITOR_KINDS, startEditor, type TestEditor } from './editors.fixture.ts'

const WOOD = '/Game/PCG/Wood'
const at = { pcg_graph_path: WOOD }
const STEPS: readonly PatchStep[] = [
  { do: 'add node', node: 'sample', class: 'PCGSurfaceSamplerSettings', settings: { PointsPerSquaredMeter: 0.25 } },
  { do: 'connect', from: 'Input', fromPin: 'In', to: 'sample', toPin: 'Surface' },
  { do: 'connect', from: 'sample', fromPin: 'Out', to: 'Output', toPin: 'Out' },
]

describe.each(EDITOR_KINDS)('whole graphs on the %s editor', (kind) => {
  let editor: TestEditor
  const run = cannotRun(kind) ? it.skip : it
  beforeAll(async () => {
    if (cannotRun(kind)) return
    editor = await startEditor(kind)
    await editor.call('tools', 'create_pcg_graph', { name: 'Wood' })
  })
  afterAll(() => editor?.dispose())
  const nodes = async () => (await editor.hosted.snapshot(WOOD)).nodeCount

  run('lists its own few tools beside the twenty', () => {
    expect(editor.hosted.authoring.tools.map(({ name }) => name)).toEqual(Object.keys(AUTHORING))
    const hints = editor.hosted.authoring.tools.find(({ name }) => name === 'patch_pcg_graph')?.annotations
    expect(hints).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  })

  run('a dry run returns what would change and what the linter finds then, and changes nothing', async () => {
    const dry = await editor.call('authoring', 'patch_pcg_graph', { ...at, steps: STEPS.slice(0, 2), dry_run: true })
    expect(dry).toMatchObject({ asset_path: WOOD, applied: false, batch_id: null, names: {} })
    expect(dry['changes']).toMatchObject([{ kind: 'node added' }, { kind: 'edge added' }])
    expect(dry['findings']).toContainEqual(expect.objectContaining({ rule: 'unused-result', node: 'sample' }))
    expect(await nodes()).toBe(0)
  })

  run('refuses a patch whole: no step of it is done', async () => {
    const steps = [...STEPS, { do: 'connect', from: 'missing', fromPin: 'Out', to: 'Output', toPin: 'Out' }]
    const answer = await editor.hosted.authoring.call('patch_pcg_graph', { ...at, steps }, AGENT)
    expect(answer).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
    expect(await nodes()).toBe(0)
  })

  run('makes all steps, reads back as text, and one undo takes all of it back', async () => {
    const made = await editor.call('authoring', 'patch_pcg_graph', { ...at, steps: STEPS })
    expect(made).toMatchObject({ applied: true, different: [], names: { sample: expect.any(String) } })
    const { text, asset_path, not_in_text } = await editor.call('authoring', 'get_pcg_graph_text', at)
    expect([asset_path, not_in_text]).toEqual([WOOD, []])
    const { graph } = parseText(String(text))
    expect([...graph.nodes.values()]).toMatchObject([
      { class: 'PCGSurfaceSamplerSettings', settings: { PointsPerSquaredMeter: 0.25 } },
    ])
    expect(String(text)).not.toContain('layout:')
    const undone = await editor.hosted.undo({ batchId: String(made['batch_id']) }, AGENT)
    expect(undone.failed).toBeNull()
    expect(await nodes()).toBe(0)
  })

  run('lints with a fix that is a patch', async () => {
    await editor.call('authoring', 'patch_pcg_graph', {
      ...at,
      steps: [{ do: 'parameter', parameter: 'Unused', type: 'double', value: 1 }, ...STEPS],
    })
    const lint = await editor.call('authoring', 'lint_pcg_graph', at)
    expect(lint).toMatchObject({ asset_path: WOOD, clean: false })
    const findings = AUTHORING.lint_pcg_graph.output.parse(lint).findings
    expect(findings.find(({ rule }) => rule === 'unused-parameter')?.fix).toEqual([
      { do: 'remove parameter', parameter: 'Unused' },
    ])
  })

  run('a graph that does not exist has the code of the other tools', async () => {
    for (const tool of Object.keys(AUTHORING).filter((name) => name.endsWith('_graph') || name.endsWith('_text'))) {
      const answer = await editor.hosted.authoring.call(tool, { pcg_graph_path: '/Game/PCG/None', steps: STEPS }, AGENT)
      expect([tool, answer.ok]).toEqual([tool, false])
    }
  })
})
