// Loads all visible tools page by page, so that filters need no request.
import { useQuery } from '@tanstack/react-query'
import type { ToolRow } from '#contract'
import { api } from '../../api/api.ts'

const PAGE_SIZE = '1000'

export function useAllTools() {
  return useQuery({
    queryKey: ['tools', 'all'],
    queryFn: async () => {
      const rows: ToolRow[] = []
      let cursor: string | undefined
      do {
        const page = await api.tools.list({ query: { limit: PAGE_SIZE, ...(cursor ? { cursor } : {}) } })
        rows.push(...page.items)
        cursor = page.nextCursor
      } while (cursor)
      return rows
    },
  })
}
