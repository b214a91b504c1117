// A second, read-only toolset: what the editor stores and the twenty tools do not return.
import { z } from 'zod'
import { CommentBox } from '../contract/index.ts'
import { Spawned } from './components.ts'
import { ActorName, GraphPath, NodeName, tool, Vector } from './tool.ts'

const Column = z.object({
  name: z.string(),
  type: z.string(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  mean: z.number().nullable(),
  histogram: z.array(z.number().int()).describe('Counts in equal steps from min to max; empty for text'),
})
const PackedRows = z.object({
  row_count: z.number().int().describe('Of this page'),
  columns: z.array(
    z.object({
      name: z.string(),
      width: z.number().int().describe('Numbers a row, one after another; 0 for text'),
      shared: z.boolean().describe('One value stands for all rows'),
      form: z.enum(['float64', 'float32', 'int32', 'text']),
      numbers: z.string().describe('Base64 of the numbers, the lowest byte first; empty for text'),
      texts: z.array(z.string()),
    }),
  ),
})
const Preview = z.strictObject({
  pcg_graph_path: GraphPath,
  node_name: NodeName.optional().describe('The node whose settings `values` are; without it they are parameters'),
  values: z.record(z.string(), z.unknown()),
})
const Finding = z.object({
  severity: z.enum(['error', 'warning', 'info']),
  node_name: z.string().nullable(),
  code: z.string(),
  message: z.string(),
})

export const inspection = {
  list_pcg_graphs: tool({
    title: 'List PCG graphs',
    effect: 'read',
    idempotent: true,
    about: 'All PCG graph assets and graph instances of the project, and assets that could not be read.',
    input: z.strictObject({}),
    output: z.object({
      graphs: z.array(
        z.object({
          asset_path: z.string(),
          kind: z.enum(['graph', 'instance']),
          node_count: z.number().int().nullable().describe('null: the editor has not loaded the graph'),
          parameter_count: z.number().int().nullable(),
        }),
      ),
      unreadable: z.array(z.object({ file: z.string(), reason: z.string() })),
    }),
  }),
  list_pcg_actors: tool({
    title: 'List level actors',
    effect: 'read',
    idempotent: true,
    about: 'Actors of the open level with their bounds, PCG component and what that component spawned.',
    input: z.strictObject({}),
    output: z.object({
      level: z.string(),
      actors: z.array(
        z.object({
          actor_name: z.string(),
          actor_label: z.string(),
          actor_class: z.string(),
          bounds_origin: Vector,
          bounds_extent: Vector,
          has_component: z.boolean(),
          spawned: z.array(Spawned),
        }),
      ),
    }),
  }),
  get_pcg_level_shapes: tool({
    title: 'Get level shapes',
    effect: 'read',
    idempotent: true,
    about:
      'What a viewer draws of the open level beside its boxes: landscapes as heights in rows and columns, splines as ' +
      'lines, and the tags of actors.',
    input: z.strictObject({
      resolution: z.number().int().min(2).max(257).default(65).describe('Heights along the longer side of a landscape'),
    }),
    output: z.object({
      level: z.string(),
      landscapes: z.array(
        z.object({
          actor_name: z.string(),
          min: z.array(z.number()).length(2),
          max: z.array(z.number()).length(2),
          columns: z.number().int(),
          rows: z.number().int(),
          heights: z
            .string()
            .describe('Base64 of 32-bit numbers, row by row from the lowest x and y; not a number in a hole'),
        }),
      ),
      splines: z.array(z.object({ actor_name: z.string(), points: z.array(Vector) })),
      actors: z.array(
        z.object({
          actor_name: z.string(),
          actor_label: z.string(),
          actor_class: z.string(),
          tags: z.array(z.string()),
        }),
      ),
    }),
  }),
  get_pcg_generation_report: tool({
    title: 'Get PCG generation report',
    effect: 'read',
    idempotent: true,
    about: 'The last generation of a component, node by node: time, points, data, warnings. And whether it is stale.',
    input: z.strictObject({ actor_name: ActorName }),
    output: z.object({
      actor_name: z.string(),
      task_id: z.number().int().nullable(),
      state: z.enum(['never', 'generating', 'generated', 'failed', 'cancelled', 'cleaned']),
      stale: z.boolean().describe('The graph, a parameter or the component changed since'),
      duration_ms: z.number().nullable(),
      error: z.string().nullable(),
      nodes: z.array(
        z.object({
          graph: z.string(),
          node_name: z.string(),
          ms: z.number(),
          points: z.number().int(),
          data: z.number().int(),
          executed: z.boolean().describe('False: this editor passes the data through instead'),
          warnings: z.array(z.string()),
        }),
      ),
    }),
  }),
  get_pcg_node_data: tool({
    title: 'Get PCG node data',
    effect: 'read',
    idempotent: true,
    about:
      'What one output pin of a node held in the last generation: one page of points or attribute rows, and for every ' +
      'column the range, mean and histogram over all rows.',
    input: z.strictObject({
      actor_name: ActorName,
      node_name: NodeName,
      pin: z.string().min(1).max(256).optional(),
      data_index: z.number().int().min(0).default(0),
      offset: z.number().int().min(0).default(0),
      limit: z.number().int().min(1).max(10000).default(100),
      every: z.number().int().min(1).default(1).describe('Every n-th row from the offset on: a sample over all rows'),
      packed: z
        .boolean()
        .default(false)
        .describe('For programs: `rows` stays empty, `packed` holds the same page column by column in base64'),
      preview: Preview.optional().describe(
        'Runs the graph of the component as it is now with other values, in place of the last generation. Stores ' +
          'nothing. Only the built-in editor does it',
      ),
    }),
    output: z.object({
      actor_name: z.string(),
      node_name: z.string(),
      pin: z.string(),
      data_count: z.number().int(),
      data_index: z.number().int(),
      data_class: z.string().nullable(),
      tags: z.array(z.string()),
      row_count: z.number().int(),
      columns: z.array(Column),
      rows: z.array(z.record(z.string(), z.unknown())),
      packed: PackedRows.optional(),
    }),
  }),
  explain_pcg_component: tool({
    title: 'Explain PCG component',
    effect: 'read',
    idempotent: true,
    about:
      'Why is nothing generated? Checks the component, its bounds and its graph without running it, then names the ' +
      'first node of the last generation whose output was empty and the likely cause.',
    input: z.strictObject({ actor_name: ActorName }),
    output: z.object({ actor_name: z.string(), healthy: z.boolean(), findings: z.array(Finding) }),
  }),
  get_pcg_graph_layout: tool({
    title: 'Get PCG graph layout',
    effect: 'read',
    idempotent: true,
    about: 'Positions of the nodes and the comment boxes of a graph. A node without a position has not been placed.',
    input: z.strictObject({ pcg_graph_path: GraphPath }),
    output: z.object({
      asset_path: z.string(),
      nodes: z.array(z.object({ node_name: z.string(), x: z.number(), y: z.number() })),
      comments: z.array(CommentBox),
    }),
  }),
  get_pcg_edit_history: tool({
    title: 'Get PCG edit history',
    effect: 'read',
    idempotent: true,
    about: 'Who changed what, newest first, in the whole project or in one graph.',
    input: z.strictObject({
      pcg_graph_path: GraphPath.optional(),
      limit: z.number().int().min(1).max(200).default(50),
    }),
    output: z.object({
      changes: z.array(
        z.object({
          id: z.number().int(),
          at: z.string(),
          actor: z.string(),
          batch_id: z.string().nullable(),
          label: z.string().nullable(),
          tool: z.string(),
          graph: z.string().nullable(),
          undoable: z.boolean(),
          undone: z.boolean(),
        }),
      ),
    }),
  }),
} as const
