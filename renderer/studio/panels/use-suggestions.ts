// Names in the graph and its level, for the fields of a node that take one.
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { actorsQuery, graphsQuery, parametersQuery, tagsQuery } from '../editor/queries.ts'
import { READER } from '../model/promote.ts'
import { type Suggest, suggestionsFor } from './controls/suggestions.ts'

const LISTED = ['SubgraphOverride', 'StaticMesh', 'TargetActor', 'RootActor', 'TemplateActorClass']

/** Reads only what a node with these properties can name. */
export function useSuggestions(
  editor: string,
  graph: string,
  settingsClass: string,
  properties: Readonly<Record<string, unknown>>,
): Suggest {
  const has = (...names: readonly string[]): boolean => names.some((name) => name in properties)
  const level = has('ActorSelector', 'MeshSelectorParameters', ...LISTED)
  const { data: graphs } = useQuery({ ...graphsQuery(editor), enabled: has('SubgraphOverride') })
  const { data: actors } = useQuery({ ...actorsQuery(editor), enabled: level })
  const { data: shapes } = useQuery({ ...tagsQuery(editor), enabled: has('ActorSelector') })
  const reads = settingsClass === READER
  const { data: own } = useQuery({ ...parametersQuery(editor, graph), enabled: reads })
  return useCallback(
    (path) =>
      path === 'PropertyName' && !reads
        ? []
        : suggestionsFor(path, {
            meshes: actors?.actors.flatMap(({ spawned }) => spawned.map(({ asset }) => asset)) ?? [],
            graphs: graphs?.graphs.flatMap(({ asset_path }) => (asset_path === graph ? [] : [asset_path])) ?? [],
            parameters: own?.parameters.map(({ name, type }) => ({ value: name, about: type })) ?? [],
            actors:
              actors?.actors.map((actor) => ({
                name: actor.actor_name,
                label: actor.actor_label,
                class: actor.actor_class,
              })) ?? [],
            tagged: shapes?.actors.map(({ actor_label: label, tags }) => ({ label, tags })) ?? [],
          }),
    [actors, graphs, own, shapes, graph, reads],
  )
}
