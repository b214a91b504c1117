import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Gesture } from '../editor/gestures.ts'
import { aligned, onGrid } from './align.ts'
import { clipOf, parseClip, pasting } from './clipboard.ts'
import { bestEdge, fitting } from './connect.ts'
import { editorDouble } from './editor.fixture.ts'
import {
  adding,
  carriedBy,
  commentAround,
  connecting,
  cutting,
  deleting,
  inserting,
  rewiring,
  tidied,
} from './edits.ts'

const CLASSES = [
  'PCGSurfaceSamplerSettings',
  'PCGDensityFilterSettings',
  'PCGTransformPointsSettings',
  'PCGDifferenceSettings',
  'PCGStaticMeshSpawnerSettings',
  'PCGGetSplineSettings',
]
const none = () => undefined
type Editor = ReturnType<typeof editorDouble>

async function grown(
  classes: readonly string[],
): Promise<{ readonly editor: Editor; readonly names: readonly string[] }> {
  const editor = editorDouble()
  const names: string[] = []
  for (const [index, type] of classes.entries()) {
    const gesture = adding(editor.view(), editor.layout(), { type }, { x: index * 300, y: 0 }, undefined, (made) =>
      names.push(...made),
    )
    await editor.perform(gesture)
  }
  return { editor, names }
}
const edgesOf = (editor: Editor) =>
  editor.view().edges.map(({ from, fromPin, to, toPin }) => `${from}.${fromPin} > ${to}.${toPin}`)

describe('a gesture', () => {
  it('adds a node at the pin being connected, and inserts one into an edge', async () => {
    const { editor, names } = await grown(['PCGGetSplineSettings'])
    const [spline = ''] = names
    const held = { node: spline, side: 'out', pin: 'Out' } as const
    const place = { x: 0, y: 0 }
    await editor.perform(
      adding(editor.view(), editor.layout(), { type: 'PCGSplineSamplerSettings' }, place, { pin: held }, none),
    )
    expect(edgesOf(editor)).toEqual([`${spline}.Out > PCGSplineSamplerSettings_2.Spline`])
    const [node] = (await grown(['PCGDensityFilterSettings'])).names
    expect(node).toBeDefined()
    await editor.perform(
      adding(editor.view(), editor.layout(), { type: 'PCGTransformPointsSettings' }, place, undefined, none),
    )
    const out = { node: 'PCGSplineSamplerSettings_2', side: 'out', pin: 'Out' } as const
    await editor.perform(
      adding(editor.view(), editor.layout(), { type: 'PCGStaticMeshSpawnerSettings' }, place, { pin: out }, none),
    )
    const edge = editor.view().edges.find(({ from }) => from === out.node)
    const transform = editor.view().nodes.get('PCGTransformPointsSettings_3')
    const insert = edge && transform && inserting(editor.view(), editor.layout(), edge, transform, {})
    if (!insert) throw new Error('it fits')
    await editor.perform(insert)
    expect(edgesOf(editor).slice(1)).toEqual([
      'PCGSplineSamplerSettings_2.Out > PCGTransformPointsSettings_3.In',
      'PCGTransformPointsSettings_3.Out > PCGStaticMeshSpawnerSettings_4.In',
    ])
  })

  it('never deletes Input or Output, and removes positions, comments and reroutes with the nodes', async () => {
    const { editor, names } = await grown(CLASSES.slice(0, 2))
    const [a = '', b = ''] = names
    const edge = bestEdge(editor.view(), a, b)
    if (!edge) throw new Error('they fit')
    await editor.perform(connecting(editor.view(), editor.layout(), [edge]))
    const reroutes = { r: { id: 'r', edge: edge.id, x: 1, y: 1 } }
    await editor.perform({ label: 'Reroute', arrange: { reroutes } })
    const chosen = { nodes: new Set([b, 'DefaultInputNode']), edges: new Set<string>() }
    const nothing = { comments: new Set<string>(), reroutes: new Set<string>() }
    const gesture = deleting(editor.view(), editor.layout(), { ...chosen, ...nothing })
    expect(gesture?.label).toBe('Delete node')
    if (gesture) await editor.perform(gesture)
    expect([...editor.view().nodes.keys()]).toEqual(['DefaultInputNode', a, 'DefaultOutputNode'])
    expect(editor.layout()).toMatchObject({ nodes: { [a]: {} }, reroutes: [] })
    const ends = { nodes: new Set(['DefaultInputNode']), edges: new Set<string>(), ...nothing }
    expect(deleting(editor.view(), editor.layout(), ends)).toBeUndefined()
  })

  it('drops the reroutes of a moved edge in the same step', async () => {
    const { editor, names } = await grown(CLASSES.slice(0, 3))
    const [a = '', b = '', c = ''] = names
    const edge = bestEdge(editor.view(), a, b)
    const after = bestEdge(editor.view(), a, c)
    if (!edge || !after) throw new Error('they fit')
    await editor.perform(connecting(editor.view(), editor.layout(), [edge]))
    const kept = { id: 'k', edge: 'another', x: 1, y: 1 }
    const reroutes = { r: { id: 'r', edge: edge.id, x: 1, y: 1 }, k: kept }
    await editor.perform({ label: 'Reroute', arrange: { reroutes } })
    const before = structuredClone(editor.seen())
    await editor.perform(rewiring(editor.view(), editor.layout(), edge, after))
    expect(edgesOf(editor)).toEqual([`${a}.Out > ${c}.In`])
    expect(editor.layout().reroutes).toEqual([kept])
    editor.reverse('done')
    expect(editor.seen()).toEqual(before)
  })

  it('removes the reroutes of an edge that the editor replaced', async () => {
    const { editor, names } = await grown(['PCGGetSplineSettings', 'PCGGetSplineSettings', 'PCGRerouteSettings'])
    const [a = '', b = '', end = ''] = names
    const wireOf = (from: string) => {
      const pins = { fromPin: 'Out', toPin: 'In' }
      return { id: [from, pins.fromPin, end, pins.toPin].join('\n'), from, to: end, ...pins }
    }
    await editor.perform(connecting(editor.view(), editor.layout(), [wireOf(a)]))
    await editor.perform({
      label: 'Reroute',
      arrange: { reroutes: { r: { id: 'r', edge: wireOf(a).id, x: 1, y: 1 } } },
    })
    const before = structuredClone(editor.seen())
    await editor.perform(connecting(editor.view(), editor.layout(), [wireOf(b)]))
    expect(edgesOf(editor)).toEqual([`${b}.Out > ${end}.In`])
    expect(editor.layout().reroutes).toEqual([])
    editor.reverse('done')
    expect(editor.seen()).toEqual(before)
  })

  it('removes the reroutes of an edge that another author removed, and restores them on undo', async () => {
    const { editor, names } = await grown(CLASSES.slice(0, 2))
    const reroutes = { r: { id: 'r', edge: 'a wire that is gone', x: 1, y: 1 } }
    await editor.perform({ label: 'Reroute', arrange: { reroutes } })
    const before = structuredClone(editor.seen())
    const move: Gesture = { label: 'Move', arrange: { nodes: { [names[0] ?? '']: { x: 5, y: 5 } } } }
    const edge = bestEdge(editor.view(), names[0] ?? '', names[1] ?? '')
    if (!edge) throw new Error('they fit')
    for (const gesture of [move, connecting(editor.view(), editor.layout(), [edge])]) {
      const tidy = tidied(gesture, editor.view(), editor.layout(), [])
      expect(tidy.label).toBe(gesture.label)
      await editor.perform(tidy)
      expect(editor.layout().reroutes).toEqual([])
      editor.reverse('done')
      expect(editor.seen()).toEqual(before)
    }
    editor.reverse('done')
    expect(tidied(move, editor.view(), editor.layout(), [])).toBe(move)
  })

  it('keeps every node in place, also those without a stored position, and stores none for removed nodes', async () => {
    const { editor, names } = await grown(CLASSES.slice(0, 2))
    const [a = '', b = ''] = names
    await editor.perform({ label: 'As an agent leaves it', arrange: { nodes: { [a]: null, [b]: null } } })
    const before = structuredClone(editor.seen())
    const boxes = ['DefaultInputNode', a, b, 'gone'].map((name, index) => ({ name, x: index * 100, y: 7, w: 9, h: 9 }))
    const move: Gesture = { label: 'Move', arrange: { places: { [a]: { x: 500, y: 500 } } } }
    await editor.perform(tidied(move, editor.view(), editor.layout(), boxes))
    const input = { x: 0, y: 7 }
    expect(editor.layout().nodes).toEqual({ DefaultInputNode: input, [a]: { x: 500, y: 500 }, [b]: { x: 200, y: 7 } })
    editor.reverse('done')
    expect(editor.seen()).toEqual(before)
    const chosen = {
      nodes: new Set([b]),
      edges: new Set<string>(),
      comments: new Set<string>(),
      reroutes: new Set<string>(),
    }
    const gesture = deleting(editor.view(), editor.layout(), chosen)
    if (gesture) await editor.perform(tidied(gesture, editor.view(), editor.layout(), boxes))
    expect(editor.layout().nodes).toEqual({ DefaultInputNode: input, [a]: { x: 100, y: 7 } })
  })

  it('frames the selection, and the comment moves the nodes inside it', () => {
    const boxes = [
      { name: 'a', x: 0, y: 0, w: 100, h: 50 },
      { name: 'b', x: 300, y: 200, w: 100, h: 50 },
    ]
    const comment = commentAround('c', boxes, { x: 0, y: 0 })
    expect(carriedBy(comment, [...boxes, { name: 'far', x: 900, y: 0, w: 10, h: 10 }])).toEqual(['a', 'b'])
  })
})

/** Each number selects a gesture and its target, so that any list of numbers is a valid session. */
function gestureFor(editor: Editor, [kind, one, two]: readonly [number, number, number]): Gesture | undefined {
  const view = editor.view()
  const layout = editor.layout()
  const names = [...view.nodes.keys()]
  const pick = <T>(list: readonly T[], by: number): T | undefined => list[by % Math.max(1, list.length)]
  const [a = '', b = ''] = [pick(names, one), pick(names, two)]
  const edge = pick(view.edges, one)
  const boxes = names.map((name) => ({ name, w: 200, h: 80, ...(layout.nodes[name] ?? { x: one, y: two }) }))
  const place = { x: one, y: two }
  switch (kind % 12) {
    case 0:
    case 1:
      return adding(view, layout, { type: pick(CLASSES, one) ?? '' }, place, undefined, none)
    case 2: {
      const pin = view.nodes.get(a)?.outputs[0]
      const join = pin && { pin: { node: a, side: 'out' as const, pin: pin.label } }
      return adding(view, layout, { type: pick(CLASSES, two) ?? '' }, place, join, none)
    }
    case 3: {
      const found = a === b ? undefined : bestEdge(view, a, b)
      return found && connecting(view, layout, [found])
    }
    case 4:
      return edge && cutting(view, [edge], layout)
    case 5: {
      const chosen = { nodes: new Set([a, b]), edges: new Set(edge ? [edge.id] : []) }
      return deleting(view, layout, {
        ...chosen,
        comments: new Set(layout.comments.slice(0, two % 2).map(({ id }) => id)),
        reroutes: new Set(),
      })
    }
    case 6:
      return { label: 'Move', arrange: { nodes: { [a]: { ...layout.nodes[a], ...place } } } }
    case 7: {
      const comment = commentAround(`c${one}`, boxes.slice(0, two % 3), place)
      return { label: 'Comment', arrange: { comments: { [comment.id]: comment } } }
    }
    case 8: {
      const spots = two % 2 === 0 ? aligned(boxes, 'top') : onGrid(boxes)
      return { label: 'Align', arrange: { nodes: Object.fromEntries(spots) } }
    }
    case 9: {
      const copied = new Map([a, b].map((name) => [name, layout.nodes[name] ?? place]))
      const settings = new Map([...copied.keys()].map((name) => [name, editor.properties(name)]))
      const clip = parseClip(JSON.stringify(clipOf(view, copied, settings, layout.comments.slice(0, 1))))
      let id = 0
      const nextId = () => `p${one}-${two}-${id++}`
      return typeof clip === 'string' ? undefined : pasting(clip, view, 'Paste', { x: 10, y: 10 }, nextId, none)
    }
    case 10: {
      const node = view.nodes.get(b)
      return edge && node?.end === null ? inserting(withoutItsEdges(view, b), layout, edge, node, {}) : undefined
    }
    default: {
      if (!edge) return undefined
      const free = { ...view, edges: view.edges.filter((each) => each !== edge) }
      const [fit] = [...fitting(free, { node: edge.from, side: 'out', pin: edge.fromPin })].slice(two % 4)
      const [to, , toPin] = fit?.split('\n') ?? []
      if (to === undefined || toPin === undefined) return undefined
      const id = [edge.from, edge.fromPin, to, toPin].join('\n')
      return rewiring(view, editor.layout(), edge, { ...edge, id, to, toPin })
    }
  }
}

/** Only an unconnected node is inserted into an edge; another one could close a cycle. */
function withoutItsEdges(view: ReturnType<Editor['view']>, name: string) {
  const wired = view.edges.some(({ from, to }) => from === name || to === name)
  return wired ? { ...view, nodes: new Map() } : view
}

describe('undo and redo', () => {
  it('revert a hundred gestures to the start, and repeat them to the end', async () => {
    const numbers = fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000))
    await fc.assert(
      fc.asyncProperty(fc.array(numbers, { minLength: 100, maxLength: 100 }), async (gestures) => {
        const { editor } = await grown(CLASSES)
        const begun = structuredClone(editor.seen())
        let done = 0
        for (const each of gestures) {
          const gesture = gestureFor(editor, each)
          if (!gesture) continue
          await editor.perform(gesture)
          done += 1
        }
        const ended = structuredClone(editor.seen())
        expect(done).toBeGreaterThan(20)
        for (let step = 0; step < done; step += 1) editor.reverse('done')
        expect(editor.seen()).toEqual(begun)
        while (editor.reverse('undone'));
        expect(editor.seen()).toEqual(ended)
      }),
      { numRuns: 20 },
    )
  })
})
