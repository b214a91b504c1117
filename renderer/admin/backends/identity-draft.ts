// The form of an identity as texts, and as what is saved.
import type { IdentityInfo, IdentityInput } from '#contract'

export type IdentityField =
  | 'clientId'
  | 'clientSecret'
  | 'issuer'
  | 'scopes'
  | 'audience'
  | 'resource'
  | 'authorization'
  | 'token'
  | 'revocation'
  | 'tokenUrl'
  | 'resourceIssuer'
  | 'resourceTokenUrl'
  | 'resourceClientId'
  | 'resourceClientSecret'
export type Draft = Readonly<Record<IdentityField, string>> & { readonly omitsResource: boolean }

export function draftOf(info: IdentityInfo): Draft {
  const { mode, resource, endpoints } = info
  return {
    clientId: info.clientId ?? '',
    clientSecret: '',
    issuer: mode === 'per_principal' ? (info.issuer ?? '') : '',
    scopes: info.scopes?.join(' ') ?? '',
    audience: info.audience ?? '',
    resource: resource === 'discovered' || resource === 'omit' ? '' : (resource ?? ''),
    authorization: endpoints?.authorization ?? '',
    token: endpoints?.token ?? '',
    revocation: endpoints?.revocation ?? '',
    tokenUrl: info.tokenUrl ?? '',
    resourceIssuer: mode === 'id_jag' ? (info.issuer ?? '') : '',
    resourceTokenUrl: info.resourceTokenUrl ?? '',
    resourceClientId: info.resourceClientId ?? '',
    resourceClientSecret: '',
    omitsResource: resource === 'omit',
  }
}

const textOr = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The gateway checks what is missing or wrong, and reports it. */
export function identityOf(mode: IdentityInfo['mode'], draft: Draft): IdentityInput {
  if (mode === 'none' || mode === 'shared') return { mode }
  const scopes = textOr(draft.scopes)?.split(/\s+/) ?? null
  const secret = draft.clientSecret === '' ? {} : { clientSecret: draft.clientSecret }
  const audience = textOr(draft.audience)
  if (mode === 'per_principal') {
    const [authorization, token, revocation] = [draft.authorization, draft.token, draft.revocation].map(textOr)
    const endpoints = { authorization: authorization ?? '', token: token ?? '', revocation: revocation ?? null }
    return {
      mode,
      clientId: textOr(draft.clientId),
      ...secret,
      issuer: textOr(draft.issuer),
      scopes,
      resource: draft.omitsResource ? 'omit' : (textOr(draft.resource) ?? 'discovered'),
      audience,
      endpoints: authorization || token || revocation ? endpoints : null,
    }
  }
  const exchanging = {
    tokenUrl: draft.tokenUrl.trim(),
    clientId: draft.clientId.trim(),
    ...secret,
    scopes,
    audience: mode === 'exchange' ? audience : null,
    resource: textOr(draft.resource),
  }
  if (mode === 'exchange') return { mode, ...exchanging }
  return {
    mode,
    ...exchanging,
    resourceIssuer: draft.resourceIssuer.trim(),
    resourceTokenUrl: draft.resourceTokenUrl.trim(),
    resourceClientId: draft.resourceClientId.trim(),
    ...(draft.resourceClientSecret === '' ? {} : { resourceClientSecret: draft.resourceClientSecret }),
  }
}
