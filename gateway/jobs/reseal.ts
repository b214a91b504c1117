// Reseals every stored secret after a change of the key service's key, or to bind it to its record.

import { tokenRef } from '../editors/live-editors.ts'
import { identityRef } from '../identity/clients.ts'
import { linkKeyRef } from '../operations/curation/install-links.ts'
import { clientSecretRef } from '../operations/people/oidc.ts'
import type { Base } from '../records/base.ts'
import { authRef, oauthRef } from '../registry/credentials.ts'
import type { Binding } from '../secrets/binding.ts'
import { metaRef } from '../secrets/check.ts'
import type { Database } from '../storage/database.ts'
import { replaceSealed, type SealedPlace, sealedPlaces } from '../storage/sealed.ts'
import type { Log } from '../telemetry/log.ts'

type ResealAllDeps = Pick<Base, 'database' | 'box'> & {
  readonly binding: Binding
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Checked between two secrets; the rest waits for the next start. */
  readonly stopped: () => boolean
}

/** The reference that binds each secret, the same as when it was sealed. */
const REFS: Readonly<Record<SealedPlace['place'], (name: string) => string>> = {
  'upstream-auth': authRef,
  oauth: oauthRef,
  identity: identityRef,
  'upstream-client': (ref) => ref,
  'upstream-grant': (ref) => ref,
  'context-budget': (name) => `clients/${name}/context-budget`,
  'install-link': linkKeyRef,
  oidc: clientSecretRef,
  'pcg-editor': tokenRef,
  meta: metaRef,
}

const BOUND = 'secrets_bound'

/** A database without secrets of the key service has no unbound ones. */
export async function loadBinding({ meta, query }: Pick<Database, 'meta' | 'query'>): Promise<Binding> {
  let complete = (await meta.get(BOUND)) !== undefined
  const completed = async (): Promise<void> => {
    await meta.set(BOUND, 'true')
    complete = true
  }
  if (!complete && (await sealedPlaces(query)).every(({ sealed }) => !sealed.startsWith('kms:'))) await completed()
  return { complete: () => complete, completed }
}

/** A secret that cannot be decrypted stays unchanged; the next start retries. */
export async function resealAll({ database, box, binding, log, stopped }: ResealAllDeps): Promise<void> {
  if (!box.configured) return
  const stale = (await sealedPlaces(database.query)).filter(({ sealed }) => !box.isCurrent(sealed))
  let left = stale.length
  for (const found of stale) {
    if (stopped()) break
    const ref = REFS[found.place](found.name)
    try {
      const sealed = await box.seal(await box.open(found.sealed, ref), ref)
      // Another secret may have been entered in the meantime: keep it.
      await database.write((tx) => replaceSealed(tx, found, sealed))
      left -= 1
    } catch (error) {
      log.warn('a stored secret could not be resealed', { place: found.place, name: found.name, error })
    }
  }
  if (left === 0 && !binding.complete()) await binding.completed()
  if (stale.length > 0)
    log.info('stored secrets were resealed with the current key', { sealed: stale.length - left, left })
}
