// The instances of one database as people see them, and how one leaves the rotation of a balancer.
import { setTimeout as pause } from 'node:timers/promises'
import type { InstanceList, InstanceRecord } from '../../contract/admin/instances.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import type { Settings } from '../../settings/table.ts'
import { type InstanceRow, instanceRows, type Report, setDraining } from '../../storage/instances.ts'
import { leaseHolder } from '../../storage/lease.ts'
import { databaseVersion } from '../../storage/versions.ts'

type InstancesDeps = Pick<Base, 'changes' | 'database' | 'monotonic' | 'instanceId'> & {
  readonly settings: Pick<Settings, 'REGISTRY_MAX_STALENESS_MS'>
  readonly leaseClock: Base['clock']
  /** Of this instance, now. */
  readonly report: () => Report
  /** This one notices at once, the others within two seconds. */
  readonly onDraining: (draining: boolean) => void
}

const CONFIRM_MS = 5000
const CONFIRM_EVERY_MS = 50

export function createInstances({
  changes,
  database,
  settings,
  leaseClock,
  monotonic,
  instanceId,
  report,
  onDraining,
}: InstancesDeps) {
  const { query } = database

  function present(row: InstanceRow, leader: string | undefined): InstanceRecord {
    const self = row.id === instanceId
    const stated = self ? report() : row.report
    return {
      id: row.id,
      host: row.host,
      version: stated?.version ?? null,
      startedAt: row.startedAt,
      leader: row.id === leader,
      self,
      draining: row.draining,
      applied: row.applied,
      loadPercent: stated?.loadPercent ?? null,
      sessions: stated?.sessions ?? null,
      memoryBytes: stated?.memoryBytes ?? null,
      limitsDegraded: stated?.limitsDegraded ?? null,
    }
  }

  async function set(by: By, id: string, draining: boolean): Promise<{ draining: boolean }> {
    await changes(by, async (tx, audit) => {
      if (!(await setDraining(tx, id, draining)))
        throw new GatewayError('INSTANCE_NOT_FOUND', `No instance "${id}" uses this database now`)
      await audit(draining ? 'instance.drain' : 'instance.resume', id, {})
    })
    if (id === instanceId) onDraining(draining)
    return { draining }
  }

  return {
    /** Waits until all instances have applied what is in the database now, within a bound. */
    async confirmed(): Promise<{ readonly applied: readonly string[]; readonly pending: readonly string[] }> {
      const version = await databaseVersion(query)
      const until = monotonic() + CONFIRM_MS
      for (;;) {
        // One that no longer renews its row may serve what it last read for so long.
        const rows = await instanceRows(query, leaseClock.now() - settings.REGISTRY_MAX_STALENESS_MS)
        const done = ({ id, applied }: InstanceRow): boolean => id === instanceId || (applied ?? 0) >= version
        const pending = rows.filter((row) => !done(row)).map(({ id }) => id)
        if (pending.length === 0 || monotonic() > until)
          return { applied: rows.filter(done).map(({ id }) => id), pending }
        await pause(CONFIRM_EVERY_MS)
      }
    },

    async list(): Promise<InstanceList> {
      const [rows, newest, leader] = await Promise.all([
        instanceRows(query, leaseClock.now()),
        databaseVersion(query),
        leaseHolder(query, 'leader', leaseClock.now()),
      ])
      const items = rows.map((row) => present(row, leader))
      const applied = items.map((each) => each.applied).filter((each) => each !== null)
      return { items, newest, oldest: applied.length === 0 ? null : Math.min(...applied) }
    },
    drain: (by: By, id: string) => set(by, id, true),
    resume: (by: By, id: string) => set(by, id, false),
  }
}
