// The palette's server-side search over all permitted kinds of records.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { mayUse } from '#contract'
import { nameOf as scheduleName, whenOf } from '../admin/schedules/labels.ts'
import {
  findBackends,
  findBundles,
  findCalls,
  findComposites,
  findConsumers,
  findKeys,
  findPolicies,
  findSchedules,
  findTeams,
  findTools,
  findUsers,
} from '../api/find.ts'
import { useActor } from '../api/session.ts'
import { t } from '../language/language.ts'
import type { Asked } from './palette-verbs.ts'
import { RECORD_KINDS, type Recent } from './recent.ts'

export type Kind = Recent['kind']
export type PaletteRecord = { readonly kind: Kind; readonly name: string; readonly about: string; readonly to: string }
type Found = { readonly records: readonly PaletteRecord[]; readonly failed: unknown }

const EACH = 6
const EACH_OF_ONE = 20

const FINDERS: Readonly<Record<Kind, (q: string) => Promise<readonly PaletteRecord[]>>> = {
  backend: async (q) =>
    (await findBackends(q)).items.map(({ name, enabled, toolsCount }) => ({
      kind: 'backend',
      name,
      about: enabled ? t('{toolsCount} tools', { toolsCount }) : t('disabled'),
      to: `/backends/${name}`,
    })),
  tool: async (q) =>
    (await findTools(q)).items.map(({ client, tool, alias }) => ({
      kind: 'tool',
      name: alias ?? tool,
      about: client,
      to: `/tools/${client}/${encodeURIComponent(tool)}`,
    })),
  bundle: async (q) =>
    (await findBundles(q)).items.map(({ name, toolsCount }) => ({
      kind: 'bundle',
      name,
      about: t('{toolsCount} tools', { toolsCount }),
      to: `/bundles/${name}`,
    })),
  key: async (q) =>
    (await findKeys(q)).items.map(({ label, keyPrefix }) => ({
      kind: 'key',
      name: label,
      about: `${keyPrefix}…`,
      to: `/keys?${new URLSearchParams({ q: label })}`,
    })),
  composite: async (q) =>
    (await findComposites(q)).items.map(({ name, stepsCount }) => ({
      kind: 'composite',
      name,
      about: t('{stepsCount} steps', { stepsCount }),
      to: `/composites/${name}`,
    })),
  consumer: async (q) =>
    (await findConsumers(q)).items.map(({ id, name, keys }) => ({
      kind: 'consumer',
      name,
      about: t('{keys} keys', { keys }),
      to: `/consumers/${id}`,
    })),
  policy: async (q) =>
    (await findPolicies(q)).items.map(({ id, name }) => ({ kind: 'policy', name, about: '', to: `/policies/${id}` })),
  team: async (q) =>
    (await findTeams(q)).items.map(({ id, name }) => ({ kind: 'team', name, about: '', to: `/teams/${id}` })),
  user: async (q) =>
    (await findUsers(q)).items.map(({ username, role }) => ({
      kind: 'user',
      name: username,
      about: role,
      to: `/users?${new URLSearchParams({ q: username })}`,
    })),
  schedule: async (q) =>
    (await findSchedules(q)).items.map((schedule) => ({
      kind: 'schedule',
      name: scheduleName(schedule),
      about: whenOf(schedule),
      to: `/schedules?${new URLSearchParams({ client: schedule.clientName, q: scheduleName(schedule) })}`,
    })),
  call: async (q) =>
    REQUEST_ID.test(q)
      ? (await findCalls(q)).items.slice(0, 1).map(({ requestId, tool, outcome }) => ({
          kind: 'call',
          name: requestId,
          about: `${tool}, ${outcome}`,
          to: `/calls?${new URLSearchParams({ request: requestId })}`,
        }))
      : [],
}

/** Request ids are searched only when complete. */
const REQUEST_ID = /^[\w-]{16,128}$/

/** Kinds that need a role. */
const ACCESS: Partial<Readonly<Record<Kind, Access>>> = { user: 'superadmin', call: 'operator' }
type Access = Parameters<typeof mayUse>[1]

export function usePaletteRecords({ verb, words }: Asked) {
  const actor = useActor()
  const kinds = RECORD_KINDS.filter(
    (kind) => (verb === undefined || verb.kind === kind) && mayUse(actor, ACCESS[kind] ?? 'viewer'),
  )
  return useQuery({
    queryKey: ['palette', kinds, words],
    enabled: words !== '' || verb !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async (): Promise<Found> => {
      const lists = await Promise.allSettled(kinds.map((kind) => FINDERS[kind](words)))
      return {
        records: lists.flatMap((list) =>
          list.status === 'fulfilled' ? list.value.slice(0, verb ? EACH_OF_ONE : EACH) : [],
        ),
        failed: lists.find((list) => list.status === 'rejected')?.reason,
      }
    },
  })
}
