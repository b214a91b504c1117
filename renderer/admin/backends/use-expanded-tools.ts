// The expanded backends of the list, and their tools.
import { useQueries } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { faultOf } from '../../ui/fault.ts'
import type { BackendRow } from './backend-rows.tsx'

export type ExpandedTools = ReturnType<typeof useExpandedTools>

export function useExpandedTools() {
  const [names, setNames] = useState<readonly string[]>([])
  const read = useQueries({
    queries: names.map((name) => ({
      // Shares the query of the backend's page.
      queryKey: ['clients', 'one', name],
      queryFn: () => api.clients.get({ params: { name } }),
    })),
    combine: (results) => results.map(({ data, error }) => ({ data, error })),
  })
  const rows = useMemo(() => {
    const note = (name: string, text: string): BackendRow => ({ kind: 'note', key: `${name}/`, name, text })
    return new Map(
      names.map((name, at): [string, readonly BackendRow[]] => {
        const { data, error } = read[at] ?? {}
        if (!data) return [name, [note(name, error ? faultOf(error).message : t('Loading tools…'))]]
        if (data.tools.length === 0) return [name, [note(name, t('It has no tools.'))]]
        return [name, data.tools.map((tool) => ({ kind: 'tool', key: `${name}/${tool.tool}`, name, tool }))]
      }),
    )
  }, [names, read])
  const below = useCallback((row: BackendRow) => (row.kind === 'backend' ? (rows.get(row.name) ?? []) : []), [rows])
  return {
    shows: (name: string): boolean => names.includes(name),
    expand: (name: string, expanded: boolean): void =>
      setNames((before) => (expanded ? [...new Set([...before, name])] : before.filter((each) => each !== name))),
    below,
  }
}
