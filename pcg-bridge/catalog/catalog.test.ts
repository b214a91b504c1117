// The catalogue against the words of the specification: names, fields, optionality, classes.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { annotationsOf, CATALOG, INSPECTION, NODE_TYPES, type ToolName } from './index.ts'

const NODE_CLASSES = new URL('../../e2e/corpora/unreal/pcg-node-classes.json', import.meta.url)

/** name → [required parameters, optional parameters, returned fields], as the specification lists them. */
const SPECIFIED: Record<ToolName, readonly [string, string, string]> = {
  create_pcg_graph: [
    'name',
    'package_path',
    'graph_name asset_path created already_exists node_count saved save_error',
  ],
  get_pcg_graph_info: [
    'pcg_graph_path',
    '',
    'graph_name asset_path node_count nodes has_input_node has_output_node input_node_name output_node_name edges edge_count',
  ],
  list_pcg_node_types: ['', '', 'base_class count types'],
  add_pcg_node: [
    'pcg_graph_path node_type',
    '',
    'graph_name asset_path node_title node_name settings_class node_count saved save_error',
  ],
  remove_pcg_node: [
    'pcg_graph_path node_name',
    '',
    'graph_name asset_path node_name removed already_removed node_count saved save_error',
  ],
  connect_pcg_nodes: [
    'pcg_graph_path from_node to_node',
    'from_pin to_pin',
    'graph_name asset_path from_node from_pin to_node to_pin already_connected connected edge_count saved save_error',
  ],
  disconnect_pcg_nodes: [
    'pcg_graph_path from_node to_node',
    'from_pin to_pin',
    'graph_name asset_path from_node from_pin to_node to_pin already_disconnected removed disconnected edge_count saved save_error',
  ],
  add_pcg_subgraph_node: [
    'pcg_graph_path subgraph_path',
    '',
    'graph_name asset_path node_name node_title subgraph_path subgraph_set node_count saved',
  ],
  get_pcg_node_properties: [
    'pcg_graph_path node_name',
    '',
    'graph_name asset_path node_name settings_class properties',
  ],
  set_pcg_node_properties: [
    'pcg_graph_path node_name properties',
    '',
    'graph_name asset_path node_name settings_class applied_keys properties saved save_error',
  ],
  add_pcg_graph_parameter: [
    'pcg_graph_path name type',
    '',
    'pcg_graph_path name type added already_existed parameter_count',
  ],
  get_pcg_graph_parameters: ['pcg_graph_path', '', 'pcg_graph_path parameter_count parameters'],
  set_pcg_graph_parameter: ['pcg_graph_path name', 'value', 'pcg_graph_path name type set value'],
  add_pcg_component: [
    'actor_name',
    'pcg_graph_path',
    'actor_name component_name already_existed graph_path graph_assigned',
  ],
  get_pcg_component_info: [
    'actor_name',
    '',
    'actor_name has_component graph_path is_generating generated seed activated is_partitioned generation_trigger',
  ],
  set_pcg_component_properties: ['actor_name properties', '', 'actor_name set failed applied'],
  generate_pcg_component: ['actor_name', 'force', 'actor_name scheduled task_id is_generating generated note'],
  cleanup_pcg_component: ['actor_name', 'remove_components', 'actor_name cleaned generated'],
  get_pcg_generated_data: ['actor_name', '', 'actor_name has_component output_data_count data note'],
  spawn_pcg_volume: [
    '',
    'location extent rotation pcg_graph_path name',
    'actor_name actor_label actor_class has_pcg_component pcg_graph_path graph_assigned location bounds_extent_actual ' +
      'bounds_origin_actual actor_scale has_brush_geometry brush_poly_count brush_requested scale_normalized warning requested',
  ],
}

/** Contract 7.9: readOnly, destructive, idempotent. */
const CLASSES: readonly (readonly [string, readonly [boolean, boolean, boolean]])[] = [
  [
    'get_pcg_graph_info list_pcg_node_types get_pcg_node_properties get_pcg_graph_parameters get_pcg_component_info get_pcg_generated_data',
    [true, false, true],
  ],
  ['add_pcg_node add_pcg_subgraph_node generate_pcg_component spawn_pcg_volume', [false, false, false]],
  ['create_pcg_graph add_pcg_graph_parameter add_pcg_component', [false, false, true]],
  ['cleanup_pcg_component', [false, true, false]],
  [
    'remove_pcg_node connect_pcg_nodes disconnect_pcg_nodes set_pcg_node_properties set_pcg_graph_parameter set_pcg_component_properties',
    [false, true, true],
  ],
]
const words = (text: string) => text.split(' ').filter(Boolean).sort()

describe('the twenty tools', () => {
  it('are twenty [pcg.general.count]', () => {
    expect(Object.keys(CATALOG)).toHaveLength(20)
  })

  // cites: pcg.create_pcg_graph.params pcg.create_pcg_graph.returns pcg.get_pcg_graph_info.params
  // cites: pcg.list_pcg_node_types.class pcg.list_pcg_node_types.returns
  // cites: pcg.add_pcg_node.params pcg.add_pcg_node.returns pcg.remove_pcg_node.params pcg.remove_pcg_node.returns
  // cites: pcg.connect_pcg_nodes.params pcg.connect_pcg_nodes.returns pcg.disconnect_pcg_nodes.params
  // cites: pcg.disconnect_pcg_nodes.returns pcg.add_pcg_subgraph_node.params pcg.add_pcg_subgraph_node.returns
  // cites: pcg.get_pcg_node_properties.params pcg.get_pcg_node_properties.returns pcg.set_pcg_node_properties.params
  // cites: pcg.set_pcg_node_properties.returns pcg.add_pcg_graph_parameter.returns
  // cites: pcg.get_pcg_graph_parameters.params pcg.get_pcg_graph_parameters.returns
  // cites: pcg.set_pcg_graph_parameter.params pcg.set_pcg_graph_parameter.returns pcg.add_pcg_component.returns
  // cites: pcg.get_pcg_component_info.params pcg.get_pcg_component_info.returns
  // cites: pcg.set_pcg_component_properties.returns pcg.generate_pcg_component.params
  // cites: pcg.generate_pcg_component.returns pcg.cleanup_pcg_component.params pcg.cleanup_pcg_component.returns
  // cites: pcg.get_pcg_generated_data.params pcg.get_pcg_generated_data.returns pcg.spawn_pcg_volume.returns
  it.each(Object.entries(SPECIFIED))('%s takes and answers what the specification lists', (name, specified) => {
    const { input, output } = CATALOG[name as ToolName] // keys of SPECIFIED are ToolNames by its type
    const schema = z.toJSONSchema(input, { io: 'input' })
    const required = [...(schema.required ?? [])].sort()
    const all = Object.keys(schema.properties ?? {}).sort()
    expect(required).toEqual(words(specified[0]))
    expect(all).toEqual(words(`${specified[0]} ${specified[1]}`))
    expect(Object.keys(output.shape).sort()).toEqual(words(specified[2]))
  })

  // cites: pcg.general.classes pcg.create_pcg_graph.class pcg.get_pcg_graph_info.class pcg.list_pcg_node_types.class
  // cites: pcg.add_pcg_node.class pcg.remove_pcg_node.class pcg.connect_pcg_nodes.class
  // cites: pcg.disconnect_pcg_nodes.class pcg.add_pcg_subgraph_node.class pcg.get_pcg_node_properties.class
  // cites: pcg.set_pcg_node_properties.class pcg.add_pcg_graph_parameter.class pcg.get_pcg_graph_parameters.class
  // cites: pcg.set_pcg_graph_parameter.class pcg.add_pcg_component.class pcg.get_pcg_component_info.class
  // cites: pcg.set_pcg_component_properties.class pcg.generate_pcg_component.class pcg.cleanup_pcg_component.class
  // cites: pcg.get_pcg_generated_data.class pcg.spawn_pcg_volume.class
  it('carry the annotations of their class', () => {
    for (const [names, [readOnly, destructive, idempotent]] of CLASSES)
      for (const name of words(names))
        expect(annotationsOf(CATALOG[name as ToolName]), name).toEqual({
          readOnlyHint: readOnly,
          destructiveHint: destructive,
          idempotentHint: idempotent,
          openWorldHint: false,
        })
    expect(CLASSES.flatMap(([names]) => words(names))).toHaveLength(20)
  })

  it('a new parameter has a path, a name and one of five types [pcg.add_pcg_graph_parameter.params]', () => {
    const { input } = CATALOG.add_pcg_graph_parameter
    const given = { pcg_graph_path: '/Game/A', name: 'N' }
    for (const type of ['bool', 'int', 'float', 'double', 'string'])
      expect(input.safeParse({ ...given, type }).success, type).toBe(true)
    for (const type of ['vector', 'Bool', '', undefined, 7])
      expect(input.safeParse({ ...given, type }).success).toBe(false)
    for (const missing of ['pcg_graph_path', 'name'])
      expect(input.safeParse({ ...given, type: 'int', [missing]: undefined }).success, missing).toBe(false)
  })

  it('default as the specification says [pcg.create_pcg_graph.params pcg.generate_pcg_component.params pcg.cleanup_pcg_component.params]', () => {
    expect(CATALOG.create_pcg_graph.input.parse({ name: 'A' }).package_path).toBe('/Game/PCG')
    expect(CATALOG.generate_pcg_component.input.parse({ actor_name: 'A' }).force).toBe(true)
    expect(CATALOG.cleanup_pcg_component.input.parse({ actor_name: 'A' }).remove_components).toBe(false)
  })

  it('refuse a misspelt parameter, a size that is not above zero and an invalid number [pcg.spawn_pcg_volume.extent]', () => {
    expect(CATALOG.create_pcg_graph.input.safeParse({ name: 'A', pakage_path: '/Game' }).success).toBe(false)
    for (const extent of [
      [0, 1, 1],
      [1, -1, 1],
      [1, 1, Number.NaN],
      [1, 1, Number.POSITIVE_INFINITY],
      [1, 1],
    ])
      expect(CATALOG.spawn_pcg_volume.input.safeParse({ extent }).success, String(extent)).toBe(false)
  })
})

describe('beside the twenty', () => {
  it('the second toolset only reads, and shares no name with the first', () => {
    for (const [name, definition] of Object.entries(INSPECTION)) {
      expect(annotationsOf(definition).readOnlyHint, name).toBe(true)
      expect(Object.keys(CATALOG)).not.toContain(name)
    }
  })

  it('node classes have unique names, script paths and labelled pins', () => {
    expect(new Set(NODE_TYPES.map((type) => type.name)).size).toBe(NODE_TYPES.length)
    expect(NODE_TYPES.length).toBeGreaterThan(200)
    for (const type of NODE_TYPES) {
      expect(type.path).toMatch(/^\/Script\/\w+\.PCG\w+$/)
      for (const pins of [type.inputs, type.outputs])
        expect(new Set(pins.map((pin) => pin.label)).size, type.name).toBe(pins.length)
    }
  })

  // The class of the two ends of a graph is concrete in the real build too, and cannot be added.
  it('every concrete class of the reference is listed, and nothing else', () => {
    const classes = JSON.parse(readFileSync(NODE_CLASSES, 'utf8')) as readonly string[] // a list of names
    const wanted = classes.filter((name) => name !== 'PCGGraphInputOutputSettings')
    expect(NODE_TYPES.map(({ name }) => name).sort()).toEqual(wanted.sort())
  })

  it('a choice starts with one of its values, and a number inside its range', () => {
    for (const type of NODE_TYPES)
      for (const [name, property] of Object.entries(type.properties)) {
        const where = `${type.name}.${name}`
        if (property.kind === 'choice') expect(property.values, where).toContain(property.default)
        if (property.kind === 'int' || property.kind === 'float') {
          expect(property.default, where).toBeGreaterThanOrEqual(property.min ?? property.default)
          expect(property.default, where).toBeLessThanOrEqual(property.max ?? property.default)
        }
      }
  })
})
