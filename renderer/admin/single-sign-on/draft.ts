// The settings of single sign-on as a form holds them, and as the gateway takes them. Pure.
import type { OidcSettings, Role } from '#contract'

export type Mapped = { readonly group: string; readonly role: Role }

export type Draft = {
  readonly enabled: boolean
  readonly issuer: string
  readonly clientId: string
  /** Empty keeps the stored one, which is never shown. */
  readonly clientSecret: string
  readonly redirectUri: string
  readonly scopes: string
  readonly usernameClaim: string
  readonly roleClaim: string
  readonly roles: readonly Mapped[]
  readonly defaultRole: Role
  /** One a line. */
  readonly domains: string
  readonly autoProvision: boolean
}

export function draftOf(settings: OidcSettings): Draft {
  return {
    enabled: settings.enabled,
    issuer: settings.issuer,
    clientId: settings.clientId,
    clientSecret: '',
    redirectUri: settings.redirectUri,
    scopes: settings.scopes,
    usernameClaim: settings.usernameClaim,
    roleClaim: settings.roleClaim ?? '',
    roles: Object.entries(settings.roleMap).map(([group, role]) => ({ group, role })),
    defaultRole: settings.defaultRole,
    domains: settings.allowedDomains.join('\n'),
    autoProvision: settings.autoProvision,
  }
}

/** The last of two lines for one group counts, as it does in the map that is sent. */
export function inputOf({ clientSecret, redirectUri, roleClaim, roles, domains, ...draft }: Draft) {
  return {
    ...draft,
    issuer: draft.issuer.trim(),
    clientId: draft.clientId.trim(),
    ...(clientSecret === '' ? {} : { clientSecret }),
    ...(redirectUri.trim() === '' ? {} : { redirectUri: redirectUri.trim() }),
    roleClaim: roleClaim.trim() || null,
    roleMap: Object.fromEntries(roles.filter(({ group }) => group !== '').map(({ group, role }) => [group, role])),
    allowedDomains: domains.split(/[\s,]+/).filter((domain) => domain !== ''),
  }
}

/** The groups that stand in more than one line. */
export function twiceIn(roles: readonly Mapped[]): readonly string[] {
  const groups = roles.map(({ group }) => group).filter((group) => group !== '')
  return [...new Set(groups.filter((group, at) => groups.indexOf(group) !== at))]
}
