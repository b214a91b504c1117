import { beforeEach, describe, expect, it } from 'vitest'
import { useOverlay } from './overlay.ts'

const badge = { tone: 'bad', text: '!', title: 'Nothing arrives here' } as const
const nodes = () => useOverlay.getState().nodes
const { setLayer } = useOverlay.getState()

beforeEach(() => {
  for (const name of useOverlay.getState().layers.keys()) setLayer(name, null)
})

describe('marks on the canvas', () => {
  it('merges all layers, and removes a layer completely', () => {
    setLayer('problems', { nodes: new Map([['a', { badge }]]) })
    setLayer('heat', { nodes: new Map([['a', { tint: 0.5, heat: '2 ms' }]]) })
    expect(nodes().get('a')).toEqual({ badges: [badge], tint: 0.5, heat: '2 ms' })
    setLayer('problems', null)
    expect(nodes().get('a')).toEqual({ badges: [], tint: 0.5, heat: '2 ms' })
    setLayer('heat', null)
    expect(nodes().size).toBe(0)
  })

  it('keeps the identity of an unchanged mark', () => {
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
