// What everything else stands on: log, metrics, database, audit chain, secret box, the outbound door.
import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { type Checkpoints, startCheckpoints } from '../audit-log/checkpoint.ts'
import { prepareKeyFile } from '../audit-log/key-file.ts'
import type { AuditEntry } from '../contract/admin/audit-log.ts'
import type { ShareLimits } from '../http/limits.ts'
import { createAuditSink } from '../jobs/audit-sink.ts'
import { enterInstance, type Presence } from '../jobs/instances.ts'
import { createPeers, NO_PEERS, type PeerRounds } from '../jobs/peers.ts'
import { loadBinding } from '../jobs/reseal.ts'
import { announceEntries, createEvents, type Events } from '../live/events.ts'
import { createWebhooks, type Webhooks } from '../live/webhooks.ts'
import { createLoopGuard, type LoopGuard } from '../net/loop-guard.ts'
import { type MemoryBudget, memoryBudgetOf } from '../net/memory-budget.ts'
import { createOutbound, type Outbound } from '../net/outbound.ts'
import type { Processes } from '../processes/link.ts'
import type { Base } from '../records/base.ts'
import { createAppender, createChanges, type OnAppended } from '../records/changes.ts'
import type { Binding } from '../secrets/binding.ts'
import { createSecretBox } from '../secrets/box.ts'
import { afterCheck, checkKey, WrongKeyError } from '../secrets/check.ts'
import type { KmsSend } from '../secrets/kms.ts'
import type { Loaded } from '../settings/load.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../storage/database.ts'
import type { Owner } from '../storage/journal.ts'
import { type LeaseClock, openLeaseClock } from '../storage/lease-clock.ts'
import { openPostgres } from '../storage/postgres.ts'
import { sendNotice } from '../storage/postgres-notices.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import { createMetrics, type Metrics } from '../telemetry/metrics.ts'
import { shareLimits } from './shared-limits.ts'

export type Foundation = Base & {
  readonly loaded: Loaded
  readonly own: LoopGuard
  /** This process as the owner of files beside the database; undefined for a database in memory. */
  readonly owner: Owner | undefined
  /** How many instances use the database, this one included. */
  readonly instances: () => number
  /** Of leases and instances. */
  readonly leaseClock: LeaseClock
  /** This process among those of the database. */
  readonly presence: Omit<Presence, 'owner' | 'leave'>
  /** Messages between this process and the other instances; none without REGISTRY_SYNC. */
  readonly peers: PeerRounds
  /** What connects this process with the others of its gateway; undefined where it is the only one. */
  readonly processes: Processes | undefined
  /** Undefined where this instance counts its limits for itself. */
  readonly sharedLimits: ShareLimits | undefined
  readonly checkpoints: Checkpoints
  /** For large answers of backends, as much as this process's heap allows. */
  readonly room: MemoryBudget
  readonly binding: Binding
  /** Throws a WrongKeyError. A passphrase takes as long to check as the rest of a start: the port is open before. */
  readonly checkKey: () => Promise<void>
  readonly events: Events
  readonly webhooks: Webhooks
  /** Called for every entry of this instance once it is committed. Returns how to end that. */
  readonly follow: (follower: Follower) => () => void
  /** Entries of what is no change: calls. */
  readonly append: ReturnType<typeof createAppender>
  /** Called for every entry once it is committed: for the one that is written before any actor exists. */
  readonly onAppended: OnAppended
  close(): Promise<void>
}

type Follower = (entry: AuditEntry) => void

type FoundationDeps = {
  readonly loaded: Loaded
  readonly version: string
  readonly writeLog: (line: string) => void
  /** Another instance took the database while this one did not respond. */
  readonly onReplaced: (message: string) => void
  readonly processes: Processes | undefined
  /** No other instance may use the database now. */
  readonly alone: boolean
}

const SALT = 'secret_salt'
const ANSWER_MAX_BYTES = 1_048_576

/** A key service is operator infrastructure: its address comes from the environment and is not questioned. */
const throughTheDoor =
  (outbound: Outbound): KmsSend =>
  async ({ method, url, headers, body, timeoutMs }) => {
    const answer = await outbound.request({
      url,
      method,
      headers,
      body,
      deadlineMs: timeoutMs,
      maxBytes: ANSWER_MAX_BYTES,
      trusted: true,
    })
    return { status: answer.status, text: answer.body.toString('utf8') }
  }

/** Per database, made once, never changed: every key derived from a passphrase depends on it. */
async function saltOf(database: Database): Promise<Buffer> {
  const known = await database.meta.get(SALT)
  if (known !== undefined) return Buffer.from(known, 'base64')
  return database.write(async (tx) => {
    // Another process may have been first.
    const made = await database.meta.get(SALT, tx)
    if (made !== undefined) return Buffer.from(made, 'base64')
    const fresh = randomBytes(32)
    await database.meta.set(SALT, fresh.toString('base64'), tx)
    return fresh
  }, SALT)
}

type Box = Pick<Foundation, 'box' | 'binding' | 'checkKey'>

async function checkedBox(
  settings: Loaded['settings'],
  database: Database,
  outbound: Outbound,
  metrics: Metrics,
  log: Log,
): Promise<Box> {
  const binding = await loadBinding(database)
  const send = throughTheDoor(outbound)
  const box = createSecretBox({ settings, salt: await saltOf(database), send, binding, metrics })
  async function check(): Promise<void> {
    const { state, message } = await checkKey({
      box,
      getMeta: async (key) => (await database.meta.get(key)) ?? null,
      setMeta: (key, value) => database.meta.set(key, value),
    })
    if (state === 'wrong-key') throw new WrongKeyError(message)
    // The service may return: what needs it fails until then, and nothing is stored in the open.
    if (state === 'unavailable') log.warn(message)
  }
  const once = onlyOnce(check)
  return { box: afterCheck(box, once), binding, checkKey: once }
}

function onlyOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined
  return () => (done ??= work())
}

function databaseOf(settings: Loaded['settings'], more: Pick<DatabaseOptions, 'appVersion' | 'log' | 'clock'>) {
  const {
    DATABASE_URL: url,
    DATABASE_POOL_MAX: poolMax,
    DATABASE_STATEMENT_TIMEOUT_MS: statementMs,
    DB_PATH,
    DATA_DIR,
    AUDIT_HEAD_KEY_FILE: auditKeyFile,
  } = settings
  const strict = settings.STRICT_CONFIG === 'production'
  return url === null
    ? openDatabase({
        ...more,
        strict,
        auditKeyFile,
        path: DB_PATH,
        dataDir: DATA_DIR ?? path.dirname(DB_PATH),
        backupBeforeMigrate: settings.BACKUP_BEFORE_MIGRATE,
        durable: settings.JOURNAL_FSYNC,
      })
    : openPostgres({ ...more, strict, auditKeyFile, url, poolMax, statementMs, dataDir: DATA_DIR })
}

export async function createFoundation(deps: FoundationDeps): Promise<Foundation> {
  const { loaded, version, writeLog, onReplaced, processes, alone } = deps
  const { settings } = loaded
  const clock: Base['clock'] = Date
  const everyLine = createLog({ format: settings.LOG_FORMAT, level: settings.LOG_LEVEL, write: writeLog })
  const log = processes === undefined ? everyLine : everyLine.child({ process: settings.INSTANCE_ID })
  const metrics = createMetrics()
  const database = await databaseOf(settings, { appVersion: version, log, clock })
  const instanceId = settings.INSTANCE_ID ?? randomUUID()
  const monotonic = (): number => performance.now()
  const entered = async () => {
    const leaseClock = await openLeaseClock(database, { clock, monotonic })
    const presence = await enterInstance({
      database,
      instanceId,
      settings,
      alone,
      log,
      metrics,
      leaseClock,
      monotonic,
      onReplaced,
    })
    return { leaseClock, presence }
  }
  const { leaseClock, presence } = await entered().catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  const own = createLoopGuard(instanceId)
  const outbound = createOutbound({
    allowPrivate: settings.ALLOW_PRIVATE_IPS,
    connections: settings.BACKEND_CONNECTIONS_MAX,
    timed: settings.TRACE_STORAGE || settings.OTEL_EXPORTER_OTLP_ENDPOINT !== null,
    own,
  })
  try {
    if (database.auditKeyFile !== null) prepareKeyFile(database.auditKeyFile, database.beside)
    const sharedLimits = await shareLimits({
      settings,
      database,
      log,
      metrics,
      instances: presence.count,
      processes,
      salt: await saltOf(database),
    })
    const { box, binding, checkKey } = await checkedBox(settings, database, outbound, metrics, log)
    const checkpoints = startCheckpoints({ database, log, clock })
    const events = createEvents(clock)
    const peers =
      settings.REGISTRY_SYNC && database.path !== ':memory:'
        ? createPeers({
            database,
            monotonic,
            instanceId,
            log,
            alive: presence.alive,
            notify: async () => {
              processes?.hint('messages')
              // Without it the others look twice a second.
              if (settings.DATABASE_URL !== null)
                await sendNotice(database.query, 'gantry_messages').catch(() => undefined)
            },
          })
        : NO_PEERS
    const announce = announceEntries(events)
    const webhooks = createWebhooks({
      outbound,
      log,
      metrics,
      clock,
      monotonic,
      signingSecret: settings.WEBHOOK_SIGNING_SECRET,
      gateway: { version, instanceId, url: settings.GATEWAY_PUBLIC_URL },
    })
    const { AUDIT_SINK_URL: url, AUDIT_SINK_TIMEOUT_MS: timeoutMs } = settings
    const sink = url === null ? undefined : createAuditSink({ webhooks, url, timeoutMs, log, metrics })
    const followers = new Set<Follower>()
    const onAppended: OnAppended = (entry, teamId) => {
      metrics.inc('mcp_audit_entries_total')
      announce(entry, teamId)
      for (const follower of followers) follower(entry)
      sink?.take(entry)
    }
    return {
      loaded,
      version,
      newId: randomUUID,
      random: Math.random,
      settings,
      log,
      metrics,
      clock,
      monotonic,
      instanceId,
      own,
      database,
      owner: presence.owner,
      instances: presence.count,
      leaseClock,
      presence,
      peers,
      processes,
      sharedLimits,
      checkpoints,
      outbound,
      room: memoryBudgetOf(getHeapStatistics().heap_size_limit),
      box,
      binding,
      checkKey,
      events,
      changes: createChanges(database, clock, onAppended),
      append: createAppender(database, clock, onAppended),
      onAppended,
      follow(follower) {
        followers.add(follower)
        return () => followers.delete(follower)
      },
      webhooks,
      async close() {
        await sink?.stop(Math.min(timeoutMs, settings.SHUTDOWN_FORCE_EXIT_MS))
        await outbound.close()
        await checkpoints.stop()
        await presence.leave()
        await database.close()
      },
    }
  } catch (error) {
    await outbound.close()
    await presence.leave()
    await database.close()
    throw error
  }
}
