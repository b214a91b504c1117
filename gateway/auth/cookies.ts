// The two cookies of a session: an HttpOnly one, and one the page can read.
import type { OpenedSession } from './sessions.ts'

export type Cookies = {
  /** The session token; none if the cookie was sent more than once, because one may be injected. */
  readonly read: (header: string | undefined) => string | undefined
  readonly set: (opened: OpenedSession) => readonly string[]
  readonly clear: readonly string[]
  /** The state cookie of a sign-in at the identity provider. */
  readonly signIn: {
    readonly read: (header: string | undefined) => string | undefined
    readonly set: (value: string, maxAgeMs: number) => string
    readonly clear: string
  }
}

export function createCookies({ secure }: { readonly secure: boolean }): Cookies {
  // The prefix makes browsers refuse the cookie from a sibling host or over HTTP, and needs Secure.
  const prefix = secure ? '__Host-' : ''
  const [session, csrf, sso] = [`${prefix}gantry_session`, `${prefix}gantry_csrf`, `${prefix}gantry_sso`]
  const attributes = `Path=/; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    read: valueOf(session),
    set: ({ token, csrfToken }) => [
      `${session}=${token}; ${attributes}; HttpOnly`,
      `${csrf}=${csrfToken}; ${attributes}`,
    ],
    clear: [`${session}=; ${attributes}; HttpOnly; Max-Age=0`, `${csrf}=; ${attributes}; Max-Age=0`],
    signIn: {
      read: valueOf(sso),
      set: (value, maxAgeMs) => `${sso}=${value}; ${attributes}; HttpOnly; Max-Age=${Math.floor(maxAgeMs / 1000)}`,
      clear: `${sso}=; ${attributes}; HttpOnly; Max-Age=0`,
    },
  }
}

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
