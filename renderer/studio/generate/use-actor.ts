// The actor on which the open graph is generated: the chosen one, or the only one whose component runs it.
import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { actorsQuery, componentQuery } from '../editor/queries.ts'
import { useStudio } from '../studio.ts'
import { rememberActor, rememberedActor } from './remembered-actors.ts'

/** With more actors than this, their graphs are not read. */
const MOST_COMPONENTS = 100

/** Actors with a component, and those that run the graph; undefined while loading. */
export function useRunners(editor: string, graph: string | null) {
  const actors = useQuery(actorsQuery(editor))
  const names = (actors.data?.actors ?? [])
    .flatMap(({ has_component, actor_name }) => (has_component ? [actor_name] : []))
    .slice(0, MOST_COMPONENTS)
  const components = useQueries({ queries: names.map((name) => componentQuery(editor, name)) })
  const known = actors.data && components.every(({ isPending }) => !isPending)
  const running = components.flatMap(({ data }) =>
    data && graph !== null && data.graph_path === graph ? [data.actor_name] : [],
  )
  return { actors, names, running: known ? running : undefined }
}

/** Selects the only candidate, or the one chosen for the graph before, once per opened graph. Mounted once, by the header. */
export function useActorOf(editor: string, graph: string | null): string | null {
  const { actors, running } = useRunners(editor, graph)
  const chosen = useStudio((state) => state.actor)
  const setActor = useStudio((state) => state.setActor)
  const settled = useRef(false)
  const there = actors.data?.actors.some(({ actor_name }) => actor_name === chosen) === true
  const before = graph === null ? undefined : rememberedActor(editor, graph)
  const only = running?.length === 1 ? (running[0] ?? null) : (running?.find((name) => name === before) ?? null)
  const known = running !== undefined
  const some = known && running.length > 0
  const runs = chosen !== null && running?.includes(chosen) === true
  useEffect(() => {
    if (!known) return
    const keep = there && (settled.current || runs || only === null)
    if (some) settled.current = true
    if (!keep && chosen !== only) setActor(only)
  }, [known, some, there, runs, only, chosen, setActor])
  useEffect(() => {
    if (graph !== null && chosen !== null && runs) rememberActor(editor, graph, chosen)
  }, [editor, graph, chosen, runs])
  return there ? chosen : null
}
