// Puts a PCG volume into the level of a real editor. Everything answered is read back from the actor.
import { z } from 'zod'
import { checkVolume, triple } from '../editor/arguments.ts'
import { type Tools } from '../editor/editor.ts'
import { graphPath } from './asset-path.ts'
import { Component } from './component-tools.ts'
import { type EditorSession } from './session.ts'

const Numbers = z.array(z.number()).length(3)
const Volume = z.object({
  actor: z.string(),
  label: z.string(),
  class: z.string(),
  component: Component.nullable(),
  named: z.boolean(),
  assigned: z.boolean(),
  location: Numbers,
  scale: Numbers,
  origin: Numbers,
  extent: Numbers,
  brush: Numbers,
})

export function volumeTool(session: EditorSession): Pick<Tools, 'spawn_pcg_volume'> {
  return {
    async spawn_pcg_volume(input, context) {
      checkVolume(input)
      const extent = input.extent === undefined ? null : triple('extent', input.extent)
      const made = await session.ask(
        'spawn_volume',
        {
          location: triple('location', input.location),
          rotation: triple('rotation', input.rotation, 1e6),
          extent,
          graph: input.pcg_graph_path === undefined ? null : graphPath(input.pcg_graph_path),
          name: input.name ?? null,
        },
        Volume,
        context.signal,
      )
      session.record('spawn_pcg_volume', input, context, 'level', [
        {
          op: 'destroy_actor',
          actor: made.actor,
          args: { actor: made.actor },
          call: { tool: 'cleanup_pcg_component', args: { actor_name: made.actor, remove_components: true } },
        },
      ])
      const brush = made.extent.every((size) => size > 0)
      // Measured before the turn: a box of the size asked for is the cube the editor places.
      const cube = extent?.every((size, axis) => Math.abs((made.brush[axis] ?? 0) - size) <= size * 1e-3) ?? brush
      const warnings = [
        ...(brush ? [] : ['The volume has no brush: its extent is zero and it generates nothing.']),
        ...(brush && !extent
          ? ['No extent was given: the volume has the default brush of the editor. Give extent.']
          : []),
        ...(brush && !cube ? ['The volume has another size than was asked for: see bounds_extent_actual.'] : []),
        ...(input.name !== undefined && !made.named
          ? [`'${input.name}' is already used. The volume is named ${made.actor}.`]
          : []),
      ]
      return {
        actor_name: made.actor,
        actor_label: made.label,
        actor_class: made.class,
        has_pcg_component: made.component !== null,
        pcg_graph_path: made.component?.graph ?? null,
        graph_assigned: made.assigned,
        location: made.location,
        bounds_extent_actual: made.extent,
        bounds_origin_actual: made.origin,
        actor_scale: made.scale,
        has_brush_geometry: brush,
        brush_poly_count: brush && cube ? 6 : 0,
        brush_requested: extent !== null,
        scale_normalized: made.scale.every((size) => size === 1),
        ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
        requested: { ...input },
      }
    },
  }
}
