// After the key service's key was changed: every stored secret is opened under its old key and sealed under the new one.
import { authRef, oauthRef } from '../registry/credentials.ts'
import type { SecretBox } from '../secrets/box.ts'
import type { Database } from '../storage/database.ts'
import { replaceSealed, type SealedPlace, sealedPlaces } from '../storage/sealed.ts'
import type { Log } from '../telemetry/log.ts'
import { linkKeyRef } from './install-links.ts'
import { clientSecretRef } from './oidc.ts'

type Parts = {
  readonly database: Database
  readonly box: SecretBox
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Asked between two secrets: the rest waits for the next start. */
  readonly stopped: () => boolean
}

/** What each place's secret is bound to: the very reference it was sealed with. */
const REFS: Readonly<Record<SealedPlace['place'], (name: string) => string>> = {
  'upstream-auth': authRef,
  oauth: oauthRef,
  'install-link': linkKeyRef,
  oidc: clientSecretRef,
}

/** What cannot be opened now stays as it is, and is tried again at the next start. */
export async function resealAll({ database, box, log, stopped }: Parts): Promise<void> {
  if (!box.configured) return
  const stale = (await sealedPlaces(database.query)).filter(({ sealed }) => !box.isCurrent(sealed))
  if (stale.length === 0) return
  let done = 0
  for (const found of stale) {
    if (stopped()) break
    const ref = REFS[found.place](found.name)
    try {
      const sealed = await box.seal(await box.open(found.sealed, ref), ref)
      // Somebody may have entered another secret meanwhile: theirs stands.
      await database.write((tx) => replaceSealed(tx, found, sealed))
      done += 1
    } catch (error) {
      log.warn('a stored secret could not be sealed under the new key', { place: found.place, name: found.name, error })
    }
  }
  log.info('stored secrets were sealed under the new key', { sealed: done, left: stale.length - done })
}
