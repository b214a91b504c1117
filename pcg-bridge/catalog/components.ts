// The six tools about PCG components and what they generate.
import { z } from 'zod'
import { ActorName, GraphPath, tool } from './tool.ts'

const Actor = z.strictObject({ actor_name: ActorName })

/** Instances that a component spawned of one asset. */
export const Spawned = z.object({ component: z.string(), asset: z.string(), instances: z.number().int() })

export const components = {
  add_pcg_component: tool({
    title: 'Add PCG component',
    effect: 'additive',
    idempotent: true,
    about:
      'Gives an actor a PCG component, with a graph when one is named. An actor that has one keeps it and its graph ' +
      '(`already_existed`, `graph_path`); to exchange the graph, set the component property Graph.',
    input: z.strictObject({ actor_name: ActorName, pcg_graph_path: GraphPath.optional() }),
    output: z.object({
      actor_name: z.string(),
      component_name: z.string(),
      already_existed: z.boolean(),
      graph_path: z.string().nullable(),
      graph_assigned: z.boolean().describe('The component now runs the graph that was asked for'),
    }),
  }),
  get_pcg_component_info: tool({
    title: 'Get PCG component info',
    effect: 'read',
    idempotent: true,
    about:
      'State of the PCG component of an actor. Poll it after generate_pcg_component until `is_generating` is false. ' +
      '`generated` is true for a cached result as well and proves nothing about freshness.',
    input: Actor,
    output: z.object({
      actor_name: z.string(),
      has_component: z.boolean(),
      graph_path: z.string().nullable(),
      is_generating: z.boolean(),
      generated: z.boolean(),
      seed: z.number().int().nullable(),
      activated: z.boolean(),
      is_partitioned: z.boolean(),
      generation_trigger: z.string().nullable(),
    }),
  }),
  set_pcg_component_properties: tool({
    title: 'Set PCG component properties',
    effect: 'destructive',
    idempotent: true,
    about:
      'Sets properties of the PCG component of an actor, such as Seed, bActivated, bIsComponentPartitioned or ' +
      'GenerationTrigger. Each property succeeds or fails alone; `applied` holds the stored values as text.',
    input: z.strictObject({
      actor_name: ActorName,
      properties: z.record(z.string(), z.unknown()).describe('Property name to value'),
    }),
    output: z.object({
      actor_name: z.string(),
      set: z.array(z.string()),
      failed: z.array(z.object({ name: z.string(), error: z.string() })),
      applied: z.record(z.string(), z.string()),
    }),
  }),
  generate_pcg_component: tool({
    title: 'Generate PCG component',
    effect: 'additive',
    idempotent: false,
    about:
      'Schedules generation and returns at once with a task id. Poll get_pcg_component_info for completion. A cached ' +
      'result is used unless the output was cleaned: after an edit call cleanup_pcg_component with ' +
      'remove_components=true first. A component generates inside the bounds of its actor; without bounds it ' +
      'generates nothing, without an error. Read `note`.',
    input: z.strictObject({
      actor_name: ActorName,
      force: z.boolean().default(true).describe('Schedule a task even if the component is generated'),
    }),
    output: z.object({
      actor_name: z.string(),
      scheduled: z.boolean(),
      task_id: z.number().int().nullable(),
      is_generating: z.boolean(),
      generated: z.boolean(),
      note: z.string(),
    }),
  }),
  cleanup_pcg_component: tool({
    title: 'Clean up PCG component',
    effect: 'destructive',
    idempotent: false,
    about:
      'Drops the generated output of a component, at once; with remove_components also what it spawned. Do it before ' +
      'generating again after an edit, and before moving or resizing the volume.',
    input: z.strictObject({
      actor_name: ActorName,
      remove_components: z.boolean().default(false).describe('Also remove the spawned managed components'),
    }),
    output: z.object({ actor_name: z.string(), cleaned: z.boolean(), generated: z.boolean() }),
  }),
  get_pcg_generated_data: tool({
    title: 'Get PCG generated data',
    effect: 'read',
    idempotent: true,
    about:
      'What reached the Output node in the last generation, one item per data. Empty until a generation completes. A ' +
      'graph that only spawns gives no items; `note` then says what it spawned.',
    input: Actor,
    output: z.object({
      actor_name: z.string(),
      has_component: z.boolean(),
      output_data_count: z.number().int(),
      data: z.array(
        z.object({ index: z.number().int(), pin: z.string(), data_class: z.string(), tags: z.array(z.string()) }),
      ),
      note: z.string().optional(),
    }),
  }),
} as const
