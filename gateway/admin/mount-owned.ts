// The routes of alert rules, schedules and WebSocket targets.
import type { FastifyInstance } from 'fastify'
import { SOCKETS, WATCHING } from '../contract/index.ts'
import type { Alerts } from '../operations/alerts/alerts.ts'
import type { WsTargets } from '../operations/backends/ws-targets.ts'
import type { Schedules } from '../operations/schedules/schedules.ts'
import { type MountParts, mount } from './mount.ts'
import { ownedHandlers } from './owned.ts'

export function mountAlerts(app: FastifyInstance, alerts: Alerts, parts: MountParts): void {
  mount(
    app,
    WATCHING.alerts,
    { ...ownedHandlers(alerts), test: ({ params }, context) => alerts.test(context, params.id) },
    parts,
  )
}

export function mountSchedules(app: FastifyInstance, schedules: Schedules, parts: MountParts): void {
  mount(
    app,
    WATCHING.schedules,
    { ...ownedHandlers(schedules), run: ({ params }, context) => schedules.run(context, params.id) },
    parts,
  )
}

export function mountWsTargets(app: FastifyInstance, targets: WsTargets, parts: MountParts): void {
  mount(
    app,
    SOCKETS.wsTargets,
    {
      ...ownedHandlers(targets),
      disconnectAll: ({ params }, context) => targets.disconnectAll(context, params.name),
    },
    parts,
  )
}
