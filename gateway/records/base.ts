// Dependencies shared by most factories. Each picks what it uses and names its extras.
import type { Outbound } from '../net/outbound.ts'
import type { SecretBox } from '../secrets/box.ts'
import type { Loaded } from '../settings/load.ts'
import type { Database } from '../storage/database.ts'
import type { Clock } from '../telemetry/clock.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Changes } from './changes.ts'

export type Base = {
  readonly settings: Loaded['settings']
  readonly log: Log
  readonly metrics: Metrics
  readonly clock: Clock
  /** Time that passed; setting the clock does not change it. */
  readonly monotonic: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly newId: () => string
  readonly instanceId: string
  readonly version: string
  readonly database: Database
  readonly changes: Changes
  readonly outbound: Outbound
  readonly box: SecretBox
}
