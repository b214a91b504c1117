// The authenticated tool caller, and the end of its credential.
import type { Role } from '#contract'

/** The person on whose behalf a credential acts: a user of this gateway, or the subject of a token. */
export type Person =
  | { readonly kind: 'user'; readonly username: string }
  | { readonly kind: 'subject'; readonly issuer: string; readonly subject: string }

/** `name` is the principal in call rows (contract 2.2). */
export type DataPlaneCaller = {
  readonly name: string
  readonly kind: 'env' | 'key' | 'jwt' | 'anonymous' | 'admin'
  /** SHA-256 hex of the presented Bearer, for allow-lists; null without one. */
  readonly keyHash: string | null
  readonly keyId: number | null
  /** Exempt from step-up. */
  readonly elevated: boolean
  /** The consumer whose quota its calls count against. */
  readonly consumerId: number | null
  /** The team of the key: records of other teams do not exist for it. */
  readonly teamId: number | null
  /** Its role on the control plane. */
  readonly adminRole: Role | null
  /** The only bundles it may use; null if it may use any surface. */
  readonly bundles: ReadonlySet<string> | null
  readonly mayReach: (client: string, tool: string) => boolean
  /** Null for a credential without a person. */
  readonly person: Person | null
  /** It may name another user whom its call is made as. */
  readonly namesPeople: boolean
  /** Of a token of the identity provider; other credentials have none. */
  readonly tokenScopes?: readonly string[]
  /** The token that it brought, for an exchange; never logged or stored. */
  readonly subjectToken?: () => string
  /** Subscribes to the credential's end; returns an unsubscribe function. Null if it has no end. */
  readonly onEnd: ((end: () => void) => () => void) | null
}

/** A credential accepted before, checked again with every request. */
export type Credential = {
  /** Undefined if it ended, or must be looked up again. */
  current(): DataPlaneCaller | undefined
}

/** The listeners for a credential's end: open streams and running calls. It ends once. */
export type Endings = ReturnType<typeof createEndings>

export function createEndings() {
  const waiting = new Set<() => void>()
  let over = false
  return {
    /** Late listeners are called at once. */
    add(end: () => void): () => void {
      if (over) end()
      else waiting.add(end)
      return () => void waiting.delete(end)
    },
    end(): void {
      over = true
      for (const end of waiting) end()
      waiting.clear()
    },
  }
}
