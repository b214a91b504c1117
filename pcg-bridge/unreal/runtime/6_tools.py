"""The tools of the editor's own PCG toolset (5.8): what they take, and calls of them. Part 6 of the program."""

TASKS = {}  # running tools, by id
TOOLSET = 'PCGToolset.PCGToolset'
TOOLS = (
    'SetGraphParams', 'GetGraphStructure', 'ExecuteGraphInstance', 'GetNodeDataView', 'AddCommentBox', 'UpdateCommentBox',
    'RemoveCommentBox',
)


def registry():
    found = getattr(unreal, 'ToolsetRegistry', None)
    return found if found is not None and found.is_available() else None


def tools_in(value):
    """The descriptions of our tools wherever they are in the schemas of all toolsets."""
    if isinstance(value, list):
        for item in value:
            yield from tools_in(item)
    elif isinstance(value, dict):
        name = value.get('name')
        if isinstance(name, str) and name.split('.')[-1] in TOOLS and isinstance(value.get('inputSchema'), dict):
            if name in (TOOLSET + '.' + name.split('.')[-1], name.split('.')[-1]):
                yield {'name': name, 'inputSchema': value['inputSchema']}
        elif not isinstance(name, str) or name.partition('.')[0] == TOOLSET.partition('.')[0]:
            for item in value.values():
                yield from tools_in(item)


def described():
    found = registry()
    listed = getattr(found, 'get_all_toolset_json_schemas', None)
    if listed is None:
        return []
    try:
        return list(tools_in(json.loads(str(listed()))))
    except ValueError:
        return []


def start_tool(args):
    """It answers in a later frame: look with tool_state."""
    found = registry()
    if found is None or args['tool'] not in TOOLS:
        raise Refusal('UNSUPPORTED', 'no toolset registry')
    COUNTERS['task'] += 1
    TASKS[COUNTERS['task']] = found.execute_tool(TOOLSET, args['tool'], json.dumps(args['given']))
    return {'task': COUNTERS['task']}


def tool_state(args):
    running = TASKS.get(args['task'])
    if running is None:
        raise Refusal('EDITOR_ERROR', 'There is no such task')
    if not running.get_editor_property('is_complete'):
        return {'done': False, 'error': None, 'value': None}
    del TASKS[args['task']]
    return {'done': True, 'error': str(running.get_editor_property('error')) or None,
            'value': str(running.get_editor_property('value')) or None}


def read_references(args):
    """How the tools name things: by the path of the object."""
    actor, component = component_at(args['actor'])
    graph = graph_of(component)
    while isinstance(graph, unreal.PCGGraphInstance):
        graph = graph.get_editor_property('graph')
    if graph is None:
        raise Refusal('GRAPH_NOT_FOUND', '%s has no graph: set one first' % actor.get_name())
    node = node_at(graph, args['node'])
    return {'actor': actor.get_name(), 'volume': actor.get_path_name() if isinstance(actor, unreal.PCGVolume) else None,
            'running': state(component)['running'], 'graph': graph.get_path_name(), 'node': node.get_path_name(),
            'outputs': [label(pin) for pin in node.get_editor_property('output_pins')]}


def prepare_run(args):
    """For a run of ExecuteGraphInstance: what generate does before and beside it."""
    actor, component = component_at(args['actor'])
    COUNTERS['task'] += 1
    if not state(component)['generated']:
        unreal.PCGBlueprintHelpers.flush_pcg_cache()
    _origin, extent = actor.get_actor_bounds(False)
    return {'actor': actor.get_name(), 'volume': actor.get_path_name() if isinstance(actor, unreal.PCGVolume) else None,
            'task': COUNTERS['task'], 'empty': min(extent.x, extent.y, extent.z) <= 0}
