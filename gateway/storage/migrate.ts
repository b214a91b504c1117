// Brings a database forward, one migration per transaction, and says who wrote it.
import type { Engine, Migration } from './migrations/migration.ts'
import type { Tx } from './schema.ts'
import { StorageError } from './storage-error.ts'

type Upgrade = {
  readonly write: (work: (tx: Tx) => Promise<void>) => Promise<void>
  readonly engine: Engine
  readonly appVersion: string
  readonly now: () => number
  readonly migrations: readonly Migration[]
}

export async function migrate({ write, engine, appVersion, now, migrations }: Upgrade): Promise<void> {
  for (const { version, name, up } of migrations)
    await write(async (tx) => {
      // Asked inside the transaction: another process may have been first.
      await tx.schema
        .createTable('schema_version')
        .ifNotExists()
        .addColumn('version', 'integer', (column) => column.primaryKey().notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('app_version', 'text', (column) => column.notNull())
        .addColumn('applied_at', 'text', (column) => column.notNull())
        .execute()
      const done = await tx
        .selectFrom('schema_version')
        .select('version')
        .where('version', '>=', version)
        .limit(1)
        .execute()
      if (done.length > 0) return
      await up(tx.schema, engine, tx)
      const applied_at = new Date(now()).toISOString()
      await tx.insertInto('schema_version').values({ version, name, app_version: appVersion, applied_at }).execute()
    })
}

/** A database that a newer program wrote: refused when strict, otherwise used as it is and never migrated down. */
export function newerSchema(
  found: { readonly version: number; readonly appVersion: string },
  latest: number,
  appVersion: string,
): StorageError | undefined {
  if (found.version <= latest) return undefined
  return new StorageError(
    'newer',
    `The database has schema ${found.version}, written by Gantry ${found.appVersion}; this is Gantry ${appVersion}, ` +
      `which supports schema ${latest}. Run the newer program, or restore a backup from before its upgrade.`,
  )
}
