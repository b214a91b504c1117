// What is wrong with a form: once it was tried, in the contract's words; then in the gateway's.
import { useState } from 'react'
import { fieldProblem } from './fault.ts'

export type Schema<T> = {
  readonly safeParse: (
    draft: unknown,
  ) =>
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } }
}
type Issue = { readonly path: readonly PropertyKey[]; readonly message: string }

/** `refusal` is what the gateway said to the last try. */
export function useChecked<T>(schema: Schema<T>, draft: unknown, refusal: unknown) {
  const [tried, setTried] = useState(false)
  const checked = schema.safeParse(draft)
  const issues = tried && !checked.success ? checked.error.issues : []
  return {
    problem: (path: string): string | undefined =>
      issues.find((issue) => issue.path.join('.') === path)?.message ?? fieldProblem(refusal, path),
    /** All of them, for those that no field on screen stands for. */
    issues,
    /** Sends only what the gateway would take. */
    submit: (send: (input: T) => void): void => {
      setTried(true)
      if (checked.success) send(checked.data)
    },
  }
}
