"""Graphs that arrive whole from another editor. Part 3 of the program, after the graphs."""


def title_nodes(args):
    graph = graph_at(args['graph'])
    with editing('name nodes'):
        for node in graph.get_editor_property('nodes'):
            if node.get_name() in args['titles']:
                node.modify()
                node.set_editor_property('node_title', unreal.Name(args['titles'][node.get_name()]))
    return save(graph)


def copy_nodes(built, graph):
    """Copies of the nodes of `built` in `graph`, by the names they were copied from."""
    made = {}
    for node in built.get_editor_property('nodes'):
        found = graph.add_node_copy(node.get_settings())
        copy = next((item for item in found or () if isinstance(item, unreal.PCGNode)), None)
        if copy is None:
            raise Refusal('EDITOR_ERROR', 'The editor did not copy the node ' + node.get_name())
        made[node.get_name()] = copy
        copy.set_editor_property('node_title', node.get_editor_property('node_title'))
        x, y = node.get_node_position()
        copy.set_node_position(int(x), int(y))
    return made


def adopt_graph(args):
    """The nodes of a graph that was built apart replace those of another; when a step fails the old ones stay."""
    built, graph = graph_at(args['built']), graph_at(args['graph'])
    old, before = list(graph.get_editor_property('nodes')), edges(graph)
    known = {node.get_name() for node in old}
    ends = {built.get_input_node().get_name(): graph.get_input_node(),
            built.get_output_node().get_name(): graph.get_output_node()}
    made = {}
    with editing('replace graph'):
        graph.modify()
        try:
            made.update(copy_nodes(built, graph))
            made.update(ends)
            wanted = [[made[start].get_name(), pin, made[stop].get_name(), into] for start, pin, stop, into in edges(built)]
            for start, pin, stop, into in edges(built):
                graph.add_edge(made[start], pin, made[stop], into)
            missing = [edge for edge in wanted if edge not in edges(graph)]
            if missing:
                raise Refusal('EDITOR_ERROR', 'The editor did not wire %s.%s to %s.%s' % tuple(missing[0]))
        except Exception:
            for node in list(graph.get_editor_property('nodes')):
                if node.get_name() not in known:
                    graph.remove_node(node)
            after = edges(graph)
            for start, pin, stop, into in [edge for edge in before if edge not in after]:
                graph.add_edge(node_at(graph, start), pin, node_at(graph, stop), into)
            raise
        for node in old:
            graph.remove_node(node)
        for start, pin, stop, into in [edge for edge in edges(graph) if edge not in wanted]:
            graph.remove_edge(node_at(graph, start), pin, node_at(graph, stop), into)
    answer = {'names': {name: node.get_name() for name, node in made.items() if node not in ends.values()}}
    answer.update(changed(graph))
    return answer


def delete_graph(args):
    """Only what the bridge itself created a moment ago: nothing refers to it yet."""
    return {'deleted': bool(ASSETS.delete_asset(asset_path(graph_at(args['graph']))))}
