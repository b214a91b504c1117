// The keys whose calls count for a consumer.
import { type Consumer, type KeyRecord, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { findKeys } from '../../api/find.ts'
import { useActor } from '../../api/session.ts'
import { Belongings } from '../../ui/Belongings.tsx'
import type { Question } from '../../ui/Dialog.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { Column } from '../../ui/Table.tsx'
import { KeyStateBadge } from '../keys/KeyStateBadge.tsx'
import { reachInWords } from '../keys/reach.ts'
import { useConsumerChanges } from './use-consumer-changes.ts'

const COLUMNS: readonly Column<KeyRecord>[] = [
  {
    key: 'label',
    title: 'Key',
    sortBy: ({ label }) => label,
    cell: ({ label, keyPrefix }) => (
      <span className="flex items-baseline gap-2">
        <span className="max-w-72 truncate font-medium">{label}</span>
        <code className="font-mono text-xs text-ink-3">{keyPrefix}…</code>
      </span>
    ),
  },
  { key: 'state', title: 'State', width: 'w-28', cell: (key) => <KeyStateBadge record={key} /> },
  {
    key: 'reach',
    title: 'Reaches',
    cell: (key) => <span className="block max-w-64 truncate text-ink-2">{reachInWords(key)}</span>,
  },
  {
    key: 'used',
    title: 'Last used',
    width: 'w-32',
    sortBy: ({ lastUsedAt }) => lastUsedAt ?? '',
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? <RelativeTime at={lastUsedAt} className="text-ink-2" /> : <span className="text-ink-3">Never</span>,
  },
]

const nameOf = ({ label, keyPrefix }: KeyRecord): string => `${label} (${keyPrefix}…)`

export function ConsumerKeys({
  consumer,
  onAsk,
}: {
  readonly consumer: Consumer
  readonly onAsk: (question: Question) => void
}) {
  const administers = mayUse(useActor(), 'admin')
  const { giveKey } = useConsumerChanges()
  const list = usePaged(['keys', 'of-consumers'], (paging) => api.mcpKeys.list({ query: paging }))
  return (
    <Belongings
      title="Keys"
      about="Their calls count together."
      list={list}
      mine={(key) => key.consumerId === consumer.id}
      nameOf={nameOf}
      columns={COLUMNS}
      empty="No key counts for this consumer."
      {...(administers
        ? {
            give: {
              label: 'Add a key',
              queryKey: ['keys', 'not-of', String(consumer.id)],
              find: findKeys,
              may: (key: KeyRecord) => key.revokedAt === null,
              aboutOf: (key: KeyRecord) =>
                key.consumerId === null ? reachInWords(key) : 'counts for another consumer now',
              none: 'There is no other key.',
              onAdd: (key: KeyRecord) => giveKey(key, consumer.id, `“${key.label}” counts for ${consumer.name} now`),
              onTake: (key: KeyRecord) => ({
                title: `Take “${key.label}” out of ${consumer.name}?`,
                about: 'It goes on working, without the limits of a consumer.',
                confirm: 'Take out',
                run: () => giveKey(key, null, `“${key.label}” counts for nobody now`),
              }),
              onAsk,
            },
          }
        : {})}
    />
  )
}
