// Refetches what a change may have touched, also when the gateway refused the change; a failure is reported first.
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
        const answer = await work
        await refresh()
        return answer
      } catch (error) {
        // Not awaited: while the gateway is away, the refetch waits for it.
        void refresh()
        throw error
      }
    },
  }
}
