// The page after the sign-in, and the error of a failed single sign-on.

import { t } from '../../language/language.ts'
import { parseParams } from '../../url-params.ts'

export type Next = { readonly href: string; readonly path: string; readonly search: Readonly<Record<string, string>> }

const BASE = 'http://gantry.invalid'

/** Only paths of this app: a URL with `next` can come from anywhere. */
export function safeNext(wanted: string | undefined): Next {
  const home = { href: '/', path: '/', search: {} }
  if (!wanted?.startsWith('/') || !URL.canParse(wanted, BASE)) return home
  const url = new URL(wanted, BASE)
  if (url.origin !== BASE || url.pathname.startsWith('//') || url.pathname === '/login') return home
  return { href: url.pathname + url.search, path: url.pathname, search: parseParams(url.search) }
}

const SSO_PROBLEMS: Readonly<Record<string, string>> = {
  denied: t('The identity provider refused the sign-in.'),
  state: t('The sign-in took too long or was started in another window. Try again.'),
  exchange: t('The identity provider did not complete the sign-in. Try again, or ask your administrator.'),
  token: t('The identity provider answered with a token that does not verify. Ask your administrator.'),
  user_inactive: t('This user is deactivated. Ask your administrator.'),
  not_allowed: t('This account may not sign in here. Ask your administrator.'),
}

export function ssoProblem(code: string | undefined): string | undefined {
  return code && (SSO_PROBLEMS[code] ?? t('Single sign-on failed. Try again.'))
}
