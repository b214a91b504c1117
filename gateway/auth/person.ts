// The person behind an actor of the admin side.
import type { Actor } from '#contract'
import type { Person } from './credential.ts'

/** Null for a key of the environment, and for the desktop window: no provider can send its browser back there. */
export function personOf({ kind, username }: Pick<Actor, 'kind' | 'username'>): Person | null {
  return kind === 'session' && username !== undefined ? { kind: 'user', username } : null
}
