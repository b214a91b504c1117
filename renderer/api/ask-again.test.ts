import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { askAgain } from './ask-again.ts'

/** A page with one query, whose answers the test controls. */
function aPage() {
  const queries = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  })
  const asked: PromiseWithResolvers<string>[] = []
  const observer = new QueryObserver(queries, {
    queryKey: ['graph'],
    queryFn: () => {
      const question = Promise.withResolvers<string>()
      asked.push(question)
      return question.promise
    },
  })
  onTestFinished(observer.subscribe(() => undefined))
  return { queries, asked, shown: () => observer.getCurrentResult().data }
}

describe('after a change', () => {
  it('refetches answered queries', async () => {
    const { queries, asked, shown } = aPage()
    asked[0]?.resolve('old')
    await vi.waitFor(() => expect(shown()).toBe('old'), 20_000)
    askAgain(queries)
    await vi.waitFor(() => expect(asked).toHaveLength(2), 20_000)
    asked[1]?.resolve('new')
    await vi.waitFor(() => expect(shown()).toBe('new'), 20_000)
  })

  it.each(['answered', 'failed'] as const)('a first question under way is put again once it %s', async (how) => {
    const { queries, asked, shown } = aPage()
    askAgain(queries)
    if (how === 'answered') asked[0]?.resolve('read before the line was there')
    else asked[0]?.reject(new Error('gone'))
    await vi.waitFor(() => expect(asked).toHaveLength(2), 20_000)
    asked[1]?.resolve('new')
    await vi.waitFor(() => expect(shown()).toBe('new'), 20_000)
  })
})
