// GET /metrics: the gateway's own numbers, for viewers and above.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { METRICS_CONTENT_TYPE } from '../telemetry/metrics.ts'

/** Resolves when the caller may pass, throws a GatewayError otherwise. */
export type AdminGate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export type MetricsOptions = {
  readonly enabled: boolean
  readonly allow: AdminGate
  readonly render: (request: FastifyRequest) => string | Promise<string>
}

/** Switched off, the route does not exist, and is answered like any other unknown one. */
export function registerMetrics(app: FastifyInstance, { enabled, allow, render }: MetricsOptions): void {
  if (!enabled) return
  app.get('/metrics', { onRequest: allow }, async (request, reply) =>
    reply.type(METRICS_CONTENT_TYPE).send(await render(request)),
  )
}
