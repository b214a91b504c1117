// A turn of an agent on both editors: shown with differences, counts and pictures, and taken back by its own agent only.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUTHORING, type AuthoringName, type AuthoringOutput } from '../catalog/index.ts'
import type { CallContext, CallResult } from '../contract/index.ts'
import { decodePng } from '../embedded/png.ts'
import { AGENT, cannotRun, EDITOR_KINDS, startEditor, type TestEditor } from './editors.fixture.ts'
import { TURN_PAGE, TURN_PAGE_URI } from './page/turn-page.ts'

const TREE = '/Game/Meshes/Tree'
const WOOD = '/Game/PCG/Wood'
const at = { pcg_graph_path: WOOD }
const OTHER: CallContext = { actor: 'other', source: 'mcp' }
const isPng = (data = ''): boolean => Buffer.from(data, 'base64').subarray(1, 4).toString() === 'PNG'

describe.each(EDITOR_KINDS)('a turn on the %s editor', (kind) => {
  let editor: TestEditor
  let actor_name = ''
  let node = ''
  const run = cannotRun(kind) ? it.skip : it
  const answered = (name: string, args: object, context = AGENT): Promise<CallResult> =>
    editor.hosted.authoring.call(name, args, context)
  async function author<K extends AuthoringName>(name: K, args: object, context = AGENT) {
    const answer = await answered(name, args, context)
    if (!answer.ok) throw new Error(answer.message)
    // The schema is that of the tool called.
    const result = AUTHORING[name].output.parse(answer.result) as AuthoringOutput<K>
    return { result, images: answer.images ?? [] }
  }
  beforeAll(async () => {
    if (cannotRun(kind)) return
    editor = await startEditor(kind, { meshes: [TREE] })
    await editor.call('tools', 'create_pcg_graph', { name: 'Wood' }, OTHER)
    const made = await author(
      'patch_pcg_graph',
      {
        ...at,
        picture: null,
        steps: [
          {
            do: 'add node',
            node: 'grid',
            class: 'PCGCreatePointsGridSettings',
            settings: { GridExtents: [500, 500, 50] },
          },
          {
            do: 'add node',
            node: 'trees',
            class: 'PCGStaticMeshSpawnerSettings',
            settings: { MeshSelectorParameters: { MeshEntries: [{ Descriptor: { StaticMesh: TREE }, Weight: 1 }] } },
          },
          { do: 'connect', from: 'grid', fromPin: 'Out', to: 'trees', toPin: 'In' },
          { do: 'connect', from: 'trees', fromPin: 'Out', to: 'Output', toPin: 'Out' },
        ],
      },
      OTHER,
    )
    node = made.result.names['grid'] ?? ''
    const spawned = await editor.call('tools', 'spawn_pcg_volume', { extent: [1000, 1000, 500], ...at }, OTHER)
    actor_name = String(spawned['actor_name'])
    // Else it holds the graph for two minutes.
    editor.hosted.releaseLease(WOOD)
  })
  afterAll(() => editor?.dispose())

  run('has no turn to show before the first edit', async () => {
    expect(await answered('show_pcg_turn', {})).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
  })

  run('shows edits by the twenty tools and by patches as one turn, and undoes them', async () => {
    const properties = { CellSize: [200, 200, 100] }
    // An agent edits at one address and reviews at another: two sessions.
    const [editing, reviewing] = ['a', 'b'].map((session) => ({ ...AGENT, session }))
    await editor.call('tools', 'set_pcg_node_properties', { ...at, node_name: node, properties }, editing)
    const steps = [{ do: 'parameter', parameter: 'Density', type: 'double', value: 1 }]
    await author('patch_pcg_graph', { ...at, picture: null, steps }, reviewing)
    const { result, images } = await author('show_pcg_turn', { picture: 64 }, reviewing)
    expect(result).toMatchObject({ asset_path: WOOD, change_count: 2 })
    expect(result.diff).toContain('CellSize')
    expect(result.diff).toContain('+ parameter Density')
    expect(result.batch_ids).toHaveLength(2)
    expect(result.before_and_after.actor_name).toBe(actor_name)
    expect(images.every(isPng)).toBe(true)
    expect(result.before_and_after.picture_graph).toBe('image 1')

    expect((await author('undo_pcg_turn', { batch_ids: result.batch_ids }, OTHER)).result).toMatchObject({
      undone: [],
      error: expect.stringContaining('no batch of yours'),
    })
    const undone = await author('undo_pcg_turn', { batch_ids: result.batch_ids })
    expect(undone.result).toEqual({ undone: result.batch_ids, error: null })
    const again = await author('show_pcg_turn', { ...at, picture: 64 })
    expect(again.result.diff).not.toContain('CellSize')
    expect(again.result.batch_ids).toEqual([])
  })

  if (kind === 'unreal')
    run('shows the level before and after from the camera of the viewport, opaque', async () => {
      await editor.call('tools', 'generate_pcg_component', { actor_name })
      const { result, images } = await author('show_pcg_turn', at)
      expect(result.before_and_after).toMatchObject({
        picture_before: 'image 2',
        picture_after: 'image 3',
        error: null,
      })
      expect(images).toHaveLength(3)
      expect(images[1]).not.toBe(images[2])
      const alpha = images.slice(1).map((image) => decodePng(Buffer.from(image, 'base64'))?.pixels.at(3))
      expect(alpha).toEqual([255, 255])
    })

  if (kind === 'embedded') {
    run('counts and draws both versions from one camera, in images beside the result', async () => {
      const properties = { CellSize: [200, 200, 100] }
      await editor.call('tools', 'set_pcg_node_properties', { ...at, node_name: node, properties })
      const { result, images } = await author('show_pcg_turn', { picture: 64 })
      expect(result.before_and_after).toMatchObject({
        instances_before: 100,
        instances_after: 25,
        instances_delta: -75,
        picture_before: 'image 2',
        picture_after: 'image 3',
        error: null,
      })
      expect(images).toHaveLength(3)
      expect(images[1]).not.toBe(images[2])
      const steps = [{ do: 'set', node, settings: { CellSize: null } }]
      const back = await author('patch_pcg_graph', { ...at, actor_name, picture: 64, steps })
      expect([back.images[1], back.images[2]]).toEqual([images[2], images[1]])
      expect(back.result.before_and_after).toMatchObject({ instances_before: 25, instances_after: 100 })
    })

    run('says why there are no pictures of an actor that runs another graph', async () => {
      await editor.call('tools', 'spawn_pcg_volume', { extent: [100, 100, 100], name: 'Bare' })
      const shown = await answered('show_pcg_turn', { actor_name: 'Bare' })
      expect(shown).toMatchObject({ ok: false, message: expect.stringContaining('Bare') })
    })
  }
})

describe('the page of turns', () => {
  it('is linked from the tools that it shows, and declares no domain', () => {
    const { show_pcg_turn, patch_pcg_graph, lint_pcg_graph } = AUTHORING
    expect([show_pcg_turn.page, patch_pcg_graph.page, 'page' in lint_pcg_graph]).toEqual([true, true, false])
    expect(TURN_PAGE).toMatchObject({
      uri: TURN_PAGE_URI,
      mimeType: 'text/html;profile=mcp-app',
      _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] } } },
    })
  })

  it('loads nothing, allows its own script by hash only, and never writes markup', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(TURN_PAGE.text)?.[1] ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:;/)
    expect(TURN_PAGE.text).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|https?:\/\/|\bsrc="/)
  })
})
