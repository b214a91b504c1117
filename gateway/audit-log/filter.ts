// Filters of audit entries, for lists and exports.
import type { Query } from '../storage/schema.ts'

export type AuditFilters = {
  readonly actor?: string | undefined
  /** An exact action, or a prefix if it ends in a dot. */
  readonly action?: string | undefined
  readonly target?: string | undefined
  /** ISO, inclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Null reads the whole log. */
export type OfTeam = { readonly teamId: number | null }

export function filtered(query: Query, { actor, action, target, from, to, teamId }: AuditFilters & OfTeam) {
  return query
    .selectFrom('audit_log')
    .$if(teamId !== null, (rows) => rows.where('team_id', '=', teamId))
    .$if(actor !== undefined, (rows) => rows.where('actor', '=', actor ?? ''))
    .$if(target !== undefined, (rows) => rows.where('target', '=', target ?? ''))
    .$if(from !== undefined, (rows) => rows.where('created_at', '>=', from ?? ''))
    .$if(to !== undefined, (rows) => rows.where('created_at', '<=', to ?? ''))
    .$if(action !== undefined, (rows) =>
      rows.where(({ eb }) => {
        const wanted = action ?? ''
        if (!wanted.endsWith('.')) return eb('action', '=', wanted)
        // Not LIKE: an underscore in `mcp_key.` would match any character.
        return eb(eb.fn<string>('substr', ['action', eb.val(1), eb.fn('length', [eb.val(wanted)])]), '=', wanted)
      }),
    )
}
