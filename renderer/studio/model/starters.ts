// A starter graph as a clip to paste into a new graph.
import type { Starter } from '#pcg-catalog'
import type { Clip } from './clipboard.ts'

export function starterClip({ nodes, wires }: Starter): Clip {
  return {
    kind: 'gantry.pcg-nodes',
    version: 1,
    nodes: Object.entries(nodes).map(([id, [type, x, y, properties = {}]]) => ({
      id,
      type: `PCG${type}Settings`,
      properties,
      x,
      y,
    })),
    edges: wires.map((wire) => {
      const [from = '', fromPin = '', to = '', toPin = ''] = wire.split(/ > |\./)
      return { from, fromPin, to, toPin }
    }),
    comments: [],
  }
}
