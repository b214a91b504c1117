// Answers that are larger than what a tool may return are kept for their caller, who asks about them by a handle.

import type { ExportFormat } from '../../outcome/kept/export.ts'
import type { ResultPlace, ResultQuery } from '../../outcome/kept/query.ts'
import { handleHash, newHandle } from '../../outcome/kept/seal.ts'
import type { CallToolResult } from '../../outcome/outcome.ts'
import { exportedBeside, pickedBeside, queriedBeside, sealedBeside } from '../../outcome/threads/index.ts'
import type { KeptResult, KeptResultStore } from '../../storage/kept-results.ts'
import { createMutex } from '../../storage/mutex.ts'
import type { Clock } from '../../telemetry/clock.ts'
import type { Caller, Reserved } from '../call.ts'

/** Who may ask: this principal, in this session where it has one. */
export type Owner = { readonly principal: string; readonly sessionHash: string | null }

/** What a trusted key received for one person does not exist for another. */
export function ownerOf({
  caller: { name, namesPeople },
  reserved: { endUser },
  sessionHash,
}: {
  readonly caller: Pick<Caller, 'name' | 'namesPeople'>
  readonly reserved: Pick<Reserved, 'endUser'>
  readonly sessionHash: string | null
}): Owner {
  return { principal: namesPeople && endUser !== null ? `${name} for ${endUser}` : name, sessionHash }
}

export type KeptFor = {
  readonly handle: string
  readonly bytes: number
  readonly expiresMs: number
  readonly outline: string
  readonly begins: string
}

/** The tool whose answer it is; a script is of no backend. */
export type Origin = { readonly client: string | null; readonly tool: string | null }

/** `of`: where a result was found. */
export type Answer = ({ readonly text: string } | { readonly problem: string }) & { readonly of?: Origin }

type Parts = {
  readonly store: KeptResultStore
  readonly clock: Clock
  readonly settings: {
    readonly RESULT_HANDLE_TTL_MS: number
    readonly RESULT_HANDLES_MAX_BYTES: number
    readonly MAX_BODY_BYTES: number
  }
}

/** As a thread opens it; without portions where it may have it from the question before. */
type Sealed = { readonly handle: string; readonly portions?: readonly string[]; readonly mostBytes: number }

export type KeptResults = ReturnType<typeof createKeptResults>

type MayOpen = (principal: string) => Promise<boolean>
const isOf =
  ({ principal, sessionHash }: Owner) =>
  (row: KeptResult): boolean =>
    row.principal === principal && row.session_hash === sessionHash

/** Of what a link leads to at once. */
const MOST_READ = 16 * 1024 * 1024
const READ = 'that is read at once: after "#" in the address name a part of it, or ask result_query'
/** Of a page that a person looks at. */
const MOST_LOOKED_AT = 256 * 1024
/** Of all that is kept, one principal may hold this share. */
const OWN_SHARE = 0.25
const ENDED: Answer = {
  problem:
    'No result is kept under this handle: it has ended, or it belongs to another session. Call the tool again, and use the handle of its answer',
}

export function createKeptResults({ store, clock, settings }: Parts) {
  const most = settings.RESULT_HANDLES_MAX_BYTES
  const turn = createMutex()

  async function ask(
    handle: string,
    isTheirs: (row: KeptResult) => boolean | Promise<boolean>,
    answer: (sealed: Sealed) => Promise<Answer | { readonly unread: true }>,
  ): Promise<Answer> {
    const row = await store.find(handleHash(handle))
    if (row === undefined || row.expires_ms <= clock.now() || !(await isTheirs(row))) return ENDED
    const of = { client: row.client, tool: row.tool }
    // A thread may have it from the question before.
    const sealed = { handle, mostBytes: row.most_bytes }
    const known = await answer(sealed)
    if (!('unread' in known)) return { ...known, of }
    const read = await answer({ ...sealed, portions: await store.portions(row) })
    return 'unread' in read ? ENDED : { ...read, of }
  }

  /** Makes it of what has ended, then of the oldest of the same principal. */
  async function hasRoom(principal: string, bytes: number, nowMs: number): Promise<boolean> {
    await store.dropEnded(nowMs)
    const { all, own } = await store.held(principal, nowMs)
    const tooMuch = Math.max(0, own + bytes - most * OWN_SHARE)
    if (tooMuch > 0) await store.dropOldest(principal, tooMuch)
    return all - tooMuch + bytes <= most
  }

  return {
    /** Undefined where it holds no data, or there is no room for it. */
    async keep(result: CallToolResult, owner: Owner, mostBytes: number, of: Origin): Promise<KeptFor | undefined> {
      const handle = newHandle()
      const sealed = await sealedBeside(handle, result)
      if (sealed === undefined || sealed.bytes > most * OWN_SHARE) return undefined
      const { portions, bytes, outline, begins } = sealed
      // One at a time: the next one counts this one.
      const leave = await turn.take()
      try {
        const nowMs = clock.now()
        if (!(await hasRoom(owner.principal, bytes, nowMs))) return undefined
        const expiresMs = nowMs + settings.RESULT_HANDLE_TTL_MS
        const row = {
          handle_hash: handleHash(handle),
          principal: owner.principal,
          session_hash: owner.sessionHash,
          bytes,
          portions: portions.length,
          most_bytes: mostBytes,
          expires_ms: expiresMs,
          ...of,
        }
        await store.put(row, portions)
        return { handle, bytes, expiresMs, outline, begins }
      } finally {
        leave()
      }
    },

    query: (handle: string, owner: Owner, query: ResultQuery): Promise<Answer> =>
      ask(handle, isOf(owner), (sealed) => queriedBeside({ ...sealed, query })),

    /** For a person who has the handle and may see its caller. */
    look: (handle: string, may: MayOpen, query: ResultQuery): Promise<Answer> =>
      ask(
        handle,
        ({ principal }) => may(principal),
        (sealed) => queriedBeside({ ...sealed, query, mostBytes: MOST_LOOKED_AT }),
      ),

    /** As Base64. */
    export: (handle: string, may: MayOpen, from: ResultPlace, format: ExportFormat): Promise<Answer> =>
      ask(
        handle,
        ({ principal }) => may(principal),
        (sealed) => exportedBeside({ ...sealed, from, format }),
      ),

    /** The JSON of it, or of a part of it: what a link in an answer leads to. */
    read: (handle: string, owner: Owner, pointer: string): Promise<Answer> =>
      ask(handle, isOf(owner), (sealed) => pickedBeside({ ...sealed, pointer, mostBytes: MOST_READ, as: READ })),

    /** The JSON of a value in it, as an argument of another call. */
    pick: (handle: string, owner: Owner, pointer: string): Promise<Answer> =>
      ask(handle, isOf(owner), (sealed) =>
        pickedBeside({
          ...sealed,
          pointer,
          mostBytes: settings.MAX_BODY_BYTES,
          as: 'of an argument',
        }),
      ),
  }
}
