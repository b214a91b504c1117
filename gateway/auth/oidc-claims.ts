// Maps the claims of an identity provider to user name, role and admission. Pure.
import { Username } from '../contract/admin/users.ts'
import { ROLES, type Role } from '../contract/role.ts'

export type Claims = Readonly<Record<string, unknown>>
export type ClaimRules = {
  readonly usernameClaim: string
  readonly roleClaim: string | null
  readonly roleMap: Readonly<Record<string, Role>>
  readonly defaultRole: Role
  readonly allowedDomains: readonly string[]
}

/** The claim of this exact name, otherwise a path such as `realm_access.roles`. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = new Map<string, unknown>(Object.entries(value)).get(part)
  }
  return value
}

export function usernameOf(claims: Claims, { usernameClaim }: ClaimRules): string | undefined {
  return Username.safeParse(claimOf(claims, usernameClaim)).data
}

/** The highest role that a claim value maps to; undefined if roles are not mapped. */
export function roleOf(claims: Claims, { roleClaim, roleMap, defaultRole }: ClaimRules): Role | undefined {
  if (roleClaim === null) return undefined
  const known = new Map(Object.entries(roleMap))
  const held = [claimOf(claims, roleClaim)].flat().flatMap((value) => {
    const role = typeof value === 'string' ? known.get(value) : undefined
    return role === undefined ? [] : [ROLES.indexOf(role)]
  })
  return held.length === 0 ? defaultRole : ROLES[Math.max(...held)]
}

/** An unverified email address can be arbitrary text. */
export function verifiedEmail(claims: Claims): string | undefined {
  const { email, email_verified: verified } = claims
  return typeof email === 'string' && verified === true ? email.trim().toLowerCase() : undefined
}

export function domainAllowed(claims: Claims, { allowedDomains }: ClaimRules): boolean {
  if (allowedDomains.length === 0) return true
  const email = verifiedEmail(claims)
  const at = email?.lastIndexOf('@') ?? -1
  return email !== undefined && at > 0 && allowedDomains.includes(email.slice(at + 1))
}

/** ID token claims take precedence; userinfo only adds missing ones. */
export function merged(token: Claims, userinfo: Claims): Claims {
  const { email_verified: _claimed, ...rest } = userinfo
  // `email_verified` comes from the same source as the address.
  return Object.hasOwn(token, 'email') ? { ...rest, ...token } : { ...userinfo, ...token }
}

/** Whether the token alone has all required claims. */
export function isComplete(claims: Claims, rules: ClaimRules): boolean {
  return (
    claimOf(claims, rules.usernameClaim) !== undefined &&
    (rules.roleClaim === null || claimOf(claims, rules.roleClaim) !== undefined) &&
    ((rules.allowedDomains.length === 0 && rules.usernameClaim !== 'email') || Object.hasOwn(claims, 'email'))
  )
}
