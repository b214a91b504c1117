// The problems of a composite after a submit, from contract and gateway, and its payload.
import { useState } from 'react'
import { CompositeInput } from '#contract'
import { faultOf } from '../../ui/fault.ts'
import { type CompositeDraft, definitionOf } from './draft.ts'

/** The gateway checks `name`. */
export function useCheckedComposite(draft: CompositeDraft, name: string, refusal: unknown) {
  const [tried, setTried] = useState(false)
  const { definition, problems } = definitionOf(draft)
  const checked = CompositeInput.safeParse({ name, ...definition })
  const issues = checked.success
    ? []
    : checked.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  const refused = refusal ? faultOf(refusal).fields : []
  return {
    /** The problem of a field, or of one below it. */
    problem(path: string): string | undefined {
      const typed = tried ? problems.get(path) : undefined
      const found = [...(tried ? issues : []), ...refused].find(
        (issue) => issue.path === path || issue.path.startsWith(`${path}.`),
      )
      return typed ?? found?.message
    },
    submit(send: (input: CompositeInput) => void): void {
      setTried(true)
      if (checked.success && problems.size === 0) send(checked.data)
    },
    /** After a success, shows no problems until the next submit. */
    taken: () => setTried(false),
  }
}
