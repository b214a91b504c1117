// Refetches what a change may have touched, also when the gateway refused the change.
import { useQueryClient } from '@tanstack/react-query'

/** `keys`: the first words of the queries that the change may touch. */
export function useInvalidate(...keys: readonly string[]) {
  const queries = useQueryClient()
  const refresh = async (): Promise<void> => {
    await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })))
  }
  return {
    refresh,
    async settled<T>(work: Promise<T>): Promise<T> {
      try {
        return await work
      } finally {
        await refresh()
      }
    },
  }
}
