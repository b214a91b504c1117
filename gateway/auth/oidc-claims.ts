// What an identity provider says about somebody becomes a user name, a role and a yes or no. Pure.
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

/** The claim of this very name, else the path it spells: `realm_access.roles`. */
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

/** The highest role any of the claim's values maps to; undefined when the provider has no say in roles. */
export function roleOf(claims: Claims, { roleClaim, roleMap, defaultRole }: ClaimRules): Role | undefined {
  if (roleClaim === null) return undefined
  const known = new Map(Object.entries(roleMap))
  const held = [claimOf(claims, roleClaim)].flat().flatMap((value) => {
    const role = typeof value === 'string' ? known.get(value) : undefined
    return role === undefined ? [] : [ROLES.indexOf(role)]
  })
  return held.length === 0 ? defaultRole : ROLES[Math.max(...held)]
}

/** An address that the provider has not verified is whatever somebody typed. */
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

/** What the ID token says stands; the userinfo answer only fills in what it leaves out. */
export function merged(token: Claims, userinfo: Claims): Claims {
  const { email_verified: _claimed, ...rest } = userinfo
  // "Verified" is said of an address, so it comes from where the address comes from.
  return Object.hasOwn(token, 'email') ? { ...rest, ...token } : { ...userinfo, ...token }
}

/** Whether the token alone answers what the rules ask. */
export function isComplete(claims: Claims, rules: ClaimRules): boolean {
  return (
    claimOf(claims, rules.usernameClaim) !== undefined &&
    (rules.roleClaim === null || claimOf(claims, rules.roleClaim) !== undefined) &&
    ((rules.allowedDomains.length === 0 && rules.usernameClaim !== 'email') || Object.hasOwn(claims, 'email'))
  )
}
