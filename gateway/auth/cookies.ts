// The two cookies of a session: one the browser keeps to itself, one its page may read.
import type { OpenedSession } from './sessions.ts'

export type Cookies = {
  /** The session's token; none when the name was sent more than once: one of them is somebody else's. */
  readonly read: (header: string | undefined) => string | undefined
  readonly set: (opened: OpenedSession) => readonly string[]
  readonly clear: readonly string[]
}

export function createCookies({ secure }: { readonly secure: boolean }): Cookies {
  // The prefix makes browsers refuse the cookie from a sibling host or over HTTP, and needs Secure.
  const prefix = secure ? '__Host-' : ''
  const [session, csrf] = [`${prefix}gantry_session`, `${prefix}gantry_csrf`]
  const attributes = `Path=/; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    read(header) {
      const values = (header ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${session}=`))
        .map((pair) => pair.slice(session.length + 1))
      return values.length > 1 ? undefined : values[0]
    },
    set: ({ token, csrfToken }) => [
      `${session}=${token}; ${attributes}; HttpOnly`,
      `${csrf}=${csrfToken}; ${attributes}`,
    ],
    clear: [`${session}=; ${attributes}; HttpOnly; Max-Age=0`, `${csrf}=; ${attributes}; Max-Age=0`],
  }
}
