// A person looks into a kept result: with its handle, which alone decrypts it, and where its caller is of their team.

import type { EXPORT_FORMATS, KeptResult } from '../../contract/admin/kept-results.ts'
import { GatewayError } from '../../contract/error.ts'
import type { Actor } from '../../contract/role.ts'
import type { Answer, KeptResults } from '../../pipeline/4-answers/kept-results.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import type { KeptResultStore } from '../../storage/kept-results.ts'
import type { Query } from '../../storage/schema.ts'

type Format = (typeof EXPORT_FORMATS)[number]
type Place = { path: string; jsonpath?: string | undefined; sql?: string | undefined }
type Deps = Pick<Base, 'clock' | 'changes'> & {
  readonly query: Query
  readonly store: Pick<KeptResultStore, 'newest'>
  readonly results: Pick<KeptResults, 'look' | 'export'>
}

const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
}
/** A key, and the person whom it named. */
const KEY = /^mcp-key:(\d+)(?: for .*)?$/s

export function createKeptResultViews({ clock, changes, query, store, results }: Deps) {
  /** Callers without a key are of no team. */
  async function mayOpen({ teamId }: Pick<Actor, 'teamId'>, principal: string): Promise<boolean> {
    if (teamId === null) return true
    const [, id] = KEY.exec(principal) ?? []
    if (id === undefined) return false
    const key = await query.selectFrom('mcp_keys').select('team_id').where('id', '=', Number(id)).executeTakeFirst()
    return key?.team_id === teamId
  }

  function required(answer: Answer): string {
    if ('text' in answer) return answer.text
    // The result is there: the question is invalid for it.
    if (answer.of) throw new GatewayError('VALIDATION_ERROR', answer.problem)
    throw new GatewayError('RESULT_NOT_FOUND', answer.problem)
  }

  async function opened(
    by: By,
    { handle, as, ...place }: Place & { handle: string; as: 'result.open' | 'result.export' },
    ask: (may: (principal: string) => Promise<boolean>) => Promise<Answer>,
  ): Promise<string> {
    let owner = ''
    const text = required(
      await ask(async (principal) => {
        owner = principal
        return mayOpen(by.actor, principal)
      }),
    )
    // The handle opens it, so the log holds a part of it only.
    await changes(by, (_tx, audit) => audit(as, `${handle.slice(0, 13)}…`, { ...place, principal: owner }))
    return text
  }

  return {
    async list(actor: Actor): Promise<{ items: KeptResult[] }> {
      const items: KeptResult[] = []
      for (const { principal, session_hash, client, tool, bytes, expires_ms } of await store.newest(clock.now()))
        if (await mayOpen(actor, principal))
          items.push({
            principal,
            session: session_hash,
            client,
            tool,
            bytes,
            expiresAt: new Date(expires_ms).toISOString(),
          })
      return { items }
    },

    open: async (
      by: By,
      { handle, offset, limit, ...place }: Place & { handle: string; offset: number; limit: number },
    ) => ({
      text: await opened(by, { handle, ...place, as: 'result.open' }, (may) =>
        results.look(handle, may, { ...place, where: [], offset, limit }),
      ),
    }),

    export: async (by: By, { handle, format, ...place }: Place & { handle: string; format: Format }) => ({
      name: `result.${format}`,
      type: TYPES[format],
      base64: await opened(by, { handle, ...place, as: 'result.export' }, (may) =>
        results.export(handle, may, place, format),
      ),
    }),
  }
}
