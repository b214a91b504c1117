import { beforeEach, describe, expect, it } from 'vitest'
import { useOverlay } from './overlay.ts'

const badge = { tone: 'bad', text: '!', title: 'Nothing arrives here' } as const
const nodes = () => useOverlay.getState().nodes
const { setLayer } = useOverlay.getState()

beforeEach(() => {
  for (const name of useOverlay.getState().layers.keys()) setLayer(name, null)
})

describe('what is shown on the canvas', () => {
  it('is all layers together, and a layer taken away leaves nothing', () => {
    setLayer('problems', { nodes: new Map([['a', { badge }]]) })
    setLayer('heat', { nodes: new Map([['a', { tint: 0.5, heat: '2 ms' }]]) })
    expect(nodes().get('a')).toEqual({ badges: [badge], tint: 0.5, heat: '2 ms' })
    setLayer('problems', null)
    expect(nodes().get('a')).toEqual({ badges: [], tint: 0.5, heat: '2 ms' })
    setLayer('heat', null)
    expect(nodes().size).toBe(0)
  })

  it('keeps the mark of a node that nothing new is said of', () => {
    setLayer('heat', {
      nodes: new Map([
        ['a', { tint: 0.5 }],
        ['b', { tint: 1 }],
      ]),
    })
    const { a, b } = { a: nodes().get('a'), b: nodes().get('b') }
    setLayer('heat', {
      nodes: new Map([
        ['a', { tint: 0.5 }],
        ['b', { tint: 0 }],
      ]),
    })
    expect(nodes().get('a')).toBe(a)
    expect(nodes().get('b')).not.toBe(b)
  })
})
