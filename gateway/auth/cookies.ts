// The two cookies of a session: an HttpOnly one, and one the page can read.
import type { OpenedSession } from './sessions.ts'

export type Cookies = ReturnType<typeof createCookies>

export function createCookies({ secure }: { readonly secure: boolean }) {
  // The prefix makes browsers refuse the cookie from a sibling host or over HTTP, and needs Secure.
  const prefix = secure ? '__Host-' : ''
  const [session, csrf] = [`${prefix}gantry_session`, `${prefix}gantry_csrf`]
  const attributes = `Path=/; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    /** The session token; none if the cookie was sent more than once, because one may be injected. */
    read: valueOf(session),
    set: ({ token, csrfToken }: OpenedSession): readonly string[] => [
      `${session}=${token}; ${attributes}; HttpOnly`,
      `${csrf}=${csrfToken}; ${attributes}`,
    ],
    clear: [`${session}=; ${attributes}; HttpOnly; Max-Age=0`, `${csrf}=; ${attributes}; Max-Age=0`],
    /** The state cookie of a sign-in at the identity provider. */
    signIn: passing(`${prefix}gantry_sso`, attributes),
    /** The state cookie of a connection to a backend. */
    connecting: passing(`${prefix}gantry_connect`, attributes),
  }
}

/** Of a browser that goes to a provider and comes back. */
const passing = (name: string, attributes: string) => ({
  read: valueOf(name),
  set: (value: string, maxAgeMs: number) =>
    `${name}=${value}; ${attributes}; HttpOnly; Max-Age=${Math.floor(maxAgeMs / 1000)}`,
  clear: `${name}=; ${attributes}; HttpOnly; Max-Age=0`,
})

const valueOf =
  (name: string) =>
  (header: string | undefined): string | undefined => {
    const values = (header ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1))
    return values.length > 1 ? undefined : values[0]
  }
