// The reason why a capability is unavailable, for every control that needs it.
import { useQuery } from '@tanstack/react-query'
import { type Need, reasonAgainst } from './capabilities.ts'
import { editorsQuery } from './queries.ts'

export function useCapability(editor: string, need: Need): string | null {
  const { data } = useQuery({
    ...editorsQuery,
    select: (editors) =>
      reasonAgainst(
        editors.find(({ name }) => name === editor),
        need,
      ),
  })
  return data ?? null
}
