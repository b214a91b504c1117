"""The level: actors, components, generation, volumes. Part 4 of the program."""


def actors():
    return list(unreal.get_editor_subsystem(unreal.EditorActorSubsystem).get_all_level_actors())


def actor_at(name):
    """By label, else by internal name; of several with one label none is taken."""
    labelled = [actor for actor in actors() if actor.get_actor_label() == name]
    if len(labelled) > 1:
        raise Refusal('INVALID_ARGUMENT', "%d actors are labelled '%s': use one of the names %s" % (
            len(labelled), name[:120], ', '.join(actor.get_name() for actor in labelled)))
    named = labelled or [actor for actor in actors() if actor.get_name().lower() == name.lower()]
    if not named:
        raise Refusal('ACTOR_NOT_FOUND', "The level has no actor named '%s'. Only loaded actors are seen" % name[:120])
    return named[0]


def component_of(actor):
    return actor.get_component_by_class(unreal.PCGComponent)


def component_at(name):
    actor = actor_at(name)
    component = component_of(actor)
    if component is None:
        raise Refusal('COMPONENT_NOT_FOUND', '%s has no PCG component: add one with add_pcg_component' % actor.get_name())
    return actor, component


def graph_of(component):
    instance = component.get_editor_property('graph_instance')
    return None if instance is None else instance.get_editor_property('graph')


def partitions(component):
    """The actors of a partitioned component with its part on each: they hold its output, the original stays empty."""
    if not component.get_editor_property('is_component_partitioned'):
        return []
    cells = [actor for actor in actors() if isinstance(actor, unreal.PCGPartitionActor)]
    found = [(cell, cell.get_local_component(component)) for cell in cells]
    return [(cell, local) for cell, local in found if local is not None]


def parts_of(component):
    return [component] + [local for _cell, local in partitions(component)]


def state(component):
    graph, parts = graph_of(component), parts_of(component)
    return {
        'name': component.get_name(), 'graph': None if graph is None else asset_path(graph),
        'generated': any(bool(part.get_editor_property('generated')) for part in parts),
        'running': any(bool(part.get_editor_property('generation_in_progress')) for part in parts),
        'cells': len(parts) - 1,
        'properties': shapes(component, {name: documented(type(component)).get(name, ('', True)) for name in COMPONENT}),
    }


def instances_on(actor):
    found = []
    for component in actor.get_components_by_class(unreal.InstancedStaticMeshComponent):
        mesh = component.get_editor_property('static_mesh')
        found.append({'component': component.get_name(), 'asset': '' if mesh is None else asset_path(mesh),
                      'instances': int(component.get_instance_count())})
    return found


def spawned_by(actor):
    component = component_of(actor)
    cells = [] if component is None else [cell for cell, _local in partitions(component)]
    return [item for each in [actor] + cells for item in instances_on(each)]


def read_actor(args):
    actor = actor_at(args['actor'])
    component = component_of(actor)
    return {'actor': actor.get_name(), 'component': None if component is None else state(component)}


def interface_at(path):
    return asset_at(path, unreal.PCGGraphInterface)


def add_component(args):
    actor = actor_at(args['actor'])
    graph = None if args['graph'] is None else interface_at(args['graph'])
    component = component_of(actor)
    existed = component is not None
    with editing('add PCG component'):
        if component is None:
            actor.modify()
            subsystem = unreal.get_engine_subsystem(unreal.SubobjectDataSubsystem)
            root = subsystem.k2_gather_subobject_data_for_instance(actor)[0]
            _handle, reason = subsystem.add_new_subobject(
                unreal.AddNewSubobjectParams(parent_handle=root, new_class=unreal.PCGComponent))
            component = component_of(actor)
            if component is None:
                raise Refusal('EDITOR_ERROR', 'The editor did not add the component: %s' % reason)
        if graph is not None and graph_of(component) is None:
            component.modify()
            component.set_graph(graph)
    shown = state(component)
    return {'actor': actor.get_name(), 'component': shown, 'existed': existed,
            'assigned': graph is not None and graph_of(component) == graph}


def write_component(args):
    actor, component = component_at(args['actor'])
    failed = {}
    with editing('set PCG component properties'):
        component.modify()
        for name, value in args['values'].items():
            try:
                if name == 'graph':
                    component.set_graph(None if value is None else interface_at(value))
                else:
                    put(component, {name: value}, [])
            except Exception as error:
                failed[name] = str(error) or type(error).__name__
        if 'is_component_partitioned' in args['values']:
            component.notify_properties_changed_from_blueprint()
    return {'actor': actor.get_name(), 'component': state(component), 'failed': failed}


def generate(args):
    """Starts and returns: generation advances in later frames. The task id is ours; Python does not see the engine's."""
    actor, component = component_at(args['actor'])
    COUNTERS['task'] += 1
    fresh = bool(args['force']) and not state(component)['generated']
    if fresh:  # cleaned: results of single nodes that the engine still holds would come back
        unreal.PCGBlueprintHelpers.flush_pcg_cache()
    component.generate_local(bool(args['force']))
    shown = state(component)
    if fresh and not shown['running'] and not shown['generated'] and shown['graph'] is not None:
        graph = graph_of(component)  # not admitted: assigning the graph again frees a component that is stuck
        component.set_graph(None)
        component.set_graph(graph)
        component.generate_local(True)
        shown = state(component)
    _origin, extent = actor.get_actor_bounds(False)
    return {'actor': actor.get_name(), 'component': shown, 'task': COUNTERS['task'],
            'empty': min(extent.x, extent.y, extent.z) <= 0}


def cleanup(args):
    """The editor may finish it in a later frame: the bridge looks again until it has."""
    actor, component = component_at(args['actor'])
    component.cleanup_local(bool(args['remove']))
    return {'actor': actor.get_name(), 'component': state(component)}


def output_of(component):
    """Read without asking `generated`, which stays false on a partitioned component."""
    for part in parts_of(component):
        collection = part.get_generated_graph_output()
        for item in [] if collection is None else collection.get_editor_property('tagged_data'):
            data = item.get_editor_property('data')
            yield {
                'pin': str(item.get_editor_property('pin')),
                'class': '' if data is None else data.get_class().get_name(),
                'tags': sorted(str(tag) for tag in item.get_editor_property('tags')),
            }


def read_output(args):
    actor = actor_at(args['actor'])
    component = component_of(actor)
    return {'actor': actor.get_name(), 'component': None if component is None else state(component),
            'items': [] if component is None else list(output_of(component)), 'spawned': spawned_by(actor)}


def spawn_volume(args):
    graph = None if args['graph'] is None else interface_at(args['graph'])
    taken = {text.lower() for actor in actors() for text in (actor.get_name(), actor.get_actor_label())}
    subsystem = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    with editing('spawn PCG volume'):
        volume = subsystem.spawn_actor_from_class(
            unreal.PCGVolume, unreal.Vector(*args['location']), unreal.Rotator(roll=0.0, pitch=0.0, yaw=0.0))
        if volume is None:
            raise Refusal('EDITOR_ERROR', 'The editor spawned no volume: it needs an open level viewport')
        _origin, brush = volume.get_actor_bounds(False)
        half = [brush.x, brush.y, brush.z]
        if args['extent'] is not None and min(half) > 0:
            volume.set_actor_scale3d(unreal.Vector(*[want / has for want, has in zip(args['extent'], half)]))
        _origin, sized = volume.get_actor_bounds(False)
        pitch, yaw, roll = args['rotation']
        volume.set_actor_rotation(unreal.Rotator(roll=roll, pitch=pitch, yaw=yaw), False)
        named = args['name'] is not None and args['name'].lower() not in taken
        if named:
            volume.set_actor_label(args['name'])
        component = volume.get_editor_property('pcg_component')
        if graph is not None and component is not None:
            component.set_graph(graph)
    origin, extent = volume.get_actor_bounds(False)
    return {
        'actor': volume.get_name(), 'label': volume.get_actor_label(), 'class': volume.get_class().get_name(),
        'component': None if component is None else state(component), 'named': named,
        'assigned': graph is not None and component is not None and graph_of(component) == graph,
        'location': numbers(volume.get_actor_location()), 'scale': numbers(volume.get_actor_scale3d()),
        'origin': numbers(origin), 'extent': numbers(extent), 'brush': numbers(sized),
    }


def destroy_actor(args):
    actor = actor_at(args['actor'])
    with editing('remove actor'):
        if not unreal.get_editor_subsystem(unreal.EditorActorSubsystem).destroy_actor(actor):
            raise Refusal('EDITOR_ERROR', 'The editor did not remove %s: see its log' % args['actor'])


def list_actors(_args):
    found = []
    for actor in actors():
        origin, extent = actor.get_actor_bounds(False)
        found.append({
            'actor_name': actor.get_name(), 'actor_label': actor.get_actor_label(),
            'actor_class': actor.get_class().get_name(), 'bounds_origin': numbers(origin),
            'bounds_extent': numbers(extent), 'has_component': component_of(actor) is not None,
            'spawned': spawned_by(actor),
        })
    return {'level': level(), 'actors': found}


def level():
    world = unreal.get_editor_subsystem(unreal.UnrealEditorSubsystem).get_editor_world()
    return None if world is None else asset_path(world)


def list_graphs(_args):
    """From the registry alone: loading some hundred graphs would stop the editor for seconds."""
    registry = unreal.AssetRegistryHelpers.get_asset_registry()
    graphs = []
    for name, kind in (('PCGGraph', 'graph'), ('PCGGraphInstance', 'instance')):
        for data in registry.get_assets_by_class(unreal.TopLevelAssetPath('/Script/PCG', name)) or []:
            asset = data.get_asset() if kind == 'graph' and data.is_asset_loaded() else None
            graphs.append({
                'asset_path': str(data.get_editor_property('package_name')), 'kind': kind,
                'node_count': None if asset is None else len(asset.get_editor_property('nodes')),
                'parameter_count': None if asset is None else len(parameters_of(asset)),
            })
    return {'graphs': sorted(graphs, key=lambda item: item['asset_path']), 'unreadable': []}
