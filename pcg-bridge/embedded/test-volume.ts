// The volume in which a graph runs where no actor is named.
import { type ActorDoc, newComponent } from '../editor/document.ts'

export function testVolume(graph: string, halfSize: readonly number[], seed: number): ActorDoc {
  const [x = 0, y = 0, z = 0] = halfSize
  return {
    name: 'TestVolume',
    label: 'TestVolume',
    class: 'PCGVolume',
    location: [0, 0, 0],
    rotation: [0, 0, 0],
    scale: [1, 1, 1],
    halfSize: [x, y, z],
    tags: [],
    component: { ...newComponent('PCGComponent', graph), seed },
  }
}
