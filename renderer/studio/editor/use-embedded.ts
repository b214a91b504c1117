// The parameters of the graphs that the nodes of a graph embed: pins that no list of the editor names.
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { GraphView } from '../model/graph.ts'
import type { Embedded } from '../model/overrides.ts'
import { nodeQuery, parametersQuery } from './queries.ts'

const EMBEDDING: ReadonlySet<string> = new Set(['PCGSubgraphSettings', 'PCGLoopSettings'])

export function useEmbedded(editor: string, view: GraphView): Embedded {
  const names = [...view.nodes.values()].flatMap((node) => (EMBEDDING.has(node.settingsClass) ? [node.name] : []))
  const answers = useQueries({ queries: names.map((name) => nodeQuery(editor, view.path, name)) })
  const paths = answers.map(({ data }) => {
    const path = data?.properties['SubgraphOverride']
    return typeof path === 'string' && path !== '' ? path : undefined
  })
  const distinct = [...new Set(paths.flatMap((path) => path ?? []))]
  const lists = useQueries({ queries: distinct.map((path) => parametersQuery(editor, path)) })
  const known = JSON.stringify(
    paths.map((path, at) => {
      const parameters = path === undefined ? [] : (lists[distinct.indexOf(path)]?.data?.parameters ?? [])
      return [names[at], parameters.map(({ name }) => name)]
    }),
  )
  // Answers are new objects at each render; the text is the same while they are.
  return useMemo(() => new Map(JSON.parse(known) as [string, string[]][]), [known])
}
