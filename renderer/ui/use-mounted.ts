// Callbacks of a late response: they run only while the component that asked is still mounted.
import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** `act`, as long as the component is on the page. */
export function useWhileMounted<A extends readonly unknown[]>(act: (...args: A) => void): (...args: A) => void {
  const here = useRef(false)
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
    }
  }, [])
  return (...args) => {
    if (here.current) act(...args)
  }
}

/** What a dialog sends: it acts on the answer, by closing most times, if it is still open. */
export function useSubmit<I, R>(send: (input: I) => Promise<R>, onDone: (answer: R) => void) {
  const done = useWhileMounted(onDone)
  return useMutation({ mutationFn: send, onSuccess: (answer) => done(answer) })
}

/** Leads to another page, if the person is still on the one where it was asked for. */
export function useLead(): (to: string) => void {
  const router = useRouter()
  const from = router.state.location.pathname
  return (to) => {
    if (router.state.location.pathname === from) void router.navigate({ to })
  }
}
