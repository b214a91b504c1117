// Requests of the desktop window: injected in process, and marked where network requests cannot be.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Actor } from '#contract'

type Ticket = { readonly user: string; used: boolean }

const tickets = new AsyncLocalStorage<Ticket>()
const marked = new WeakMap<IncomingMessage, string>()

/** Injects one request as the operating system's user. */
export async function injectAsDesktop(app: Pick<FastifyInstance, 'inject'>, user: string, request: InjectOptions) {
  // Awaited inside: the request starts only when awaited.
  return tickets.run({ user, used: false }, async () => await app.inject(request))
}

/** A ticket is valid for one request, and never for one from a socket. */
export function desktopActor(raw: IncomingMessage): Actor | undefined {
  const ticket = tickets.getStore()
  if (ticket && !ticket.used && !(raw.socket instanceof Socket)) {
    ticket.used = true
    marked.set(raw, ticket.user)
  }
  const user = marked.get(raw)
  return user === undefined ? undefined : { name: `desktop:${user}`, kind: 'desktop', role: 'admin', teamId: null }
}
