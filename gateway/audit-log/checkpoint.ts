// Signs the head of the chain every few seconds and on shutdown, so that truncation and rewriting are detected.
import type { Database } from '../storage/database.ts'
import { headFiles, makeKey, readHead, writeHead } from './head.ts'
import { tipOf } from './walk.ts'

const EVERY_MS = 5_000

export type Checkpoints = {
  /** Signs the current head. */
  save(): Promise<void>
  /** Signs once more; call it before closing the database. */
  stop(): Promise<void>
}

type Needs = {
  readonly database: Database
  readonly log: { error(message: string, fields?: Readonly<Record<string, unknown>>): void }
  readonly clock: { now(): number }
  readonly everyMs?: number
}

export function startCheckpoints({ database, log, clock, everyMs = EVERY_MS }: Needs): Checkpoints {
  let last: Promise<void> = Promise.resolve()
  let complained = false
  const save = () => {
    last = last.then(async () => {
      try {
        const complaint = await advance(database, clock.now())
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
    save,
    async stop() {
      clearInterval(timer)
      await save()
    },
  }
}

/** Never overwrites evidence: a signed head that is missing in the table stays until a person decides. */
async function advance(database: Database, nowMs: number): Promise<string | undefined> {
  const { beside: path, auditKeyFile, query } = database
  if (path === null) return undefined
  const files = headFiles(path, auditKeyFile)
  const signed = readHead(files)
  const tip = await tipOf(query)
  const accept = `To accept the log as it is now, delete ${files.head}.`
  if (signed === 'untrusted') return `The signed head of the audit log ${files.head} is not genuine. ${accept}`
  if (signed !== 'none') {
    if (tip && signed.headId === tip.id && signed.headHash === tip.hash) return undefined
    const known = await query.selectFrom('audit_log').select('hash').where('id', '=', signed.headId).executeTakeFirst()
    if (!known)
      return `The audit log ends at #${tip?.id ?? 0}, but #${signed.headId} was signed: rows are missing, or an older backup was restored. ${accept}`
    if (known.hash !== signed.headHash) return `The audit log was rewritten at or before #${signed.headId}. ${accept}`
  }
  if (!tip) return undefined
  if (signed === 'none') await database.write(() => makeKey(files), 'audit key')
  await writeHead(path, files, { count: tip.id, headId: tip.id, headHash: tip.hash, at: new Date(nowMs).toISOString() })
  return undefined
}
