"""The door: who may call, which operations there are, how an answer leaves. Part 7 of the program."""


def project_folder():
    return os.path.abspath(unreal.Paths.convert_relative_path_to_full(unreal.Paths.project_dir()))


def identify(_args):
    """What a bridge has to know before it trusts: nothing here depends on arguments."""
    return {
        'project': project_folder(), 'project_file': os.path.basename(unreal.Paths.get_project_file_path()),
        'engine': unreal.SystemLibrary.get_engine_version(), 'pid': os.getpid(), 'level': level(),
        'features': {
            'pcg': hasattr(unreal, 'PCGGraph'),
            'parameter_helpers': hasattr(unreal, 'PCGGraphParametersHelpers'),
            'toolsets': registry() is not None,
            'edge_ends': hasattr(getattr(unreal, 'PCGEdge', None), 'get_input_node'),
            'set_subgraph': hasattr(getattr(unreal, 'PCGSubgraphSettings', None), 'set_subgraph'),
            'subobjects': hasattr(unreal, 'SubobjectDataSubsystem'),
        },
        'tools': described(), 'playing': playing(), 'hash': RUNTIME_HASH,
    }


def sealed(secret, who, nonce):
    return hmac.new(secret, (who + '\n' + nonce + '\n' + project_folder()).encode('utf-8'), hashlib.sha256).hexdigest()


def prove(args):
    """Both sides read one secret file in the project's Saved folder: each shows the other that it could."""
    if not re.match(r'^[0-9a-f]{32}\.key$', args['file']) or not re.match(r'^[0-9a-f]{64}$', args['nonce']):
        raise Refusal('UNPROVEN', 'Not a challenge')
    with open(os.path.join(project_folder(), 'Saved', 'PcgBridge', args['file']), 'rb') as file:
        secret = file.read(256)
    if not hmac.compare_digest(sealed(secret, 'bridge', args['nonce']), args['proof']):
        raise Refusal('UNPROVEN', 'The challenge does not match its file')
    SESSIONS.append(args['session'])
    del SESSIONS[:-16]
    start_watch(os.path.join(project_folder(), 'Saved', 'PcgBridge'))
    return {'proof': sealed(secret, 'editor', args['nonce'])}


def adopt(args):
    """For an address the user has set, on another machine: there is no shared folder to prove anything with."""
    SESSIONS.append(args['session'])
    del SESSIONS[:-16]
    return {}


def playing():
    return bool(unreal.get_editor_subsystem(unreal.LevelEditorSubsystem).is_in_play_in_editor())


BACK = {
    'set_edge': set_edge, 'remove_node': remove_node, 'write_node': write_node, 'write_parameter': write_parameter,
    'write_component': write_component, 'destroy_actor': destroy_actor, 'restore_node': restore_node,
}


def one_back(step, names):
    """A restored node may have another name: later steps follow it."""
    given = dict(step['args'])
    for key in ('node', 'from', 'to'):
        given[key] = names.get((given.get('graph'), given.get(key)), given.get(key))
    answer = BACK[step['op']](given)
    if step['op'] == 'restore_node':
        names[(given['graph'], step['args']['node'])] = answer
    elif step['op'] == 'set_edge' and answer['after'] != given['connect']:
        raise Refusal('EDITOR_ERROR', 'the editor kept the edge as it was')
    elif step['op'] == 'write_component' and answer['failed']:
        raise Refusal('EDITOR_ERROR', 'not written: ' + ', '.join(sorted(answer['failed'])))


def revert(args):
    """All steps in one transaction: Ctrl+Z in the editor takes the whole undo back."""
    for step in args['steps']:
        if step['op'] == 'restore_node' and step['args']['held'] not in REMOVED:
            raise Refusal('INVALID_ARGUMENT', 'The editor no longer holds %s: it was restarted, or many nodes were '
                          'removed since' % step['args']['node'])
    answer, names = {'applied': 0, 'failure': None, 'save_error': None}, {}
    UNSAVED['later'] = {}
    try:
        with editing(args['title']):
            for step in args['steps']:
                one_back(step, names)
                answer['applied'] += 1
    except Exception as error:
        answer['failure'] = str(error) or type(error).__name__
    finally:
        assets, UNSAVED['later'] = UNSAVED['later'], None
    for asset in assets.values():
        answer['save_error'] = save(asset)['save_error'] or answer['save_error']
    return answer


OPEN = {'identify': identify, 'prove': prove, 'adopt': adopt}
READS = {
    'read_graph': read_graph, 'list_types': list_types, 'read_node': read_node, 'read_actor': read_actor,
    'read_output': read_output, 'read_parameters': read_parameters, 'list_graphs': list_graphs,
    'list_actors': list_actors, 'read_level': read_level, 'sample_heights': sample_heights,
    'tool_state': tool_state, 'read_references': read_references, 'read_changes': read_changes,
    'finish_turn': finish_turn, 'take_picture': take_picture,
}
WRITES = {
    'create_graph': create_graph, 'add_node': add_node, 'remove_node': remove_node, 'add_subgraph': add_subgraph,
    'set_edge': set_edge, 'write_node': write_node, 'place': place, 'add_component': add_component,
    'write_component': write_component, 'generate': generate, 'cleanup': cleanup, 'spawn_volume': spawn_volume,
    'write_parameter': write_parameter, 'start_tool': start_tool, 'save_graph': save_graph, 'prepare_run': prepare_run, 'revert': revert,
    'title_nodes': title_nodes, 'adopt_graph': adopt_graph, 'delete_graph': delete_graph, 'submit_changes': submit_changes,
}
# They are no edits of a turn: they read, generate, or end it themselves.
OUTSIDE = ('generate', 'cleanup', 'start_tool', 'prepare_run', 'save_graph', 'submit_changes')


def perform(request):
    name, args = request['op'], request['args']
    if name in OPEN:
        return OPEN[name](args)
    if request['session'] not in SESSIONS:
        raise Refusal('UNPROVEN', 'This editor does not know the session')
    if not hasattr(unreal, 'PCGGraph'):
        raise Refusal('PLUGIN_DISABLED', 'The PCG plugin is off: switch on "Procedural Content Generation Framework (PCG)"'
                      ' in Edit > Plugins and restart the editor')
    if name in WRITES and playing():
        raise Refusal('EDITOR_BUSY', 'The editor is in Play: stop it, then call again')
    operation = READS.get(name) or WRITES.get(name)
    if operation is None:
        raise Refusal('EDITOR_ERROR', 'There is no such operation')
    if name in WRITES:
        own(name, args, request.get('turn'))
    answer = operation(args)
    if name == 'create_graph' and answer['created']:
        mark_added(answer['path'])
    return answer


def own(name, args, turn):
    """Before a write: files are checked out first, so that a refusal opens no transaction."""
    graphs = [args.get('graph')] + [step['args'].get('graph') for step in args.get('steps', ())]
    for graph in set(graph for graph in graphs if graph):
        check_out(graph)
    if name not in OUTSIDE:
        enter_turn(None if name == 'revert' else turn)


def call(text):
    """The one entry: base64 of JSON in, marked lines of JSON out."""
    request = json.loads(base64.b64decode(text).decode('utf-8'))
    answer = {'id': request['id']}
    WATCH['op'] = request['op']
    try:
        answer['value'] = perform(request)
    except Refusal as refusal:
        answer['refusal'] = {'code': refusal.code, 'message': str(refusal)}
    except Exception as error:
        answer['failure'] = '%s: %s' % (type(error).__name__, error)
    WATCH['op'] = None
    body = json.dumps(answer, allow_nan=False)
    pieces = [body[at:at + PIECE] for at in range(0, len(body), PIECE)]
    for index, piece in enumerate(pieces):
        print('@gantry %s %d/%d %s' % (request['id'], index + 1, len(pieces), piece))
