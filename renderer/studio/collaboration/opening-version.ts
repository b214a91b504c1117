// Saves a version when the studio opens a graph that changed since the last one.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { versionsQuery } from '../editor/queries.ts'
import { useCapability } from '../editor/use-capability.ts'

export function useOpeningVersion(editor: string, graph: string | null): void {
  const queries = useQueryClient()
  const there = useCapability(editor, 'edit') === null
  useEffect(() => {
    if (graph === null || !there) return
    const body = { graph, label: t('Opened in the studio'), automatic: true }
    api.pcg
      .takeSnapshot({ params: { name: editor }, body })
      .then(() => queries.invalidateQueries({ queryKey: versionsQuery(editor, graph).queryKey }))
      // Best effort: a viewer may not save versions, and the canvas reports read errors.
      .catch(() => undefined)
  }, [queries, editor, graph, there])
}
