// The component, generation and volume tools of the PCG catalog.
import { rules } from '../rule.ts'

export const world = [
  ...rules(
    'pcg.add_pcg_component',
    `
    class    77  -       add_pcg_component is additive and idempotent.
    params   77  -       actor_name (label or internal name) is required, pcg_graph_path optional.
    returns  77  -       It returns actor_name, component_name, already_existed, graph_path and graph_assigned.
    again    86  -       An actor that has a component gets that component back.
  `,
  ),
  ...rules(
    'pcg.get_pcg_component_info',
    `
    class    78  -  get_pcg_component_info is read-only.
    params   78  -  actor_name is required.
    returns  78  -  It returns has_component, graph_path, is_generating, generated, seed, activated, is_partitioned and generation_trigger.
  `,
  ),
  ...rules(
    'pcg.set_pcg_component_properties',
    `
    class    79  -       set_pcg_component_properties is destructive and idempotent.
    params   79  -       actor_name and a properties object are required; Seed, bActivated, bIsComponentPartitioned and GenerationTrigger are accepted names.
    returns  79  -       It returns actor_name, the names set, the failures with their error, and the stored values as text.
    partial  79  -       One property that fails does not stop the others from being set.
    readback 89  -       The applied values are read back from the component.
  `,
  ),
  ...rules(
    'pcg.generate_pcg_component',
    `
    class    80  -  generate_pcg_component is additive.
    params   80  -  actor_name is required; force is optional and true by default.
    returns  80  -  It returns actor_name, scheduled, task_id, is_generating, generated and note.
    force    80  -  With force it generates even when the component is generated already.
    poll     87  -  Completion is seen by polling the component info or the generated data.
  `,
  ),
  ...rules(
    'pcg.cleanup_pcg_component',
    `
    class      81  -  cleanup_pcg_component is destructive.
    params     81  -  actor_name is required; remove_components is optional and false by default.
    components 81  -  With remove_components the spawned managed components are removed too.
    returns    81  -  It returns actor_name, cleaned and generated.
    sync       88  -  Cleanup is done when the call answers.
  `,
  ),
  ...rules(
    'pcg.get_pcg_generated_data',
    `
    class    82  -  get_pcg_generated_data is read-only.
    params   82  -  actor_name is required.
    returns  82  -  It returns actor_name, has_component, output_data_count, the data items and an optional note.
    empty    82  -  It is empty until a generation completes.
  `,
  ),
  ...rules(
    'pcg.spawn_pcg_volume',
    `
    class      93   -  spawn_pcg_volume is additive and spawns a volume actor with a real cube brush.
    location   97   -  location is three numbers and optional.
    extent     98   -  extent is three half-sizes, each greater than 0, and optional.
    rotation   99   -  rotation is pitch, yaw and roll and defaults to zero.
    graph      100  -  pcg_graph_path is optional and assigns that graph to the component of the volume.
    name       101  -  name is used unless the level has an actor of that name, then it is skipped.
    returns    103  -  It returns the actor, graph, bounds, scale, brush and request fields listed in the catalog.
    reread     103  -  Bounds, origin, scale and brush are read from the spawned actor, never echoed.
    no-extent  103  -  Without extent the volume has no brush and the response reports it.
  `,
  ),
]
