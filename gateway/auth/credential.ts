// What a caller of tools is to everything behind the credential check, and the end that a credential can come to.
import type { Role } from '#contract'

export type DataPlaneCaller = {
  readonly name: string
  readonly kind: 'env' | 'key' | 'jwt' | 'anonymous' | 'admin'
  readonly keyHash: string | null
  readonly keyId: number | null
  readonly elevated: boolean
  readonly consumerId: number | null
  readonly teamId: number | null
  readonly adminRole: Role | null
  readonly bundles: ReadonlySet<string> | null
  readonly mayReach: (client: string, tool: string) => boolean
  readonly onEnd: ((end: () => void) => () => void) | null
}

/** Something presented and accepted before: asked again with every request. */
export type Credential = {
  /** Undefined when it ended, or when it must be looked up again. */
  current(): DataPlaneCaller | undefined
}

/** Who wants to hear that a credential came to its end: open streams and calls under way. It ends once. */
export type Endings = {
  /** Whoever comes too late is told at once. */
  readonly add: (end: () => void) => () => void
  readonly end: () => void
}

export function createEndings(): Endings {
  const waiting = new Set<() => void>()
  let over = false
  return {
    add(end) {
      if (over) end()
      else waiting.add(end)
      return () => void waiting.delete(end)
    },
    end() {
      over = true
      for (const end of waiting) end()
      waiting.clear()
    },
  }
}
