"""Graphs: read, nodes, edges, settings. Part 3 of the program."""


NATIVE_TYPES = []  # filled by the first call of list_types
# Concrete classes that no graph of a user should have: the ends of every graph, and what the engine's own tests use.
NOT_FOR_GRAPHS = ('PCGGraphInputOutputSettings', 'PCGBadOutputsNodeSettings', 'PCGGraphAuthoringTestHelperSettings')


def asset_path(asset):
    return asset.get_path_name().split('.')[0]


def asset_at(path, wanted):
    asset = ASSETS.load_asset(path) if ASSETS.does_asset_exist(path) else None
    if not isinstance(asset, wanted):
        raise Refusal('GRAPH_NOT_FOUND', 'PCG graph not found')
    return asset


def graph_at(path):
    asset = ASSETS.load_asset(path) if ASSETS.does_asset_exist(path) else None
    if isinstance(asset, unreal.PCGGraphInstance) and asset.get_editor_property('graph') is not None:
        graph = asset_path(asset.get_editor_property('graph'))
        raise Refusal('GRAPH_NOT_FOUND', '%s is an instance of %s and has no nodes of its own: open %s' % (
            asset_path(asset), graph, graph))
    return asset_at(path, unreal.PCGGraph)


UNSAVED = {'later': None}  # while an undo runs: what it saves at its end, once


def save(asset):
    if UNSAVED['later'] is not None:
        UNSAVED['later'][asset.get_path_name()] = asset
        return {'saved': True, 'save_error': None}
    try:
        saved = bool(ASSETS.save_loaded_asset(asset, False))
    except Exception as error:
        return {'saved': False, 'save_error': str(error)}
    return {'saved': saved, 'save_error': None if saved else (
        'The editor refused to save: the file may be read-only or checked out by another')}


def changed(graph):
    try:
        graph.force_notification_for_editor(unreal.PCGChangeType.STRUCTURAL)
    except TypeError:
        graph.force_notification_for_editor()
    return save(graph)


def editing(title):
    return unreal.ScopedEditorTransaction('Gantry: ' + title)


def all_nodes(graph):
    return [graph.get_input_node(), graph.get_output_node()] + list(graph.get_editor_property('nodes'))


def node_at(graph, name):
    for node in all_nodes(graph):
        if node is not None and node.get_name().lower() == name.lower():
            return node
    raise Refusal('NODE_NOT_FOUND', "%s has no node '%s': see get_pcg_graph_info" % (graph.get_name(), name[:120]))


def label(pin):
    return str(pin.get_editor_property('properties').get_editor_property('label'))


def edges(graph):
    """Up to 5.7 an edge does not name its ends, but the same object hangs on both pins."""
    nodes = [node for node in all_nodes(graph) if node is not None]
    ends = {}
    for node in nodes:
        for pin in node.get_editor_property('input_pins'):
            for edge in pin.get_editor_property('edges'):
                ends[edge.get_path_name()] = [node.get_name(), label(pin)]
    return [
        [node.get_name(), label(pin)] + ends[edge.get_path_name()]
        for node in nodes for pin in node.get_editor_property('output_pins')
        for edge in pin.get_editor_property('edges') if edge.get_path_name() in ends
    ]


def describe(node):
    settings = node.get_settings()
    title = str(node.get_editor_property('node_title'))
    shown = {
        'name': node.get_name(), 'title': '' if title == 'None' else title,
        'class': '' if settings is None else settings.get_class().get_name(),
        'inputs': [label(pin) for pin in node.get_editor_property('input_pins')],
        'outputs': [label(pin) for pin in node.get_editor_property('output_pins')],
        'position': [int(at) for at in node.get_node_position()], 'subgraph': None,
    }
    if settings is not None and isinstance(settings, unreal.PCGSubgraphSettings):
        inner = subgraph_of(settings)
        shown['subgraph'] = None if inner is None else asset_path(inner)
    return shown


def read_graph(args):
    graph = graph_at(args['graph'])
    first, last = graph.get_input_node(), graph.get_output_node()
    return {
        'name': graph.get_name(), 'path': asset_path(graph),
        'input': None if first is None else describe(first), 'output': None if last is None else describe(last),
        'nodes': [describe(node) for node in graph.get_editor_property('nodes')], 'edges': edges(graph),
    }


def create_graph(args):
    path = args['folder'] + '/' + args['name']
    if ASSETS.does_asset_exist(path):
        asset = ASSETS.load_asset(path)
        if not isinstance(asset, unreal.PCGGraph):
            raise Refusal('INVALID_ARGUMENT', '%s is a %s: choose another name' % (path, asset.get_class().get_name()))
        created = False
    else:
        factory = unreal.PCGGraphFactory()
        try:  # 5.7 may ask for a template in a window, which would stop everything
            factory.set_editor_property('skip_template_selection', True)
        except Exception:
            pass
        tools = unreal.AssetToolsHelpers.get_asset_tools()
        asset = tools.create_asset(args['name'], args['folder'], unreal.PCGGraph, factory)
        if asset is None:
            raise Refusal('EDITOR_ERROR', 'The editor did not create %s: see its log' % path)
        created = True
    answer = {'name': asset.get_name(), 'path': asset_path(asset), 'created': created}
    answer['count'] = len(asset.get_editor_property('nodes'))
    answer.update(save(asset))
    return answer


def concrete(name):
    """The settings class of that name, or None: abstract ones cannot be made, renamed ones carry another name."""
    cls = getattr(unreal, name, None)
    if not isinstance(cls, type) or not issubclass(cls, unreal.PCGSettings) or name in NOT_FOR_GRAPHS:
        return None
    try:
        return cls if unreal.new_object(cls) is not None else None
    except Exception:
        return None


def blueprint_types():
    """Blueprint elements of the project and its plugins, by the tags of the registry: nothing is loaded."""
    registry = unreal.AssetRegistryHelpers.get_asset_registry()
    found = registry.get_assets_by_class(unreal.TopLevelAssetPath('/Script/Engine', 'Blueprint'), True) or []
    for data in found:
        if 'PCGBlueprintElement' in str(data.get_tag_value('NativeParentClass') or ''):
            name = str(data.get_editor_property('asset_name')) + '_C'
            yield {'name': name, 'path': '%s.%s' % (data.get_editor_property('package_name'), name)}


def list_types(_args):
    """Walks the module once: classes come with modules, and those with a start of the editor."""
    if not NATIVE_TYPES:
        for name in dir(unreal):
            cls = concrete(name)
            if cls is not None and cls.static_class().get_name() == name:
                NATIVE_TYPES.append({'name': name, 'path': cls.static_class().get_path_name()})
    return sorted(NATIVE_TYPES + list(blueprint_types()), key=lambda item: item['name'])


def make_node(graph, cls):
    made = graph.add_node_of_type(cls)
    node = next((item for item in made or () if isinstance(item, unreal.PCGNode)), None)
    if node is None:
        raise Refusal('NODE_TYPE_NOT_FOUND', 'The editor did not make a node of that class: it may be abstract')
    return node


def added(graph, node):
    answer = {'node': describe(node), 'count': len(graph.get_editor_property('nodes'))}
    answer.update(changed(graph))
    return answer


def add_node(args):
    graph = graph_at(args['graph'])
    blueprint = '/' in args['class']
    cls = unreal.PCGBlueprintSettings if blueprint else concrete(args['class'])
    if cls is None:
        raise Refusal('NODE_TYPE_NOT_FOUND', 'No such settings class: see list_pcg_node_types')
    element = class_at(args['class']) if blueprint else None
    with editing('add node'):
        graph.modify()
        node = make_node(graph, cls)
        if blueprint:
            node.get_settings().set_element_type(element)
    return added(graph, node)


def subgraph_of(settings):
    inner = settings.get_editor_property('subgraph_override')
    instance = settings.get_editor_property('subgraph_instance') if inner is None else None
    return inner if instance is None else instance.get_editor_property('graph')


def add_subgraph(args):
    graph, inner = graph_at(args['graph']), graph_at(args['subgraph'])
    with editing('add subgraph'):
        graph.modify()
        node = make_node(graph, unreal.PCGSubgraphSettings)
        settings = node.get_settings()
        if hasattr(settings, 'set_subgraph'):
            settings.set_subgraph(inner)
        else:
            settings.set_editor_property('subgraph_override', inner)
    answer = added(graph, node)
    answer['set'] = subgraph_of(settings) == inner
    return answer


REMOVED = {}  # settings, title and position of removed nodes, for an undo while this editor runs
MOST_REMOVED = 500


def hold(node):
    COUNTERS['removed'] = COUNTERS.get('removed', 0) + 1
    REMOVED[COUNTERS['removed']] = (
        node.get_settings(), str(node.get_editor_property('node_title')), [int(at) for at in node.get_node_position()])
    REMOVED.pop(COUNTERS['removed'] - MOST_REMOVED, None)
    return COUNTERS['removed']


def restore_node(args):
    """The editor chooses the name: the answer has it."""
    graph = graph_at(args['graph'])
    settings, title, position = REMOVED[args['held']]
    with editing('restore node'):
        graph.modify()
        made = graph.add_node_copy(settings)
        node = next((item for item in made or () if isinstance(item, unreal.PCGNode)), None)
        if node is None:
            raise Refusal('EDITOR_ERROR', 'The editor did not restore ' + args['node'])
        if title != 'None':
            node.set_editor_property('node_title', unreal.Name(title))
        node.set_node_position(*position)
    changed(graph)
    return node.get_name()


def remove_node(args):
    graph = graph_at(args['graph'])
    found = [node for node in graph.get_editor_property('nodes') if node.get_name().lower() == args['node'].lower()]
    answer = {'name': args['node'], 'removed': bool(found), 'held': None, 'saved': False, 'save_error': None}
    if found:
        answer['name'] = found[0].get_name()
        answer['held'] = hold(found[0])
        with editing('remove node'):
            graph.modify()
            graph.remove_node(found[0])
        answer.update(changed(graph))
    answer['count'] = len(graph.get_editor_property('nodes'))
    return answer


def set_edge(args):
    """`connect` says which of the two; what is answered was read again."""
    graph = graph_at(args['graph'])
    source, target = node_at(graph, args['from']), node_at(graph, args['to'])
    edge = [source.get_name(), args['from_pin'], target.get_name(), args['to_pin']]
    before = edge in edges(graph)
    answer = {'before': before, 'saved': False, 'save_error': None}
    if before != args['connect']:
        with editing('connect' if args['connect'] else 'disconnect'):
            graph.modify()
            if args['connect']:
                graph.add_edge(source, edge[1], target, edge[3])
            else:
                graph.remove_edge(source, edge[1], target, edge[3])
        answer.update(changed(graph))
    after = edges(graph)
    answer['after'] = edge in after
    answer['count'] = len(after)
    return answer


def read_node(args):
    graph = graph_at(args['graph'])
    node = node_at(graph, args['node'])
    settings = node.get_settings()
    properties = {} if settings is None else shapes(settings, documented(type(settings)))
    return {'name': node.get_name(), 'class': '' if settings is None else settings.get_class().get_name(),
            'graph': graph.get_name(), 'path': asset_path(graph), 'properties': properties}


def write_node(args):
    """All of them, or none when one is refused."""
    graph = graph_at(args['graph'])
    settings = node_at(graph, args['node']).get_settings()
    done = []
    with editing('set node properties'):
        settings.modify()
        try:
            put(settings, args['values'], done)
        except Exception:
            for restore, given in reversed(done):
                restore(*given)
            raise
    saved = changed(graph)
    answer = read_node(args)
    answer.update(saved)
    return answer


def place(args):
    graph = graph_at(args['graph'])
    with editing('place nodes'):
        for node in graph.get_editor_property('nodes'):
            if node.get_name() in args['nodes']:
                x, y = args['nodes'][node.get_name()]
                node.modify()
                node.set_node_position(int(x), int(y))
    return save(graph)
