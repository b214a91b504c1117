import { expect, it } from 'vitest'
import { meshRows, withMeshRows } from './mesh-entries.ts'

const VALUE = {
  Kind: 'weighted',
  MeshEntries: [{ Descriptor: { StaticMesh: '/Game/Bush', bCastShadow: false }, Weight: 2 }, { Mesh: '/Game/Tree' }],
}

it('reads both forms of an entry, and nothing from what is no list', () => {
  expect(meshRows(VALUE)).toEqual([
    { mesh: '/Game/Bush', weight: 2 },
    { mesh: '/Game/Tree', weight: 1 },
  ])
  for (const other of [null, 'text', { MeshEntries: 3 }, { MeshEntries: [7] }]) expect(meshRows(other)).toEqual([])
})

it('keeps the fields that a row does not show, also after a removal', () => {
  const rows = [{ mesh: '/Game/Oak', weight: 5 }]
  expect(withMeshRows(VALUE, rows, [0])).toEqual({
    Kind: 'weighted',
    MeshEntries: [{ Descriptor: { StaticMesh: '/Game/Oak', bCastShadow: false }, Weight: 5 }],
  })
  expect(withMeshRows(null, rows, [-1])).toEqual({
    MeshEntries: [{ Descriptor: { StaticMesh: '/Game/Oak' }, Weight: 5 }],
  })
})
