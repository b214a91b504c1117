// The editor's state: what is typed, what is wrong with it once it was tried, and what may be sent.
import { useState } from 'react'
import { CompositeInput } from '#contract'
import { faultOf } from '../../ui/fault.ts'
import { type CompositeDraft, definitionOf } from './draft.ts'

/** `name` is checked by the gateway, which has a code for it. */
export function useCompositeDraft(before: CompositeDraft, name: string, refusal: unknown) {
  const [draft, setDraft] = useState(before)
  const [tried, setTried] = useState(false)
  const { definition, problems } = definitionOf(draft)
  const checked = CompositeInput.safeParse({ name, ...definition })
  const issues = checked.success
    ? []
    : checked.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  const told = refusal ? faultOf(refusal).fields : []
  return {
    draft,
    setDraft,
    changed: JSON.stringify(draft) !== JSON.stringify(before),
    reset: () => setDraft(before),
    /** Of a field, or of anything below it: templates have fields of their own. */
    problem(path: string): string | undefined {
      const typed = tried ? problems.get(path) : undefined
      const found = [...(tried ? issues : []), ...told].find(
        (issue) => issue.path === path || issue.path.startsWith(`${path}.`),
      )
      return typed ?? found?.message
    },
    submit(send: (input: CompositeInput) => void): void {
      setTried(true)
      if (checked.success && problems.size === 0) send(checked.data)
    },
  }
}
