// A house with single sign-on, and the browser's part in it.
import { expect } from 'vitest'
import { CLIENT, type hostileProvider } from '../auth/openid.fixture.ts'
import { aHouse, type House, type HouseOptions, type Reply } from './admin.fixture.ts'

export const BOX_KEY = Buffer.alloc(32, 9).toString('base64')
export const START = '/admin-api/auth/oidc/start'
export const CALLBACK = '/admin-api/auth/oidc/callback'
export const SETTINGS = '/admin-api/auth/oidc/settings'

export async function ssoHouse(env: HouseOptions['env'] = {}): Promise<House> {
  const house = await aHouse({ env: { ALLOW_PRIVATE_IPS: 'true', SECRET_ENCRYPTION_KEY: BOX_KEY, ...env } })
  // Tokens carry the time of the day they are made.
  house.time.nowMs = Date.now()
  return house
}
export const put = (house: House, body: object) => house.asKey(SETTINGS, { method: 'PUT', body })
export const enable = async (house: House, issuer: string, more: object = {}): Promise<void> => {
  const answer = await put(house, { enabled: true, issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, ...more })
  expect(answer.status).toBe(200)
}

/** What the browser keeps, as the header it sends. */
export const cookiesOf = ({ headers }: Reply): string =>
  headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0] ?? '')
    .filter((each) => !each.endsWith('='))
    .join('; ')
export const go = (house: House, path: string, cookie = '', method = 'GET') =>
  house.ask(path, { method, headers: { cookie } })

export type Begun = { readonly cookie: string; readonly state: string; readonly nonce: string; readonly location: URL }
export async function begin(house: House, query = ''): Promise<Begun> {
  const answer = await go(house, START + query)
  expect(answer.status).toBe(302)
  const location = new URL(answer.headers.get('location') ?? '')
  const [state, nonce] = [location.searchParams.get('state') ?? '', location.searchParams.get('nonce') ?? '']
  return { cookie: cookiesOf(answer), state, nonce, location }
}
export const back = (house: House, { cookie, state }: Pick<Begun, 'cookie' | 'state'>, query = '&code=c') =>
  go(house, `${CALLBACK}?state=${encodeURIComponent(state)}${query}`, cookie)
export const failed = (answer: Reply): string | null => {
  expect(answer.status).toBe(302)
  const cookies = answer.headers.getSetCookie()
  expect(cookies.some((each) => /gantry_session=[^;]/.test(each))).toBe(false)
  return new URL(answer.headers.get('location') ?? '', 'http://x').searchParams.get('sso_error')
}
export const ssoAudit = async (house: House, action = 'auth.sso.') =>
  (await house.asKey(`/admin-api/audit-log?action=${action}`)).json.items as {
    actor: string
    action: string
    target: string
    detail: Record<string, unknown>
  }[]

/** A sign-in at the hostile provider with a token of the test's making. */
export async function attempt(
  house: House,
  provider: Awaited<ReturnType<typeof hostileProvider>>,
  token: (nonce: string) => Promise<string>,
  query?: string,
): Promise<Reply> {
  house.time.nowMs = Math.max(house.time.nowMs, Date.now())
  const begun = await begin(house)
  provider.replies.idToken = () => token(begun.nonce)
  return back(house, begun, query)
}

/** Cookies of a redirect: the page asks `me` for its token. */
export const cookieSession = (answer: Reply): { readonly cookie: string } => ({ cookie: cookiesOf(answer) })
