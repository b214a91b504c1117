// The graph, node, edge and parameter tools of the PCG catalog.
import { rules } from '../rule.ts'

export const graphs = [
  ...rules(
    'pcg.create_pcg_graph',
    `
    class       36  -  create_pcg_graph is additive.
    params      36  -  name is required and package_path defaults to /Game/PCG.
    returns     36  -  It returns graph_name, asset_path, created, already_exists, node_count, saved and save_error.
    idempotent  40  -  A second creation loads the existing graph and reports already_exists.
    saves       40  -  A created graph is saved.
    plugin      40  -  Without the PCG plugin creation is an error.
  `,
  ),
  ...rules(
    'pcg.get_pcg_graph_info',
    `
    class    37  -  get_pcg_graph_info is read-only.
    params   37  -  pcg_graph_path is required.
    nodes    37  -  It returns every node with its title, settings class and pin labels, and node_count.
    ends     37  -  It returns whether the graph has its input and output node, and their real names.
    edges    37  -  It returns every edge and edge_count.
  `,
  ),
  ...rules(
    'pcg.list_pcg_node_types',
    `
    class    38  -       list_pcg_node_types is read-only and takes no parameter.
    returns  38  -       It returns base_class, count and a name and path for each type.
    concrete 40  -       It lists every concrete settings class of the build and no abstract one.
  `,
  ),
  ...rules(
    'pcg.add_pcg_node',
    `
    class      46  -  add_pcg_node is additive.
    params     46  -  pcg_graph_path and node_type are required.
    type-name  46  -  node_type is accepted as a class name.
    type-path  46  -  node_type is accepted as a fully-qualified script path.
    type-bad   46  -  An unknown or abstract node_type is an error.
    returns    46  -  It returns graph_name, asset_path, node_title, node_name, settings_class, node_count, saved and save_error.
    saves      56  -  The new node belongs to the graph and the graph is saved again.
  `,
  ),
  ...rules(
    'pcg.remove_pcg_node',
    `
    class     47  -  remove_pcg_node is destructive and idempotent.
    params    47  -  pcg_graph_path and node_name are required.
    returns   47  -  It returns graph_name, asset_path, node_name, removed, already_removed, node_count, saved and save_error.
    edges     57  -  Removing a node breaks its edges.
    endpoints 57  -  Removing Input or Output, by token or by real name, is rejected with an error.
    absent    57  -  An absent node reports already_removed.
  `,
  ),
  ...rules(
    'pcg.connect_pcg_nodes',
    `
    class      48  -  connect_pcg_nodes is destructive and idempotent.
    params     48  -  Graph path, from_node and to_node are required, the pins optional, and Input and Output stand for the endpoints.
    returns    48  -  It returns graph and node names, both pins, already_connected, connected, edge_count, saved and save_error.
    from-pin   58  -  Without from_pin the Out pin is taken, else the first output pin.
    to-pin     58  -  Without to_pin the In pin is taken, else the first input pin.
    echo       58  -  The pin labels that were resolved are answered.
    again      58  -  An existing edge reports already_connected.
    saves      58  -  The graph is saved again only when an edge was added.
  `,
  ),
  ...rules(
    'pcg.disconnect_pcg_nodes',
    `
    class    49  -  disconnect_pcg_nodes is destructive and idempotent.
    params   49  -  It takes the parameters of connect_pcg_nodes.
    returns  49  -  It returns graph and node names, both pins, already_disconnected, removed, disconnected, edge_count, saved and save_error.
    pins     59  -  It applies the same pin defaults as connecting.
    again    59  -  A missing edge reports already_disconnected.
    saves    59  -  The graph is saved again when an edge was removed.
  `,
  ),
  ...rules(
    'pcg.add_pcg_subgraph_node',
    `
    class         50  -  add_pcg_subgraph_node is additive.
    params        50  -  pcg_graph_path (the host) and subgraph_path (the graph to embed) are required.
    returns       50  -  It returns graph_name, asset_path, node_name, node_title, subgraph_path, subgraph_set, node_count and saved.
    ignored-input 60  -  A subgraph that does not use its input node ignores what is wired into it.
  `,
  ),
  ...rules(
    'pcg.get_pcg_node_properties',
    `
    class    51  -  get_pcg_node_properties is read-only.
    params   51  -  pcg_graph_path and node_name are required.
    returns  51  -  It returns graph_name, asset_path, node_name, settings_class and the properties as an object.
  `,
  ),
  ...rules(
    'pcg.set_pcg_node_properties',
    `
    class    52  -  set_pcg_node_properties is destructive and idempotent.
    params   52  -  pcg_graph_path, node_name and a properties object are required.
    returns  52  -  It returns graph_name, asset_path, node_name, settings_class, applied_keys, properties, saved and save_error.
    merge    61  -  Only the keys given are written; the others keep their values.
    clamp    61  -  Values beyond a field's bounds are clamped.
    readback 61  -  The properties answered are the persisted ones, read back.
    again    61  -  Applying the same values again changes nothing.
  `,
  ),
  ...rules(
    'pcg.add_pcg_graph_parameter',
    `
    class    67  -       add_pcg_graph_parameter is additive and idempotent.
    params   67  -       pcg_graph_path, name and type are required; type is bool, int, float, double or string.
    returns  67  -       It returns pcg_graph_path, name, type, added, already_existed and parameter_count.
    again    67  -       A parameter that exists reports already_existed.
  `,
  ),
  ...rules(
    'pcg.get_pcg_graph_parameters',
    `
    class    68  -  get_pcg_graph_parameters is read-only.
    params   68  -  pcg_graph_path is required.
    returns  68  -  It returns pcg_graph_path, parameter_count and name, type and value of each parameter.
    empty    71  -  A graph that exposes nothing answers an empty list.
  `,
  ),
  ...rules(
    'pcg.set_pcg_graph_parameter',
    `
    class    69  -  set_pcg_graph_parameter is destructive and idempotent.
    params   69  -  pcg_graph_path and name are required; value is a string, optional in the schema and needed in fact.
    exists   69  -  A name the graph does not have is an error.
    type     69  -  A value that does not parse as the declared type is an error.
    returns  69  -  It returns pcg_graph_path, name, type, set and the stored value read back.
    world    71  -  Changing a parameter changes nothing in the world until it is cleaned and generated again.
  `,
  ),
]
