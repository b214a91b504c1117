// A graph is kept as it stood when the studio opened it, where it changed since the last version.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../api/api.ts'
import { versionsQuery } from '../editor/queries.ts'
import { useCapability } from '../editor/use-capability.ts'

export function useOpeningVersion(editor: string, graph: string | null): void {
  const queries = useQueryClient()
  const there = useCapability(editor, 'edit') === null
  useEffect(() => {
    if (graph === null || !there) return
    const body = { graph, label: 'When the studio opened it', automatic: true }
    api.pcg
      .takeSnapshot({ params: { name: editor }, body })
      .then(() => queries.invalidateQueries({ queryKey: versionsQuery(editor, graph).queryKey }))
      // A version is a favour: whoever only looks may not take one, and the canvas says why a graph cannot be read.
      .catch(() => undefined)
  }, [queries, editor, graph, there])
}
