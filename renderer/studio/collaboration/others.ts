// Highlights nodes that other authors just changed, with their name.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { PcgChange } from '#contract'
import { type Mark, useOverlay } from '../canvas/overlay.ts'
import type { Gestures } from '../editor/gestures.ts'
import { graphQuery, useEditorEvents } from '../editor/queries.ts'
import type { GraphInfo } from '../model/graph.ts'
import { appeared, named, type Touched } from './touched.ts'
import { authorOf } from './turns.ts'

const GLOW_MS = 5000
/** Attributes changes that appear within this time after another author's edit to that author. */
const ECHO_MS = 10_000
const LAYER = 'others'

/** Mounted once, by the page. */
export function useOthers(editor: string, graph: string | null, gestures: Gestures): void {
  const queries = useQueryClient()
  const glow = useMemo(() => (graph === null ? null : createGlow(queries, editor, graph)), [queries, editor, graph])
  useEffect(() => glow?.start(), [glow])
  useEditorEvents(editor, (event) => {
    if (event.type !== 'graph.changed' || event.graph !== graph || !event.change) return
    if (!gestures.owns(event.change)) glow?.note(event.change)
  })
}

function createGlow(queries: QueryClient, editor: string, graph: string) {
  const { queryKey } = graphQuery(editor, graph)
  const nodes = new Map<string, Mark>()
  const edges = new Map<string, Mark>()
  let known: GraphInfo | undefined
  let last: { readonly author: string; readonly at: number } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function show(touched: Touched, author: string): void {
    const until = performance.now() + GLOW_MS
    for (const name of touched.nodes) nodes.set(name, { glow: { until, author } })
    for (const id of touched.edges) edges.set(id, { glow: { until, author } })
    draw()
  }
  function draw(): void {
    clearTimeout(timer)
    for (const marks of [nodes, edges])
      for (const [name, { glow }] of marks) if (!glow || glow.until <= performance.now()) marks.delete(name)
    const any = nodes.size + edges.size > 0
    useOverlay.getState().setLayer(LAYER, any ? { nodes: new Map(nodes), edges: new Map(edges) } : null)
    const next = Math.min(...[...nodes.values(), ...edges.values()].map(({ glow }) => glow?.until ?? 0))
    if (any) timer = setTimeout(draw, Math.max(50, next - performance.now()))
  }
  function read(info: GraphInfo): void {
    const before = known
    known = info
    if (before && before !== info && last && performance.now() - last.at < ECHO_MS)
      show(appeared(before, info), last.author)
  }

  return {
    note(change: PcgChange): void {
      last = { author: authorOf(change), at: performance.now() }
      if (known) show(named(change, known), authorOf(change))
    },
    /** Returns a function that stops it. */
    start(): () => void {
      known = queries.getQueryData(queryKey)
      const stop = queries.getQueryCache().subscribe(({ type, query }) => {
        if (type !== 'updated' || query.queryHash !== JSON.stringify(queryKey)) return
        const info = queries.getQueryData(queryKey)
        if (info) read(info)
      })
      return () => {
        stop()
        clearTimeout(timer)
        useOverlay.getState().setLayer(LAYER, null)
      }
    },
  }
}
