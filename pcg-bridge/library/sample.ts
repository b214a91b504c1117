// The volume, the picture and the table over which templates are previewed and tested.
import type { ActorDoc } from '../editor/document.ts'
import type { Sources } from '../embedded/generation/sources.ts'

export const libraryActor: ActorDoc = {
  name: 'Volume',
  label: 'Volume',
  class: 'PCGVolume',
  location: [0, 0, 0],
  rotation: [0, 0, 0],
  scale: [1, 1, 1],
  halfSize: [2000, 2000, 2000],
  tags: [],
}

/** Bright in the half with X below zero: 4 × 4 pixels, red 255 or 0. */
const pixels = Uint8Array.from({ length: 64 }, (_, i) => (i % 4 === 0 ? (i % 16 < 8 ? 255 : 0) : 255))
export const PLACES = [-600, -200, 200, 600].map((x, row) => ({
  Name: `Row${row}`,
  Place: { X: x, Y: x / 2, Z: 0 },
  Turn: { Pitch: 0, Yaw: 45 * row, Roll: 0 },
  Mesh: row % 2 === 0 ? '/Game/Meshes/Well' : '/Game/Meshes/Cart',
}))

export const librarySources: Sources = {
  '/game/maps/density': { digest: 'map', data: { kind: 'picture', width: 4, height: 4, pixels } },
  '/game/data/places': {
    digest: 'places',
    data: { kind: 'table', rows: PLACES.map(({ Name: name, ...cells }) => ({ name, cells })) },
  },
}
