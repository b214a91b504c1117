// The three probes. They answer without credential and outside every budget, so they must stay cheap.
import type { FastifyInstance } from 'fastify'
import { GatewayError } from '../contract/error.ts'
import { PROOF_HEADER, PROVE_HEADER } from '../instance/announcement.ts'

export type ReadinessFacts = {
  /** Whether this instance holds the leader lease. */
  readonly leader: () => boolean
  /** Whether the database answers a trivial query. */
  readonly database: () => boolean | Promise<boolean>
  /** Distinguishes a reader of this instance's announcement from other callers. */
  readonly prove?: (nonce: string) => string | undefined
}

export function registerProbes(app: FastifyInstance, facts: ReadinessFacts, leaving: () => boolean): void {
  app.get('/health', (_request, reply) => {
    reply
      .type('application/json; charset=utf-8')
      .send(`{"status":"ok","uptime_seconds":${Math.round(process.uptime() * 1000) / 1000}}`)
  })

  app.get('/livez', ({ headers }, reply) => {
    const asked = headers[PROVE_HEADER]
    const proof = typeof asked === 'string' ? facts.prove?.(asked) : undefined
    if (proof !== undefined) reply.header(PROOF_HEADER, proof)
    reply.type('application/json; charset=utf-8').send('{"status":"ok"}')
  })

  app.get<{ Querystring: Readonly<Record<string, unknown>> }>('/readyz', async ({ query }, reply) => {
    // A balancer sends calls to every instance; one that leads no jobs serves them as well.
    const traffic = query.for === 'traffic'
    if (query.for !== undefined && !traffic)
      throw new GatewayError('VALIDATION_ERROR', 'Ask /readyz?for=traffic, or /readyz for the leader')
    const database = await Promise.resolve()
      .then(facts.database)
      .catch(() => false)
    const reasons = [
      ...(traffic || facts.leader() ? [] : ['not_leader']),
      ...(database ? [] : ['db_unavailable']),
      ...(leaving() ? ['shutting_down'] : []),
    ]
    reply.code(reasons.length === 0 ? 200 : 503)
    return { status: reasons.length === 0 ? 'ready' : 'not_ready', reasons }
  })
}
