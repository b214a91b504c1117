// What the PCG catalog promises as a whole, its records and its errors.
import { rules } from '../rule.ts'

export const general = [
  ...rules(
    'pcg.general',
    `
    count                 3   -  The catalog has exactly 20 tools.
    purpose               7   -  The tools create and edit graphs, wire nodes, tune parameters, attach components, and start and inspect generation.
    classes               7   -  Every tool is classified as additive, destructive or read-only.
    idempotent-flag       7   -  A repeat of an idempotent call reports its already_* flag and raises no error.
    saved                 7   -  A tool that changes a graph saves it and reports saved.
    async                 11  -  Generation is asynchronous: generating answers with a scheduled task id, not with a finished result.
    stale-cache           12  -  Generating after an edit without a cleanup reuses the cached output of the component.
    fresh-after-cleanup   12  -  Cleanup with remove_components, then generate, yields output of the edited graph.
    generated-not-fresh   12  -  The generated flag is true for a cached result as well.
    bounds                13  -  A component generates inside the bounds of its actor.
    no-brush-no-instances 13  -  On a volume of extent zero generation yields zero instances and no error.
    graph-asset-only      14  -  Parameter tools answer a graph instance with "PCG graph not found".
    endpoint-tokens       15  -  Input and Output address the implicit endpoints of a graph.
    endpoints-stay        15  -  The implicit endpoints cannot be removed.
  `,
  ),
  ...rules(
    'pcg.record',
    `
    graph-path-forms  21  -  A graph is addressed by its /Game content path with or without the asset suffix.
    node-count        21  -  node_count counts added nodes only and starts at 0.
    node              22  -  A node shows node_name, title, settings_class, input_pins and output_pins.
    edge              23  -  An edge shows from_node, from_pin, to_node and to_pin.
    parameter         24  -  A graph parameter shows name, value and a type among bool, int, float, double and string.
    component         25  -  A component shows graph path, seed, activated, is_partitioned, generation_trigger, is_generating and generated.
    output-item       26  -  A generated item shows index, pin, data_class and tags.
  `,
  ),
  ...rules(
    'pcg.error',
    `
    1             107  -  Removing Input or Output is rejected with an error.
    2             108  -  Setting a parameter on a graph instance answers "PCG graph not found".
    3-exists      109  -  Setting a parameter that does not exist is an error.
    3-type        109  -  Setting a parameter to a value of another type is an error.
    4-save        110  -  A failed save is reported in save_error while the call itself succeeds.
    4-property    110  -  A component property that cannot be set is listed in failed with an error text.
    5             111  -  Idempotent repeats raise no error.
  `,
  ),
]
