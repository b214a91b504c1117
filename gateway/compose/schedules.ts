// Schedules: their routes, and the clock by which the leader runs them.
import type { MountTable } from '../admin/handlers.ts'
import { WATCHING } from '../contract/index.ts'
import { createLeaderLoop } from '../jobs/leader-loop.ts'
import type { Leadership } from '../jobs/leadership.ts'
import type { Rounds } from '../jobs/rounds.ts'
import { createScheduleWatch } from '../jobs/schedule-watch.ts'
import type { Backends } from '../operations/backends/backends.ts'
import { createScheduleFire } from '../operations/schedules/schedule-fire.ts'
import { createSchedules } from '../operations/schedules/schedules.ts'
import type { Tools } from '../operations/tools/tools.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

type SchedulingDeps = {
  readonly mount: MountTable
  readonly leadership: Pick<Leadership, 'leads' | 'lease'>
  readonly backends: Backends
  readonly tools: Tools
}

/** A look at an index; a schedule runs this soon after its minute begins. */
const LOOK_EVERY_MS = 1_000

export function mountScheduling(
  base: Foundation,
  { registry }: Pick<Calls, 'registry'>,
  { mount, leadership, backends, tools }: SchedulingDeps,
): Rounds {
  const fire = createScheduleFire({ ...base, backends, tools, registry })
  mount(WATCHING.schedules, createSchedules({ ...base, registry, fire }))
  const watch = createScheduleWatch({ ...base, fire, lease: leadership.lease })
  return createLeaderLoop({
    name: 'running schedules',
    everyMs: LOOK_EVERY_MS,
    leads: leadership.leads,
    log: base.log,
    work: watch.round,
  })
}
