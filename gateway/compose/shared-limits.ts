// Where limits are counted over all instances: in Redis, in the parent of several processes, or in the database.

import { createHash } from 'node:crypto'
import type { ShareLimits } from '../http/limits.ts'
import type { Processes } from '../processes/link.ts'
import type { Base } from '../records/base.ts'
import type { Settings } from '../settings/table.ts'
import { databasePermits } from '../storage/database-permits.ts'
import type { PermitStore } from '../storage/permits.ts'
import { connectRedis } from '../storage/redis.ts'
import { redisPermits } from '../storage/redis-permits.ts'

type Parts = Pick<Base, 'database' | 'log' | 'metrics'> & {
  readonly settings: Pick<Settings, 'RATE_LIMIT_SHARED' | 'RATE_LIMIT_ON_OUTAGE' | 'REDIS_URL'>
  readonly instances: () => number
  readonly processes: Pick<Processes, 'permits'> | undefined
  /** Distinguishes this database from others. */
  readonly salt: Buffer
}

/** Instances of one database count together; other gateways may use the same Redis. */
const prefixOf = (salt: Buffer): string =>
  `gantry:{${createHash('sha256').update(salt).digest('hex').slice(0, 12)}}:rate:`

async function storeOf({ settings, database, log, metrics, salt, processes }: Parts): Promise<PermitStore> {
  if (settings.REDIS_URL === null) return processes?.permits ?? databasePermits(database)
  const redis = await connectRedis({
    url: settings.REDIS_URL,
    log,
    onUp: (up) => metrics.set('mcp_rate_limit_store_up', up ? 1 : 0),
    onCommand: metrics.counter('mcp_rate_limit_store_commands_total'),
  })
  return redisPermits(redis, prefixOf(salt))
}

/** Undefined where each instance counts for itself. */
export async function shareLimits(parts: Parts): Promise<ShareLimits | undefined> {
  const { settings, database, metrics, instances, log } = parts
  if (!settings.RATE_LIMIT_SHARED) {
    if (settings.REDIS_URL !== null) log.warn('REDIS_URL has no effect without RATE_LIMIT_SHARED=true')
    return undefined
  }
  if (settings.REDIS_URL === null && database.path === ':memory:') return undefined
  return {
    store: await storeOf(parts),
    onOutage: settings.RATE_LIMIT_ON_OUTAGE,
    instances,
    onDegraded: metrics.counter('mcp_rate_limit_degraded_total'),
  }
}
