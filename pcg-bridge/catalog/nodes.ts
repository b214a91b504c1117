// The seven tools about nodes, edges and node properties.
import { z } from 'zod'
import { GraphIdentity, GraphPath, NodeName, Saved, tool } from './tool.ts'

const Ends = z.strictObject({
  pcg_graph_path: GraphPath,
  from_node: NodeName.describe('Node name, or Input'),
  to_node: NodeName.describe('Node name, or Output'),
  from_pin: z.string().min(1).max(256).optional().describe('Default: Out, else the first output pin'),
  to_pin: z.string().min(1).max(256).optional().describe('Default: In, else the first input pin'),
})
const ResolvedEnds = {
  ...GraphIdentity,
  from_node: z.string(),
  from_pin: z.string().describe('The pin that was used'),
  to_node: z.string(),
  to_pin: z.string().describe('The pin that was used'),
}
const Properties = z.record(z.string(), z.unknown())

export const nodes = {
  add_pcg_node: tool({
    title: 'Add PCG node',
    effect: 'additive',
    idempotent: false,
    about:
      'Adds one node of a settings class and saves the graph. The answer names the node (`node_name`): use that name ' +
      'to wire it and to set its properties. Every call adds another node.',
    input: z.strictObject({
      pcg_graph_path: GraphPath,
      node_type: z
        .string()
        .min(1)
        .max(256)
        .describe('Concrete settings class from list_pcg_node_types, or its script path /Script/PCG.Name'),
    }),
    output: z.object({
      ...GraphIdentity,
      node_title: z.string(),
      node_name: z.string(),
      settings_class: z.string(),
      node_count: z.number().int(),
      ...Saved,
    }),
  }),
  remove_pcg_node: tool({
    title: 'Remove PCG node',
    effect: 'destructive',
    idempotent: true,
    about:
      'Removes a node and its edges and saves the graph. A missing node is answered with `already_removed`. ' +
      'Input and Output cannot be removed.',
    input: z.strictObject({ pcg_graph_path: GraphPath, node_name: NodeName }),
    output: z.object({
      ...GraphIdentity,
      node_name: z.string(),
      removed: z.boolean(),
      already_removed: z.boolean(),
      node_count: z.number().int(),
      ...Saved,
    }),
  }),
  connect_pcg_nodes: tool({
    title: 'Connect PCG nodes',
    effect: 'destructive',
    idempotent: true,
    about:
      'Wires an output pin to an input pin. Without pin names the usual pins are taken and echoed. An edge that is ' +
      'already there is answered with `already_connected`. A pin that takes one edge only loses the one it had. Any ' +
      'property name of the target node is also an input pin: an attribute set wired there overrides the property.',
    input: Ends,
    output: z.object({
      ...ResolvedEnds,
      already_connected: z.boolean(),
      connected: z.boolean(),
      edge_count: z.number().int(),
      ...Saved,
    }),
  }),
  disconnect_pcg_nodes: tool({
    title: 'Disconnect PCG nodes',
    effect: 'destructive',
    idempotent: true,
    about: 'Removes one edge, with the pin defaults of connect_pcg_nodes. No such edge: `already_disconnected`.',
    input: Ends,
    output: z.object({
      ...ResolvedEnds,
      already_disconnected: z.boolean(),
      removed: z.boolean(),
      disconnected: z.boolean(),
      edge_count: z.number().int(),
      ...Saved,
    }),
  }),
  add_pcg_subgraph_node: tool({
    title: 'Add PCG subgraph node',
    effect: 'additive',
    idempotent: false,
    about:
      'Embeds one graph in another as a node. The embedded graph must use its input node, or it ignores what is wired ' +
      'into it: check with get_pcg_graph_info. Its tunables: get_pcg_graph_parameters.',
    input: z.strictObject({
      pcg_graph_path: GraphPath.describe('The host graph'),
      subgraph_path: GraphPath.describe('The graph to embed'),
    }),
    output: z.object({
      ...GraphIdentity,
      node_name: z.string(),
      node_title: z.string(),
      subgraph_path: z.string(),
      subgraph_set: z.boolean(),
      node_count: z.number().int(),
      saved: z.boolean(),
    }),
  }),
  get_pcg_node_properties: tool({
    title: 'Get PCG node properties',
    effect: 'read',
    idempotent: true,
    about: 'All settings of a node with their stored values, by the names set_pcg_node_properties takes.',
    input: z.strictObject({ pcg_graph_path: GraphPath, node_name: NodeName }),
    output: z.object({
      ...GraphIdentity,
      node_name: z.string(),
      settings_class: z.string(),
      properties: Properties,
    }),
  }),
  set_pcg_node_properties: tool({
    title: 'Set PCG node properties',
    effect: 'destructive',
    idempotent: true,
    about:
      'Merges settings into a node: only the keys given are written, numbers are clamped to their range, and the stored ' +
      'settings are read back in `properties`. Fields of a nested struct: a nested object, or a dotted key. The world ' +
      'does not change until you clean up and generate again.',
    input: z.strictObject({
      pcg_graph_path: GraphPath,
      node_name: NodeName,
      properties: Properties.describe('Setting name to value, as get_pcg_node_properties shows them'),
    }),
    output: z.object({
      ...GraphIdentity,
      node_name: z.string(),
      settings_class: z.string(),
      applied_keys: z.array(z.string()),
      properties: Properties,
      ...Saved,
    }),
  }),
} as const
