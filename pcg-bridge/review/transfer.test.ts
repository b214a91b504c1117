// The text of a graph to and from real editors: the embedded one, and Unreal over its double.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallContext, HostedEditor } from '../contract/index.ts'
import { openEmbeddedEditor } from '../embedded/index.ts'
import { createHosted } from '../hosted/hosted.ts'
import { type Double, NO_PYTHON, startDouble } from '../unreal/double.fixture.ts'
import { openUnrealEditor } from '../unreal/index.ts'
import { diffGraphs } from './diff.ts'
import type { ReviewGraph } from './graph.ts'
import { clearing } from './graphs.fixture.ts'
import { aligned } from './match.ts'
import { parseText, printText } from './text.ts'
import { fromDocument, toDocument } from './transfer.ts'

const WHO: CallContext = { actor: 'test', source: 'ui' }
const WOOD = '/Game/PCG/Wood'
const wood = (): ReviewGraph => ({
  ...clearing(),
  parameters: new Map([['Amount', { type: 'double', value: 0.25 }]]),
  layout: {
    ...clearing().layout,
    comments: new Map([['c1', { x: 0, y: 0, w: 400, h: 200, text: 'Trees', nodes: ['Trees'] }]]),
  },
})

async function built(editor: HostedEditor, graph: ReviewGraph, at: string) {
  const report = await editor.importGraph([toDocument(graph, at)], { path: at, replace: false }, WHO)
  return report.lost
}
async function read(editor: HostedEditor, at: string) {
  const [document] = await editor.exportGraph(at, WHO)
  if (!document) throw new Error('nothing was exported')
  return fromDocument(document)
}
/** The node behind Self Pruning. */
const spawner = ({ edges }: ReviewGraph): string => edges.find(({ from }) => from.startsWith('SelfPruning'))?.to ?? ''
/** What differs but the names of the nodes, which an editor gives. */
const differences = (before: ReviewGraph, after: ReviewGraph) =>
  diffGraphs(before, { ...after, path: before.path }).changes.filter(({ kind }) => kind !== 'node renamed')

describe('the text of a graph', () => {
  let directory = ''
  let embedded: HostedEditor
  const options = { queueMax: 32, callTimeoutMs: 120_000 }
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'pcg-text-'))
    embedded = createHosted({
      editor: await openEmbeddedEditor({ directory: path.join(directory, 'project') }),
      sidecarDir: path.join(directory, 'one'),
      ...options,
    })
  })
  afterAll(async () => {
    await embedded?.close()
    await rm(directory, { recursive: true, force: true })
  })

  it('builds the same graph in the embedded editor, with places and comments', async () => {
    const text = printText(wood())
    expect(await built(embedded, parseText(text).graph, WOOD)).toEqual([])
    const { graph, unheld } = await read(embedded, WOOD)
    expect([differences(wood(), graph), unheld]).toEqual([[], []])
    expect(diffGraphs(wood(), graph).layout).toEqual([])
  })

  it('keeps its ids when it is exported onto itself, so that only what was edited changes a line', async () => {
    const before = wood()
    const kept = aligned(before, (await read(embedded, WOOD)).graph)
    expect([...kept.nodes.keys()].toSorted()).toEqual([...before.nodes.keys()].toSorted())
    expect(printText(kept)).toContain('  Apart:\n    class: PCGSelfPruningSettings\n    name: SelfPruning_0\n')
  })

  describe.skipIf(NO_PYTHON !== null)(`and Unreal${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
    let double: Double
    let unreal: HostedEditor
    beforeAll(async () => {
      double = await startDouble({ remoteControl: {} })
      for (const name of ['Bush', 'Tree', 'Post'])
        await double.order({ do: 'asset', class: 'StaticMesh', path: `/Game/${name}` })
      const editor = openUnrealEditor({ driver: 'remote-control', url: double.remoteControl, project: double.project })
      unreal = createHosted({ editor, sidecarDir: path.join(directory, 'two'), ...options })
      await unreal.connect()
    })
    afterAll(async () => {
      await unreal?.close()
      await double?.dispose()
    })

    it('builds the same graph there, reads it back, and brings it into the embedded editor', async () => {
      const lost = await built(unreal, wood(), WOOD)
      const { graph } = await read(unreal, WOOD)
      expect(lost).toEqual([])
      // Unreal shows fields that the catalogue does not have, too: their defaults are unknown, so they are kept.
      const more = differences(wood(), graph).filter(
        (change) =>
          change.kind !== 'setting' ||
          !(change.setting.startsWith('MeshSelectorParameters.') || (change.before === null && change.after === false)),
      )
      expect(more).toEqual([])
      expect(graph.nodes.get(spawner(graph))?.settings).toMatchObject({
        MeshSelectorParameters: {
          MeshEntries: [
            { Descriptor: { StaticMesh: '/Game/Bush' }, Weight: 1 },
            { Descriptor: { StaticMesh: '/Game/Tree' }, Weight: 2 },
          ],
        },
      })
      const text = printText(graph)
      expect(await built(embedded, parseText(text).graph, '/Game/PCG/FromUnreal')).toEqual([])
      // A field that the embedded editor does not have stays behind; it was off.
      const left = differences(graph, (await read(embedded, '/Game/PCG/FromUnreal')).graph)
      expect(left).toMatchObject([{ kind: 'setting', setting: 'SamplerParams.bSeedFrom2dPosition', before: false }])
    })
  })
})
