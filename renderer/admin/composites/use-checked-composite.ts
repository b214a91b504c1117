// What is wrong with a composite once it was tried, in the contract's words and the gateway's, and what may be sent of it.
import { useState } from 'react'
import { CompositeInput } from '#contract'
import { faultOf } from '../../ui/fault.ts'
import { type CompositeDraft, definitionOf } from './draft.ts'

/** `name` is checked by the gateway, which has a code for it. */
export function useCheckedComposite(draft: CompositeDraft, name: string, refusal: unknown) {
  const [tried, setTried] = useState(false)
  const { definition, problems } = definitionOf(draft)
  const checked = CompositeInput.safeParse({ name, ...definition })
  const issues = checked.success
    ? []
    : checked.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  const refused = refusal ? faultOf(refusal).fields : []
  return {
    /** Of a field, or of anything below it: templates have fields of their own. */
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
    /** It was taken: what is typed next is not wrong before it is tried. */
    taken: () => setTried(false),
  }
}
