// Which names fit which property.
import { expect, it } from 'vitest'
import { MESHES, suggestionsFor } from './suggestions.ts'

const known = {
  meshes: ['/Game/Meshes/Oak.Oak', '/Game/Meshes/Oak.Oak'],
  graphs: ['/Game/PCG/Wood'],
  parameters: [{ value: 'Density', about: 'float' }],
  actors: [
    { name: 'Rock_0', label: 'Rock', class: 'StaticMeshActor' },
    { name: 'Rock_1', label: 'Other rock', class: 'StaticMeshActor' },
  ],
  tagged: [
    { label: 'Rock', tags: ['Stone', 'Big'] },
    { label: 'Wall', tags: ['Stone'] },
  ],
}
const values = (path: string) => suggestionsFor(path, known).map(({ value }) => value)

it('meshes: those of the level first, each once, then those of the engine', () => {
  expect(values(MESHES).slice(0, 2)).toEqual(['/Game/Meshes/Oak.Oak', '/Engine/BasicShapes/Cube.Cube'])
  expect(values('StaticMesh')).toEqual(values(MESHES))
})

it('tags and classes with the actors that have them; actors by name; graphs and parameters', () => {
  expect(suggestionsFor('ActorSelector.ActorSelectionTag', known)).toEqual([
    { value: 'Big', about: 'Rock' },
    { value: 'Stone', about: 'Rock, Wall' },
  ])
  expect(suggestionsFor('ActorSelector.ActorSelectionClass', known)).toEqual([
    { value: 'StaticMeshActor', about: 'Rock, Other rock' },
  ])
  expect(suggestionsFor('TargetActor', known)[1]).toEqual({ value: 'Rock_1', about: 'Other rock' })
  expect(values('SubgraphOverride')).toEqual(['/Game/PCG/Wood'])
  expect(values('PropertyName')).toEqual(['Density'])
  expect(values('Looseness')).toEqual([])
})
