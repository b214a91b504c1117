// What the numbers in audit entries stand for now: labels of keys, tools of approvals and schedules. No part of the hash.
import type { AuditEntry } from '#contract'
import type { Query } from '../storage/schema.ts'

type Names = ReadonlyMap<number, string>

const KEY_ACTOR = /^mcp-key:(\d{1,15})$/

/** Of the own team; others, and deleted records, stay numbers. */
export async function withNames(
  query: Query,
  entries: readonly AuditEntry[],
  teamId: number | null,
): Promise<AuditEntry[]> {
  const targets = (noun: string): number[] =>
    entries.flatMap(({ action, target }) =>
      action.startsWith(`${noun}.`) && /^\d{1,15}$/.test(target) ? [Number(target)] : [],
    )
  const actors = entries.flatMap(({ actor }) => KEY_ACTOR.exec(actor)?.[1] ?? []).map(Number)
  const mine = <T extends { readonly team_id: number | null }>(rows: readonly T[]): T[] =>
    rows.filter(({ team_id }) => teamId === null || team_id === teamId)
  const [keys, approvals, schedules] = await Promise.all([
    named([...targets('mcp_key'), ...actors], async (ids) =>
      mine(await query.selectFrom('mcp_keys').select(['id', 'label', 'team_id']).where('id', 'in', ids).execute()).map(
        ({ id, label }) => [id, label],
      ),
    ),
    named(targets('approval'), async (ids) =>
      mine(
        await query
          .selectFrom('approvals')
          .select(['id', 'client_name', 'tool_name', 'team_id'])
          .where('id', 'in', ids)
          .execute(),
      ).map(({ id, client_name, tool_name }) => [id, `${client_name}__${tool_name}`]),
    ),
    named(targets('schedule'), async (ids) =>
      mine(
        await query
          .selectFrom('schedules')
          .select(['id', 'client_name', 'tool_name', 'action', 'team_id'])
          .where('id', 'in', ids)
          .execute(),
      ).map(({ id, client_name, tool_name, action }) => [
        id,
        `${action} ${tool_name === null ? client_name : `${client_name}__${tool_name}`}`,
      ]),
    ),
  ])
  const byNoun: Readonly<Record<string, Names>> = { mcp_key: keys, approval: approvals, schedule: schedules }
  return entries.map((entry) => {
    const actorLabel = keys.get(Number(KEY_ACTOR.exec(entry.actor)?.[1]))
    const targetLabel = byNoun[entry.action.split('.', 1)[0] ?? '']?.get(Number(entry.target))
    return {
      ...entry,
      ...(actorLabel === undefined ? {} : { actorLabel }),
      ...(targetLabel === undefined ? {} : { targetLabel }),
    }
  })
}

async function named(
  ids: readonly number[],
  read: (ids: readonly number[]) => Promise<readonly (readonly [number, string])[]>,
): Promise<Names> {
  return new Map(ids.length === 0 ? [] : await read([...new Set(ids)]))
}
