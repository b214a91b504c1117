// Comments of the studio are comment boxes of the editor, made, changed and removed with its own tools.
import { describe, expect, it } from 'vitest'
import type { PlacedLayout } from '../editor/editor.ts'
import { double, editor, WHO } from './connection.fixture.ts'
import { NO_PYTHON } from './double.fixture.ts'

const NOTE = { id: 'n1', x: 0, y: 0, w: 300, h: 200, text: 'Scatter', color: '#ff0000' }

async function opened(engine = '5.8.0') {
  const made = await double({ remoteControl: {}, engine })
  const from = editor({ driver: 'remote-control', url: made.remoteControl })
  await from.connect()
  const { asset_path: graph } = await from.tools.create_pcg_graph({ name: 'G', package_path: '/Game/PCG' }, WHO)
  const add = async (node_type: string) =>
    (await from.tools.add_pcg_node({ pcg_graph_path: graph, node_type }, WHO)).node_name
  const [a, b] = [await add('PCGSurfaceSamplerSettings'), await add('PCGDensityFilterSettings')]
  const layout = (comments: PlacedLayout['comments'], x = 0): PlacedLayout => ({
    nodes: { [a]: { x, y: 0 }, [b]: { x: 400, y: 0 } },
    comments,
  })
  const boxes = async () => Object.values((await made.ledger()).boxes[`${graph}.G`] ?? {})
  return { made, from, graph, a, b, layout, boxes }
}

describe.skipIf(NO_PYTHON)(`comment boxes${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  it('are made once, follow their text and nodes, and go with their comment', async () => {
    const { made, from, graph, a, b, layout, boxes } = await opened()
    expect(from.capabilities).toContain('comments')
    const first = await from.place(
      graph,
      layout([
        { ...NOTE, nodes: [a] },
        { ...NOTE, id: 'free', nodes: [] },
      ]),
    )
    expect(await boxes()).toEqual([{ text: 'Scatter', nodes: [a] }])

    const asked = (await made.ledger()).requests.length
    expect(await from.place(graph, layout([{ ...NOTE, nodes: [a] }]), first)).toEqual(first)
    expect((await made.ledger()).requests.slice(asked)).not.toContain('start_tool')

    const second = await from.place(graph, layout([{ ...NOTE, text: 'Trees', nodes: [a, b] }], 80), first)
    expect(second['n1']?.box).toBe(first['n1']?.box)
    expect(await boxes()).toEqual([{ text: 'Trees', nodes: [a, b] }])
    expect(await from.place(graph, layout([]), second)).toEqual({})
    expect(await boxes()).toEqual([])
  })

  it('that a person removed in the editor are made again', async () => {
    const { from, graph, a, layout, boxes } = await opened()
    const known = { n1: { box: 'GONE', as: '' } }
    const placed = await from.place(graph, layout([{ ...NOTE, nodes: [a] }]), known)
    expect(placed['n1']?.box).not.toBe('GONE')
    expect(await boxes()).toHaveLength(1)
  })

  it('of a person in the editor stay: beside ours, over a layout without comments, an undo, and a copy onto the graph', async () => {
    const { made, from, graph, a, b, layout, boxes } = await opened()
    const own = { text: 'Keep me', nodes: [a] }
    await made.order({ do: 'comment', graph, text: own.text, node: a })
    const placed = await from.place(graph, layout([{ ...NOTE, nodes: [b] }]))
    expect(await boxes()).toEqual([own, { text: 'Scatter', nodes: [b] }])
    await from.place(graph, layout([]), placed)
    expect(await boxes()).toEqual([own])
    const properties = { LowerBound: 0.25 }
    await from.tools.set_pcg_node_properties({ pcg_graph_path: graph, node_name: b, properties }, WHO)
    const [change] = from.history({ limit: 1 })
    await from.undo({ changeId: change?.id ?? 0 }, WHO, false)
    expect(await boxes()).toEqual([own])
  })

  it('are left to the studio by an editor without the tool', async () => {
    const { from, graph, a, layout, boxes } = await opened('5.7.0')
    expect(from.capabilities).not.toContain('comments')
    expect(await from.place(graph, layout([{ ...NOTE, nodes: [a] }]))).toEqual({})
    expect(await boxes()).toEqual([])
  })
})
