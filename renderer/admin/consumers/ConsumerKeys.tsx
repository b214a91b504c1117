// The keys of a consumer.
import { type Consumer, type KeyRecord, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { findKeys } from '../../api/find.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { timeColumn } from '../../ui/columns.tsx'
import { MemberList } from '../../ui/MemberList.tsx'
import { usePaged } from '../../ui/paged.tsx'
import type { Column } from '../../ui/Table.tsx'
import { KEY_COLUMNS } from '../keys/key-columns.tsx'
import { reachInWords } from '../keys/reach.ts'
import { useConsumerChanges } from './use-consumer-changes.ts'

const COLUMNS: readonly Column<KeyRecord>[] = [
  ...KEY_COLUMNS,
  timeColumn('used', t('Last used'), ({ lastUsedAt }) => lastUsedAt),
]

const nameOf = ({ label, keyPrefix }: KeyRecord): string => `${label} (${keyPrefix}…)`

export function ConsumerKeys({ consumer }: { readonly consumer: Consumer }) {
  const administers = mayUse(useActor(), 'admin')
  const { giveKey } = useConsumerChanges()
  const list = usePaged(['keys', 'of-consumers'], (paging) => api.mcpKeys.list({ query: paging }))
  return (
    <MemberList
      title={t('Keys')}
      about={t('Their calls share one quota.')}
      list={list}
      mine={(key) => key.consumerId === consumer.id}
      nameOf={nameOf}
      columns={COLUMNS}
      empty={t('This consumer has no keys.')}
      give={
        administers && {
          label: t('Add a key'),
          queryKey: ['keys', 'not-of', String(consumer.id)],
          find: findKeys,
          may: (key) => key.revokedAt === null,
          aboutOf: (key) => (key.consumerId === null ? reachInWords(key) : t('belongs to another consumer now')),
          none: t('No other keys.'),
          onAdd: (key) =>
            giveKey(key, consumer.id, t('“{label}” counts for {name} now', { label: key.label, name: consumer.name })),
          onTake: (key) => ({
            title: t('Remove “{label}” from {name}?', { label: key.label, name: consumer.name }),
            about: t('It keeps working, without the consumer’s limits.'),
            confirm: t('Remove'),
            run: () => giveKey(key, null, t('“{label}” has no consumer now', { label: key.label })),
          }),
        }
      }
    />
  )
}
