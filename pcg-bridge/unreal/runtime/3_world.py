"""The level: actors, components, generation, volumes, parameters. Part 3 of the program."""


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


def state(component):
    graph = graph_of(component)
    return {
        'name': component.get_name(), 'graph': None if graph is None else asset_path(graph),
        'generated': bool(component.get_editor_property('generated')),
        'running': bool(component.get_editor_property('generation_in_progress')),
        'properties': shapes(component, dict.fromkeys(COMPONENT, True)),
    }


def spawned_by(actor):
    found = []
    for component in actor.get_components_by_class(unreal.InstancedStaticMeshComponent):
        mesh = component.get_editor_property('static_mesh')
        found.append({'component': component.get_name(), 'asset': '' if mesh is None else asset_path(mesh),
                      'instances': int(component.get_instance_count())})
    return found


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
                    component.set_editor_property(name, convert(component.get_editor_property(name), value))
            except Exception as error:
                failed[name] = str(error) or type(error).__name__
        if 'is_component_partitioned' in args['values']:
            component.notify_properties_changed_from_blueprint()
    return {'actor': actor.get_name(), 'component': state(component), 'failed': failed}


def generate(args):
    """Starts and returns: generation advances in later frames. The task id is ours; Python does not see the engine's."""
    actor, component = component_at(args['actor'])
    COUNTERS['task'] += 1
    component.generate_local(bool(args['force']))
    shown = state(component)
    _origin, extent = actor.get_actor_bounds(False)
    return {'actor': actor.get_name(), 'component': shown, 'task': COUNTERS['task'],
            'empty': min(extent.x, extent.y, extent.z) <= 0}


def cleanup(args):
    """The editor may finish it in a later frame: the bridge looks again until it has."""
    actor, component = component_at(args['actor'])
    component.cleanup_local(bool(args['remove']))
    return {'actor': actor.get_name(), 'component': state(component)}


def read_output(args):
    actor = actor_at(args['actor'])
    component = component_of(actor)
    items = []
    if component is not None and component.get_editor_property('generated'):
        for item in component.get_generated_graph_output().get_editor_property('tagged_data'):
            data = item.get_editor_property('data')
            items.append({
                'pin': str(item.get_editor_property('pin')),
                'class': '' if data is None else data.get_class().get_name(),
                'tags': sorted(str(tag) for tag in item.get_editor_property('tags')),
            })
    return {'actor': actor.get_name(), 'component': None if component is None else state(component),
            'items': items, 'spawned': spawned_by(actor)}


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
    """Loads what it lists, for its counts: a project has some hundred graphs at most."""
    registry = unreal.AssetRegistryHelpers.get_asset_registry()
    graphs, unreadable = [], []
    for name, kind in (('PCGGraph', 'graph'), ('PCGGraphInstance', 'instance')):
        for data in registry.get_assets_by_class(unreal.TopLevelAssetPath('/Script/PCG', name)) or []:
            asset = data.get_asset()
            if asset is None:
                unreadable.append({'file': str(data.package_name), 'reason': 'The editor cannot load it'})
                continue
            whole = kind == 'graph'
            graphs.append({
                'asset_path': asset_path(asset), 'kind': kind,
                'node_count': len(asset.get_editor_property('nodes')) if whole else 0,
                'parameter_count': len(parameters_of(asset)) if whole else 0,
            })
    return {'graphs': sorted(graphs, key=lambda item: item['asset_path']), 'unreadable': unreadable}


# ---- user parameters ------------------------------------------------------------------------------------------------

def groups(text):
    """The outermost (…) of a text."""
    depth, start, quoted = 0, 0, False
    for at, char in enumerate(text):
        if char == '"' and (at == 0 or text[at - 1] != '\\'):
            quoted = not quoted
        elif not quoted and char == '(':
            depth += 1
            start = at if depth == 1 else start
        elif not quoted and char == ')':
            depth -= 1
            if depth == 0:
                yield text[start + 1:at]


def parameters_of(graph):
    """Names and types are only in the exported text of the property bag; values come from the typed helpers."""
    text = graph.get_editor_property('user_parameters').export_text()
    listed = text.partition('PropertyDescs=')[2]
    found = []
    for one in groups(next(groups(listed), '')):
        name = re.search(r'(?:^|,)Name="?([^",)]+)', one)
        kind = re.search(r'(?:^|,)ValueType=(\w+)', one)
        if name and kind and kind.group(1) in BAG and 'ContainerTypes=(' not in one:
            declared, helper = BAG[kind.group(1)]
            read = getattr(unreal.PCGGraphParametersHelpers, 'get_%s_parameter' % helper)
            value = read(graph, name.group(1))
            found.append({'name': name.group(1), 'type': declared, 'helper': helper,
                          'value': tidy(value) if isinstance(value, float) else value})
    return found


def read_parameters(args):
    graph = graph_at(args['graph'])
    return {'path': asset_path(graph), 'name': graph.get_name(), 'parameters': parameters_of(graph)}


def write_parameter(args):
    graph = graph_at(args['graph'])
    found = next((one for one in parameters_of(graph) if one['name'] == args['name']), None)
    if found is None:
        raise Refusal('PARAMETER_NOT_FOUND', "%s has no parameter '%s'" % (graph.get_name(), args['name']))
    write = getattr(unreal.PCGGraphParametersHelpers, 'set_%s_parameter' % found['helper'])
    with editing('set graph parameter'):
        graph.modify()
        write(graph, found['name'], args['value'])
    saved = save(graph)
    answer = read_parameters(args)
    answer.update(saved)
    return answer


def start_tool(args):
    """Python cannot add a parameter; the editor's own toolset can, from 5.8. It answers in a later frame."""
    graph = graph_at(args['graph'])
    registry = getattr(unreal, 'ToolsetRegistry', None)
    if registry is None or not registry.is_available():
        raise Refusal('UNSUPPORTED', 'no toolset registry')
    COUNTERS['task'] += 1
    given = {'graph': {'refPath': graph.get_path_name()}, 'params': [args['param']]}
    TASKS[COUNTERS['task']] = registry.execute_tool(TOOLSET, 'SetGraphParams', json.dumps(given))
    return {'task': COUNTERS['task']}


def tool_state(args):
    running = TASKS.get(args['task'])
    if running is None:
        raise Refusal('EDITOR_ERROR', 'There is no such task')
    if not running.get_editor_property('is_complete'):
        return {'done': False, 'error': None}
    del TASKS[args['task']]
    return {'done': True, 'error': str(running.get_editor_property('error')) or None}


def save_graph(args):
    return save(graph_at(args['graph']))
