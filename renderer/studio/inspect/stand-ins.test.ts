import { describe, expect, it } from 'vitest'
import type { Sheet } from './sheet.ts'
import { meshesOf, standInFor } from './stand-ins.ts'

describe('the shape that stands for a mesh', () => {
  it.each([
    ['/Game/Trees/SM_Pine_01', 'tree'],
    ['/Game/Megascans/Mossy_Boulder', 'rock'],
    ['/Game/Props/StreetLight', 'post'],
    ['/Game/Props/SM_FencePanel.SM_FencePanel', 'wall'],
    ['/Game/Plants/Fern', 'bush'],
    ['/Engine/BasicShapes/Sphere', 'ball'],
    ['/Engine/BasicShapes/Cube', 'box'],
    // Of a folder, not of the mesh.
    ['/Game/Trees/Crate', 'box'],
  ])('of %s is a %s', (mesh, shape) => {
    expect(standInFor(mesh, [50, 50, 50])).toBe(shape)
  })

  it('follows the size where the name says nothing', () => {
    expect(standInFor('/Game/SM_A', [10, 10, 100])).toBe('post')
    expect(standInFor('/Game/SM_A', [200, 10, 100])).toBe('wall')
    expect(standInFor('/Game/SM_A', [50, 50, 50])).toBe('box')
  })

  it('is that of the column that names assets, or of the only mesh of the node; otherwise the reason is given', () => {
    const texts = (columns: Readonly<Record<string, string[]>>): Sheet => ({
      total: 2,
      loaded: 2,
      summaries: [],
      columns: new Map(Object.entries(columns).map(([name, values]) => [name, { name, type: 'String', values }])),
    })
    const named = meshesOf(texts({ Kind: ['a', 'b'], Mesh: ['/Game/Pine', '/Game/Rock'] }), [])
    expect([named.of?.(0), named.of?.(1)]).toEqual(['/Game/Pine', '/Game/Rock'])
    const plain = texts({ Kind: ['a', 'b'] })
    expect(meshesOf(plain, ['/Game/Fir', '/Game/Fir']).of?.(1)).toBe('/Game/Fir')
    expect(meshesOf(plain, ['/Game/Fir', '/Game/Oak']).why).toMatch(/Out attribute name/)
    expect(meshesOf(plain, []).why).toMatch(/mesh spawner/)
  })
})
