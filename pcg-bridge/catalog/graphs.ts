// The three tools about whole graph assets and node classes.
import { z } from 'zod'
import { GraphIdentity, GraphPath, Saved, tool } from './tool.ts'

export const Edge = z.object({
  from_node: z.string(),
  from_pin: z.string(),
  to_node: z.string(),
  to_pin: z.string(),
})

export const NodeInfo = z.object({
  node_name: z.string().describe('Identity of the node inside its graph'),
  title: z.string(),
  settings_class: z.string(),
  input_pins: z.array(z.string()),
  output_pins: z.array(z.string()),
})

export const graphs = {
  create_pcg_graph: tool({
    title: 'Create PCG graph',
    effect: 'additive',
    idempotent: true,
    about:
      'Creates an empty PCG graph asset and saves it. When the asset is already there it is loaded instead and ' +
      '`already_exists` is true: nothing in it is changed. Needs the PCG plugin.',
    input: z.strictObject({
      name: z.string().min(1).max(256).describe('Asset name, without path: Forest'),
      package_path: z.string().min(1).max(512).default('/Game/PCG').describe('Folder of the asset'),
    }),
    output: z.object({
      ...GraphIdentity,
      created: z.boolean(),
      already_exists: z.boolean(),
      node_count: z.number().int().describe('Nodes added by users; the implicit Input and Output do not count'),
      ...Saved,
    }),
  }),
  get_pcg_graph_info: tool({
    title: 'Get PCG graph info',
    effect: 'read',
    idempotent: true,
    about:
      'Everything in a graph: its nodes with their pins, and its edges. Input and Output are not among the nodes; ' +
      'their real names are `input_node_name` and `output_node_name`, and edges name them so. Read it before wiring, ' +
      'and before embedding a graph: a graph without an edge from its input node ignores what is wired into it.',
    input: z.strictObject({ pcg_graph_path: GraphPath }),
    output: z.object({
      ...GraphIdentity,
      node_count: z.number().int(),
      nodes: z.array(NodeInfo),
      has_input_node: z.boolean(),
      has_output_node: z.boolean(),
      input_node_name: z.string(),
      output_node_name: z.string(),
      edges: z.array(Edge),
      edge_count: z.number().int(),
    }),
  }),
  list_pcg_node_types: tool({
    title: 'List PCG node types',
    effect: 'read',
    idempotent: true,
    about: 'Every concrete node settings class of this editor. Run it before `add_pcg_node`: it needs such a name.',
    input: z.strictObject({}),
    output: z.object({
      base_class: z.string(),
      count: z.number().int(),
      types: z.array(z.object({ name: z.string(), path: z.string() })),
    }),
  }),
} as const
