// The problems of the open graph, its subgraphs and its actor.
import { useQueries, useQuery } from '@tanstack/react-query'
import { actorsQuery, componentQuery, graphQuery, nodeQuery } from '../editor/queries.ts'
import { graphView } from '../model/graph.ts'
import { type Problem, problemsOf, type Surroundings } from '../model/problems.ts'
import { useStudio } from '../studio.ts'

const SUBGRAPH = 'PCGSubgraphSettings'

/** Undefined until the graph has been read. */
export function useProblems(editor: string, graph: string): readonly Problem[] | undefined {
  const { data: info } = useQuery(graphQuery(editor, graph))
  const deaf = useDeaf(editor, graph)
  const actor = useActor(editor)
  return info && problemsOf(graphView(info), { deaf, actor })
}

/** Subgraph nodes whose graph does not use its input. */
function useDeaf(editor: string, graph: string): ReadonlyMap<string, string> {
  const { data: info } = useQuery(graphQuery(editor, graph))
  const names = (info?.nodes ?? []).flatMap((node) => (node.settings_class === SUBGRAPH ? [node.node_name] : []))
  const nodes = useQueries({ queries: names.map((name) => nodeQuery(editor, graph, name)) })
  const embeds = nodes.flatMap(({ data }) => {
    const path = data?.properties['SubgraphOverride']
    return data && typeof path === 'string' && path !== '' ? [{ node: data.node_name, path }] : []
  })
  const paths = [...new Set(embeds.map(({ path }) => path))]
  const inner = useQueries({ queries: paths.map((path) => graphQuery(editor, path)) })
  const unheard = new Set(
    inner.flatMap(({ data }, index) =>
      data && !data.edges.some(({ from_node }) => from_node === data.input_node_name) ? [paths[index]] : [],
    ),
  )
  return new Map(embeds.flatMap(({ node, path }) => (unheard.has(path) ? [[node, path]] : [])))
}

function useActor(editor: string): Surroundings['actor'] {
  const chosen = useStudio((state) => state.actor)
  const { data: level } = useQuery(actorsQuery(editor))
  const { data: component } = useQuery({ ...componentQuery(editor, chosen ?? ''), enabled: chosen !== null })
  const actor = level?.actors.find(({ actor_name }) => actor_name === chosen)
  if (!actor || !component) return null
  return {
    label: actor.actor_label,
    extent: actor.bounds_extent,
    hasComponent: component.has_component,
    runs: component.graph_path,
  }
}
