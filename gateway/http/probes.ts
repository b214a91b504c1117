// The three probes. They answer without credential and outside every budget, so they must stay cheap.
import { GatewayError } from '../contract/error.ts'
import { PROOF_HEADER, PROVE_HEADER } from '../instance/announcement.ts'
import type { HttpReply, HttpRequest } from './request-reply.ts'

export type ReadinessFacts = {
  /** Whether this instance holds the leader lease. */
  readonly leader: () => boolean
  /** Whether the database answers a trivial query. */
  readonly database: () => boolean | Promise<boolean>
  /** Whether the configuration was not compared with the database for too long. */
  readonly stale?: (() => boolean) | undefined
  /** Taken out of rotation by a person; calls are served. */
  readonly drained?: () => boolean
  /** The versions that the instances have applied; undefined where no instance follows others. */
  readonly fleet?: (() => { readonly instances: number; readonly oldest: number; readonly newest: number }) | undefined
  /** Distinguishes a reader of this instance's announcement from other callers. */
  readonly prove?: (nonce: string) => string | undefined
}

type Probe = (request: HttpRequest, reply: HttpReply) => Promise<void>

const sendJson = (reply: HttpReply, json: string): void =>
  void reply.header('content-type', 'application/json; charset=utf-8').send(json)

/** By their paths. */
export function probes(facts: ReadinessFacts, leaving: () => boolean): Readonly<Record<string, Probe>> {
  return {
    async '/health'(_request, reply) {
      sendJson(reply, `{"status":"ok","uptime_seconds":${Math.round(process.uptime() * 1000) / 1000}}`)
    },

    async '/livez'({ headers }, reply) {
      const asked = headers[PROVE_HEADER]
      const proof = typeof asked === 'string' ? facts.prove?.(asked) : undefined
      if (proof !== undefined) reply.header(PROOF_HEADER, proof)
      sendJson(reply, '{"status":"ok"}')
    },

    async '/readyz'({ raw }, reply) {
      const [asked, ...more] = new URL(raw.url ?? '', 'http://gateway').searchParams.getAll('for')
      // A balancer sends calls to every instance; one that leads no jobs serves them as well.
      const traffic = asked === 'traffic'
      if ((asked !== undefined && !traffic) || more.length > 0)
        throw new GatewayError('VALIDATION_ERROR', 'Ask /readyz?for=traffic, or /readyz for the leader')
      const database = await Promise.resolve()
        .then(facts.database)
        .catch(() => false)
      const reasons = [
        ...(traffic || facts.leader() ? [] : ['not_leader']),
        ...(database ? [] : ['db_unavailable']),
        ...(facts.stale?.() ? ['stale'] : []),
        ...(facts.drained?.() ? ['drained'] : []),
        ...(leaving() ? ['shutting_down'] : []),
      ]
      reply.code(reasons.length === 0 ? 200 : 503)
      const fleet = facts.fleet && { fleet: facts.fleet() }
      sendJson(reply, JSON.stringify({ status: reasons.length === 0 ? 'ready' : 'not_ready', reasons, ...fleet }))
    },
  }
}
