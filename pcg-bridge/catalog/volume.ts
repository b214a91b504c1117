// The tool that puts a PCG volume into the level.
import { z } from 'zod'
import { GraphPath, tool, Vector } from './tool.ts'

export const volume = {
  spawn_pcg_volume: tool({
    title: 'Spawn PCG volume',
    effect: 'additive',
    idempotent: false,
    about:
      'Spawns a PCG volume actor. Always give `extent`: without it the volume has no brush, and generates nothing ' +
      'without an error. Bounds, scale and brush are read back from the actor, not echoed.',
    input: z.strictObject({
      location: Vector.optional().describe('World location [X, Y, Z] in centimetres'),
      extent: z
        .array(z.number().positive())
        .length(3)
        .optional()
        .describe('Half size of the cube [x, y, z] in centimetres, each greater than 0'),
      rotation: Vector.optional().describe('[pitch, yaw, roll] in degrees; default 0,0,0'),
      pcg_graph_path: GraphPath.optional().describe('Graph to assign to the component of the volume'),
      name: z.string().min(1).max(128).optional().describe('Explicit name; skipped when the level already uses it'),
    }),
    output: z.object({
      actor_name: z.string(),
      actor_label: z.string(),
      actor_class: z.string(),
      has_pcg_component: z.boolean(),
      pcg_graph_path: z.string().nullable(),
      graph_assigned: z.boolean(),
      location: Vector,
      bounds_extent_actual: Vector,
      bounds_origin_actual: Vector,
      actor_scale: Vector,
      has_brush_geometry: z.boolean(),
      brush_poly_count: z.number().int(),
      brush_requested: z.boolean(),
      scale_normalized: z.boolean().describe('The size is in the brush: the scale is 1'),
      warning: z.string().optional(),
      requested: z.record(z.string(), z.unknown()).describe('The arguments of this call'),
    }),
  }),
} as const
