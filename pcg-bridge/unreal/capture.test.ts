// A picture of the level leaves nothing behind: no actor, no selection, no entry to undo, no changed level, no file.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallContext } from '../contract/index.ts'
import type { Captured, View } from '../editor/editor.ts'
import { decodePng } from '../embedded/png.ts'
import { type Double, NO_PYTHON, startDouble } from './double.fixture.ts'
import { openUnrealEditor, type UnrealEditor } from './index.ts'

const AGENT: CallContext = { actor: 'team', program: 'Painter', source: 'mcp' }

describe.skipIf(NO_PYTHON)(`a picture of an Unreal level${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  let peer: Double
  let editor: UnrealEditor
  beforeAll(async () => {
    peer = await startDouble({ remoteControl: {} })
    editor = openUnrealEditor({ driver: 'remote-control', url: peer.remoteControl, project: peer.project })
    await editor.connect()
  })
  afterAll(async () => {
    await editor?.close()
    await peer?.dispose()
  })
  const capture = (view: View | null = null): Promise<Captured | undefined> =>
    editor.capture?.(view, undefined) ?? Promise.resolve(undefined)
  const pictureOf = (captured: Captured | undefined): string =>
    captured && 'picture' in captured ? captured.picture : JSON.stringify(captured)

  it('is that of the viewport, and again from the same camera when the viewport has moved', async () => {
    const first = await capture()
    expect(first).toMatchObject({
      camera: { location: [-500, 0, 300], rotation: [-20, 0, 0] },
      level: '/Game/Maps/Main',
    })
    expect(decodePng(Buffer.from(pictureOf(first), 'base64'))).toMatchObject({ width: 480, height: 270 })
    await peer.order({ do: 'viewport' })
    expect(pictureOf(await capture())).not.toBe(pictureOf(first))
    const again = await capture(first && 'picture' in first ? first : null)
    expect(pictureOf(again)).toBe(pictureOf(first))
  })

  it('leaves actors, selection, undo history, level and folder as they were, also inside a turn', async () => {
    await peer.order({ do: 'viewport', select: 2 })
    const files = () => readdir(path.join(peer.project, 'Saved', 'PcgBridge'))
    const { asset_path } = await editor.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, AGENT)
    const before = await peer.ledger()
    expect(before).toMatchObject({ open: 1, cameras: 0 })
    expect(pictureOf(await capture())).toMatch(/^iVBOR/)
    const after = await peer.ledger()
    expect(after).toMatchObject({ open: 0, cameras: 0, targets: 0, changed: [], selected: before.selected })
    expect(after.transactions).toEqual(before.transactions)
    expect((await files()).filter((name) => name.endsWith('.png'))).toEqual([])
    await editor.tools.add_pcg_node({ pcg_graph_path: asset_path, node_type: 'PCGDensityFilterSettings' }, AGENT)
    expect((await peer.ledger()).open).toBe(1)
  })

  it('is refused with the reason: no viewport, another level, Play, a file that is too large', async () => {
    await peer.order({ do: 'viewport', camera: null })
    expect(await capture()).toEqual({ reason: 'the editor has no open level viewport' })
    await peer.order({ do: 'viewport' })
    const camera = { location: [0, 0, 0], rotation: [0, 0, 0] }
    expect(await capture({ camera, level: '/Game/Maps/Other' })).toEqual({ reason: 'another level is open now' })
    await peer.order({ do: 'play', on: true })
    expect(await capture()).toEqual({ reason: 'the editor is in Play' })
    await peer.order({ do: 'play', on: false })
    await peer.order({ do: 'viewport', huge: true })
    expect(await capture()).toEqual({ reason: 'the picture has more than 2097152 bytes' })
    expect(await peer.ledger()).toMatchObject({ cameras: 0, targets: 0 })
    await peer.order({ do: 'viewport' })
  })

  it('marks an unchanged level as changed once at most', async () => {
    await peer.order({ do: 'viewport', marks: true })
    expect(pictureOf(await capture())).toMatch(/^iVBOR/)
    await peer.order({ do: 'viewport', marks: true })
    expect(await capture()).toEqual({
      reason: 'this version of the editor marks an unchanged level as changed by a picture',
    })
    expect((await peer.ledger()).changed).toEqual([])
    await peer.order({ do: 'viewport', changed: true })
    expect(pictureOf(await capture())).toMatch(/^iVBOR/)
  })
})
