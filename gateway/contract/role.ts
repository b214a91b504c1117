// Roles, and who may use a route. Contract 2.3.
export const ROLES = ['viewer', 'auditor', 'operator', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** `superadmin` is an admin without a team, the env admin Bearer or the desktop; `self` is any signed-in session user. */
export type Access = 'public' | Role | 'superadmin' | 'self'

/** An actor of the admin side. `name` is what audit rows carry (contract 2.2). */
export type Actor = {
  readonly name: string
  readonly kind: 'session' | 'bearer' | 'key' | 'desktop' | 'disabled' | 'system'
  readonly role: Role
  readonly teamId: number | null
  /** Set for session users only. */
  readonly username?: string
  readonly sessionId?: number
}

export function isSuperadmin(actor: Actor): boolean {
  return actor.role === 'admin' && actor.teamId === null
}

/** An actor with a team sees and changes the records of that team; every other actor sees all. */
export function mayTouch({ teamId }: Pick<Actor, 'teamId'>, record: { readonly teamId: number | null }): boolean {
  return teamId === null || record.teamId === teamId
}

export function mayUse(actor: Actor, access: Exclude<Access, 'public'>): boolean {
  if (access === 'self') return actor.kind === 'session'
  if (access === 'superadmin') return isSuperadmin(actor)
  return ROLES.indexOf(actor.role) >= ROLES.indexOf(access)
}
