// What a caller of tools is to everything behind the credential check, and the end that a credential can come to.
import type { Role } from '#contract'

/** `name` is the principal of call rows (contract 2.2). */
export type DataPlaneCaller = {
  readonly name: string
  readonly kind: 'env' | 'key' | 'jwt' | 'anonymous' | 'admin'
  /** SHA-256 hex of the presented Bearer, for allow-lists; null without one. */
  readonly keyHash: string | null
  readonly keyId: number | null
  /** Step-up is not asked of it. */
  readonly elevated: boolean
  /** Whose quota its calls count for. */
  readonly consumerId: number | null
  /** The team whose key it is: what belongs to another is not there for it. */
  readonly teamId: number | null
  /** Its role over the gateway itself, on the control plane. */
  readonly adminRole: Role | null
  /** The only bundles it may open; null when it may open any surface. */
  readonly bundles: ReadonlySet<string> | null
  readonly mayReach: (client: string, tool: string) => boolean
  /** Hears that the credential came to its end; returns what stops listening. Null for one that has none. */
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
