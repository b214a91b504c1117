// Signs the head of the chain every few seconds and on shutdown, so that truncation and rewriting are detected.

import type { Database } from '../storage/database.ts'
import type { Clock } from '../telemetry/clock.ts'
import { type Head, headFiles, makeKey, readHead, writeHead } from './head.ts'
import { tipOf } from './walk.ts'

const EVERY_MS = 5_000

export type Checkpoints = ReturnType<typeof startCheckpoints>

type Needs = {
  readonly database: Database
  readonly log: { error(message: string, fields?: Readonly<Record<string, unknown>>): void }
  readonly clock: Clock
  readonly everyMs?: number
}

export function startCheckpoints({ database, log, clock, everyMs = EVERY_MS }: Needs) {
  let last: Promise<void> = Promise.resolve()
  let complained = false
  let signedHere: Head | undefined
  const startedWithoutHead =
    database.beside !== null &&
    database.migratedFrom > 0 &&
    readHead(headFiles(database.beside, database.auditKeyFile)) === 'none'
  if (startedWithoutHead)
    log.error(
      'The audit log has no signed head: a new one is signed from the log as it is now. Unless a backup was restored, compare the log with its copy: rows at its end may be missing.',
    )
  const save = () => {
    last = last.then(async () => {
      try {
        const { complaint, head } = await advance(database, clock.now(), signedHere)
        signedHere = head ?? signedHere
        if (complaint && !complained) log.error(complaint)
        complained = complaint !== undefined
      } catch (error) {
        // The chain itself is intact; the next run signs it.
        log.error('The audit head could not be signed', { error })
      }
    })
    return last
  }
  const timer = setInterval(() => void save(), everyMs)
  timer.unref()
  void save()
  return {
    /** The database is not new and no head lies beside it: its log may have been cut together with its head. */
    startedWithoutHead,
    /** Signs the current head. */
    save,
    /** Signs once more; call it before closing the database. */
    async stop(): Promise<void> {
      clearInterval(timer)
      await save()
    },
  }
}

type Advance = { readonly complaint?: string; readonly head?: Head }

/**
 * Never overwrites evidence: a signed head that is missing in the table stays until a person decides. `signedHere` is the newest
 * head of this process, for a file that was removed since.
 */
async function advance(database: Database, nowMs: number, signedHere: Head | undefined): Promise<Advance> {
  const { beside: path, auditKeyFile, query } = database
  if (path === null) return {}
  const files = headFiles(path, auditKeyFile)
  const found = readHead(files)
  const tip = await tipOf(query)
  const accept = `To accept the log as it is now, stop the gateway and delete ${files.head}.`
  if (found === 'untrusted')
    return { complaint: `The signed head of the audit log ${files.head} is not genuine. ${accept}` }
  const signed = found === 'none' ? signedHere : found
  if (signed) {
    if (found !== 'none' && tip && signed.headId === tip.id && signed.headHash === tip.hash) return { head: signed }
    const known = await query.selectFrom('audit_log').select('hash').where('id', '=', signed.headId).executeTakeFirst()
    if (!known)
      return {
        complaint: `The audit log ends at #${tip?.id ?? 0}, but #${signed.headId} was signed: rows are missing, or an older backup was restored. ${accept}`,
      }
    if (known.hash !== signed.headHash)
      return { complaint: `The audit log was rewritten at or before #${signed.headId}. ${accept}` }
  }
  if (!tip) return {}
  if (found === 'none') await database.write(() => makeKey(files), 'audit key')
  const head = { count: tip.id, headId: tip.id, headHash: tip.hash, at: new Date(nowMs).toISOString() }
  // Another process of the database may have signed a newer one since: an older head would not show that its entries are cut off.
  const now = readHead(files)
  if (now !== 'none' && now !== 'untrusted' && now.headId > head.headId) return { head: now }
  await writeHead(path, files, head)
  return { head }
}
