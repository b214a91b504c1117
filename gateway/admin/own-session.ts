// The session of the person who makes a request: where it came from, and its cookies.
import type { Cookies } from '../auth/cookies.ts'
import type { OpenedSession, Origin } from '../auth/sessions.ts'
import { GatewayError } from '../contract/error.ts'
import type { ActorContext, Context } from './mount.ts'

export const originOf = ({ ip, userAgent }: Context): Origin => ({ ip, userAgent })

/** Routes with the access `self` are used by sessions only. */
export function sessionOf({ session }: ActorContext): NonNullable<ActorContext['session']> {
  if (session === undefined) throw new GatewayError('FORBIDDEN', 'Only a signed-in user can do this')
  return session
}

/** The browser takes the new session; the page receives its token. */
export function giveSession({ reply }: Context, cookies: Cookies, opened: OpenedSession): void {
  reply.header('set-cookie', [...cookies.set(opened)])
  reply.header('x-csrf-token', opened.csrfToken)
}
