"""DOUBLE of the PCG toolset of 5.8: the tools that Gantry uses, with the arguments their listing has and no others.

The listing names arguments, types and which are required. The form of a data view (`element_<n>`) is from a report of a
running editor; the fields of a comment box in GetGraphStructure are not documented, so there are none.
"""
import json
import uuid
import level
import pcg

TOOLSET = 'PCGToolset.PCGToolset'
REF = {'type': 'object', 'properties': {'refPath': {'type': 'string'}}}
TEXT, WHOLE, LIST = {'type': 'string'}, {'type': 'integer'}, {'type': 'array', 'items': {'type': 'object'}}
TYPES = {'Boolean': ('Bool', False), 'Integer32': ('Int32', 0), 'Float': ('Float', 0.0), 'Double': ('Double', 0.0), 'String': ('String', '')}
PARAMS = {'type': 'array', 'items': {'type': 'object', 'properties': {
    'name': TEXT, 'type': dict(TEXT, enum=list(TYPES)), 'description': TEXT, 'containerType': TEXT, 'defaultValueJson': TEXT}}}
COLOR = {'type': 'object', 'default': {'r': 1, 'g': 1, 'b': 1, 'a': 1}}
COMMENT = dict(TEXT, default='@param Comment The comment to put on the comment box.')  # a doc comment leaks into the default
INPUTS = {  # tool -> its arguments; those behind None may be left out
    'SetGraphParams': ({'graph': REF, 'params': PARAMS}, {}),
    'GetGraphStructure': ({'graph': REF}, {}),
    'ExecuteGraphInstance': ({'pCGVolume': REF}, {}),
    'GetNodeDataView': (
        {'pCGVolume': REF, 'node': REF, 'attributeName': TEXT},
        {'pinLabel': dict(TEXT, default='Out'), 'startIndex': dict(WHOLE, default=0), 'endIndex': dict(WHOLE, default=-1)}),
    'AddCommentBox': ({'graph': REF, 'nodes': LIST}, {'comment': COMMENT, 'color': COLOR}),
    'UpdateCommentBox': ({'graph': REF, 'commentId': TEXT, 'nodes': LIST}, {'comment': COMMENT, 'color': COLOR}),
    'RemoveCommentBox': ({'graph': REF, 'commentId': TEXT}, {}),
}
KINDS = {'object': dict, 'string': str, 'integer': int, 'array': list}
ASSETS, BOXES, WORK = {}, {}, {}  # assets are given by the module; comment boxes by graph; what waits for frames
INSPECTED = {}  # graph -> volume -> what its nodes made in runs since inspection was enabled
MADE = 40  # points that a node shows


def schemas(without=()):
    tools = [{
        'name': '%s.%s' % (TOOLSET, name), 'description': name,
        'inputSchema': {'type': 'object', 'properties': dict(required, **optional), 'required': sorted(required)},
    } for name, (required, optional) in INPUTS.items() if name not in without]
    return [{'name': TOOLSET, 'description': 'PCG', 'tools': tools}]


def checked(tool, given):
    if tool not in INPUTS:
        raise ValueError('no such tool')
    required, optional = INPUTS[tool]
    for name in required:
        if name not in given:
            raise ValueError("%s: missing required parameter '%s'" % (tool, name))
    for name, value in given.items():
        schema = required.get(name) or optional.get(name)
        if schema is None:
            raise ValueError("%s: unknown parameter '%s'" % (tool, name))
        if not isinstance(value, KINDS[schema['type']]):
            raise ValueError("%s: '%s' is not of type %s" % (tool, name, schema['type']))
    return given


def graph_of(given):
    found = ASSETS.get(given['graph']['refPath'].split('.')[0].lower())
    if not isinstance(found, pcg.PCGGraph):
        raise ValueError('graph: no such PCG graph')
    return found


def node_of(reference):
    path, _, name = reference['refPath'].partition(':')
    graph = graph_of({'graph': {'refPath': path}})
    ends = [graph.get_input_node(), graph.get_output_node()]
    found = next((node for node in list(graph._values['nodes']) + ends if node.get_name() == name), None)
    if found is None:
        raise ValueError('node: no such PCG node')
    return graph, found


def volume_of(given):
    path = given['pCGVolume']['refPath']
    found = next((actor for actor in level.WORLD['actors'] if actor.get_path_name() == path), None)
    if not isinstance(found, level.PCGVolume):
        raise ValueError('pCGVolume: no such PCG volume')
    return found


def set_graph_params(given):
    graph = graph_of(given)
    for param in given['params']:
        if param['type'] not in TYPES:
            raise ValueError("params: type '%s' is not known" % param['type'])
        graph._values['user_parameters']._bag[param['name']] = TYPES[param['type']]
    return True


def get_graph_structure(given):
    graph = graph_of(given)
    return {'name': graph.get_name(), 'description': '', 'edges': [],
            'nodes': [{'name': node.get_name(), 'path': node.get_path_name()} for node in graph._values['nodes']]}


def execute(given):
    """Answers when the run is over: nothing while it goes on."""
    volume = volume_of(given)
    component = volume.get_component_by_class(level.PCGComponent)
    key = volume.get_path_name()
    if key not in WORK:
        WORK[key] = True
        component.generate_local(True)
    if component._values['generation_in_progress']:
        return None
    del WORK[key]
    graph = component._graph()
    if graph is None:
        raise ValueError('The volume has no graph instance')
    for held in [INSPECTED[graph.get_path_name()]] if graph.get_path_name() in INSPECTED else []:
        held[key] = {node.get_path_name() for node in graph._values['nodes']}
    bare = [node for node in graph._values['nodes'] if type(node._settings).__name__ == 'PCGStaticMeshSpawnerSettings'
            and not node._settings._values['mesh_selector_parameters']._values.get('mesh_entries')]
    return [{'severity': 'Warning', 'message': 'No mesh entries', 'node': {'refPath': node.get_path_name()}} for node in bare]


def get_node_data_view(given):
    volume, (graph, node) = volume_of(given), node_of(given['node'])
    held = INSPECTED.setdefault(graph.get_path_name(), {}).get(volume.get_path_name())
    if held is None or node.get_path_name() not in held:
        raise ValueError('No inspection data for this node. Inspection is enabled now: run ExecuteGraphInstance, then call again.')
    pins = [str(pin._values['properties']._values['label']) for pin in node._values['output_pins']]
    if given.get('pinLabel', 'Out') not in pins:
        raise ValueError("Pin '%s' has no data" % given.get('pinLabel'))
    first, last = given.get('startIndex', 0), given.get('endIndex', -1)
    rows = range(MADE)[first:MADE if last < 0 else last]
    every = {'element_%d' % at: {
        '$Position': {'x': at * 100.0, 'y': -50.0, 'z': 0.0}, '$Density': 1.0 - at / MADE, '$Seed': at, 'Tree': 'Pine'} for at in rows}
    wanted = given['attributeName']
    return json.dumps({key: {name: value for name, value in row.items() if wanted in ('', name)} for key, row in every.items()})


def put_comment(given):
    graph = graph_of(given)
    nodes = [node_of(reference)[1] for reference in given['nodes']]
    if not nodes:
        raise ValueError('nodes: a comment box needs nodes')
    boxes = BOXES.setdefault(graph.get_path_name(), {})
    if 'commentId' in given and given['commentId'] not in boxes:
        raise ValueError('commentId: no such comment box')
    made = given.get('commentId') or str(uuid.uuid4()).upper()
    boxes[made] = {'text': given.get('comment', COMMENT['default']), 'nodes': [node.get_name() for node in nodes]}
    return made if 'commentId' not in given else True


def remove_comment(given):
    if BOXES.get(graph_of(given).get_path_name(), {}).pop(given['commentId'], None) is None:
        raise ValueError('commentId: no such comment box')
    return True


RUN = {
    'SetGraphParams': set_graph_params, 'GetGraphStructure': get_graph_structure, 'ExecuteGraphInstance': execute,
    'GetNodeDataView': get_node_data_view, 'AddCommentBox': put_comment, 'UpdateCommentBox': put_comment,
    'RemoveCommentBox': remove_comment,
}


def step(toolset, tool, given):
    """One frame of a call: None while it is not over. The short name of a tool, the full one of its toolset."""
    if toolset != TOOLSET:
        raise ValueError("Toolset '%s' not found" % toolset)
    answer = RUN[tool](checked(tool, given)) if tool in RUN else checked(tool, given)
    return None if answer is None else {'returnValue': answer}
