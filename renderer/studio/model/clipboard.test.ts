import { describe, expect, it } from 'vitest'
import { clipOf, parseClip, pasting } from './clipboard.ts'
import { bestEdge } from './connect.ts'
import { editorDouble } from './editor.fixture.ts'
import { adding, connecting } from './edits.ts'

describe('copied nodes', () => {
  it('rejects text that is not a clip, with the reason', () => {
    expect(parseClip('hello')).toMatch('has no nodes')
    expect(parseClip('{"kind":"other"}')).toMatch('kind')
    const clip = { kind: 'gantry.pcg-nodes', version: 1, nodes: [{ id: 'a', type: 'b', x: 1e99, y: 0 }], edges: [] }
    expect(parseClip(JSON.stringify(clip))).toMatch('nodes.0.x')
    expect(parseClip(JSON.stringify({ ...clip, nodes: [], more: 1 }))).toMatch('more')
  })

  it('contain non-default settings, and keep their relative positions in another graph', async () => {
    const [one, other] = [editorDouble(), editorDouble()]
    const names: string[] = []
    for (const type of ['PCGSurfaceSamplerSettings', 'PCGDensityFilterSettings'])
      await one.perform(
        adding(one.view(), one.layout(), { type }, { x: names.length * 300, y: 40 }, undefined, (made) =>
          names.push(...made),
        ),
      )
    const [a = '', b = ''] = names
    const edge = bestEdge(one.view(), a, b)
    if (!edge) throw new Error('they fit')
    await one.perform(connecting(one.view(), one.layout(), [edge]))
    const settings = new Map([[a, { PointsPerSquaredMeter: 2, Looseness: 1, Seed: 42 }]])
    const places = new Map(names.map((name) => [name, one.layout().nodes[name] ?? { x: 0, y: 0 }]))
    const text = JSON.stringify(clipOf(one.view(), places, settings, []))
    const clip = parseClip(text)
    if (typeof clip === 'string') throw new Error(clip)
    expect(clip.nodes.map(({ properties }) => properties)).toEqual([{ PointsPerSquaredMeter: 2 }, {}])
    let pasted: readonly string[] = []
    await other.perform(
      pasting(
        clip,
        other.view(),
        'Paste',
        { x: 5, y: 5 },
        () => 'id',
        (made) => (pasted = made),
      ),
    )
    const [c = '', d = ''] = pasted
    expect(other.properties(c)).toEqual({ PointsPerSquaredMeter: 2 })
    expect(other.view().edges).toMatchObject([{ from: c, fromPin: edge.fromPin, to: d, toPin: edge.toPin }])
    expect(other.layout().nodes).toEqual({ [c]: { x: 5, y: 45 }, [d]: { x: 305, y: 45 } })
  })

  it('exclude Input and Output', () => {
    const editor = editorDouble()
    const clip = clipOf(editor.view(), new Map([['DefaultInputNode', { x: 0, y: 0 }]]), new Map(), [])
    expect(clip.nodes).toEqual([])
  })
})
