// The effective settings and the backup.
import type { config } from '../contract/admin/config.ts'
import type { Backups } from '../operations/observation/backup.ts'
import { effectiveEntries } from '../settings/effective.ts'
import type { Loaded } from '../settings/load.ts'
import type { Handlers } from './mount.ts'

type ConfigHandlersDeps = {
  readonly loaded: Loaded
  readonly version: string
  readonly runtime: string
  readonly dbVersion: number
  readonly backups: Pick<Backups, 'create'>
}

export function configHandlers({
  loaded,
  version,
  runtime,
  dbVersion,
  backups,
}: ConfigHandlersDeps): Handlers<typeof config> {
  return {
    effective: () => ({
      nodeEnv: loaded.settings.NODE_ENV,
      version,
      runtime,
      dbVersion,
      entries: effectiveEntries(loaded),
    }),
    async backup(_call, context) {
      const { filename, sha256, body } = await backups.create(context, context.signal)
      return {
        contentType: 'application/octet-stream',
        body,
        headers: { 'content-disposition': `attachment; filename="${filename}"`, 'x-backup-sha256': sha256 },
      }
    },
  }
}
