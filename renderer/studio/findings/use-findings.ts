// The findings of the open graph: read again a moment after the last edit, in a real editor on request.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { askAgain } from '../../api/ask-again.ts'
import { faultOf } from '../../ui/fault.ts'
import { documentQuery, useEditorEvents } from '../editor/queries.ts'
import { useBuiltIn } from '../editor/use-built-in.ts'
import { type Finding, findingsOf } from './findings.ts'
import { useProblems } from './use-problems.ts'

/** A drag makes many edits a second. */
const QUIET_MS = 300

export type Findings = {
  readonly list: readonly Finding[]
  /** Whether the linter has judged the graph as it is. */
  readonly checked: boolean
  /** Reads the graph now; undefined where that happens by itself. */
  readonly check: (() => void) | undefined
  readonly checking: boolean
  /** Why the linter could not judge it. */
  readonly problem: string | null
}

/** Undefined until the graph has been read. */
export function useFindings(editor: string, graph: string): Findings | undefined {
  const problems = useProblems(editor, graph)
  const live = useBuiltIn(editor) === true
  const document = useQuery({ ...documentQuery(editor, graph), enabled: live })
  const { data, isFetching, isStale, error, refetch } = document
  const list = useMemo(() => problems && findingsOf(problems, data), [problems, data])
  return (
    list && {
      list,
      checked: data !== undefined && !isFetching && !isStale,
      check: live ? undefined : () => void refetch(),
      checking: isFetching,
      problem: error && faultOf(error).message,
    }
  )
}

/** Mounted once, by the studio. */
export function useFreshDocument(editor: string, graph: string): void {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEditorEvents(editor, (event) => {
    if (event.type !== 'graph.changed' || event.layoutRevision !== undefined) return
    const { queryKey } = documentQuery(editor, event.graph)
    if (event.graph !== graph) return void queries.invalidateQueries({ queryKey })
    clearTimeout(timer.current)
    timer.current = setTimeout(() => askAgain(queries, queryKey), QUIET_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}
