"""User parameters of graphs. Part 5 of the program."""


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
    graph = asset_at(args['graph'], unreal.PCGGraph)  # an instance is answered as no graph
    return {'path': asset_path(graph), 'name': graph.get_name(), 'parameters': parameters_of(graph)}


def write_parameter(args):
    graph = asset_at(args['graph'], unreal.PCGGraph)  # an instance is answered as no graph
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


def save_graph(args):
    return save(graph_at(args['graph']))
