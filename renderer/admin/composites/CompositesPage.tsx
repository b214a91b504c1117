// The list of composites.

import { Workflow } from 'lucide-react'
import type { CompositeSummary } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { countColumn, nameColumn, stateColumn } from '../../ui/columns.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'

const COLUMNS: readonly Column<CompositeSummary>[] = [
  nameColumn(
    t('Composite'),
    ({ name }) => name,
    ({ description }) => description,
  ),
  stateColumn(({ enabled, approved }) => {
    if (!enabled) return ['neutral', t('Disabled')]
    return approved === false ? ['warn', t('waits for an approval')] : ['ok', t('Enabled')]
  }),
  {
    key: 'kind',
    title: t('Made of'),
    width: 'w-28',
    cell: ({ approved }) => (approved === null ? t('Steps') : t('Script')),
  },
  countColumn('steps', t('Steps'), ({ stepsCount }) => stepsCount),
  {
    key: 'bundles',
    title: t('Listed in'),
    width: 'w-72',
    cell: ({ bundles }) =>
      bundles.length === 0 ? (
        <Badge tone="warn">{t('in no bundle, not callable')}</Badge>
      ) : (
        <span className="block max-w-64 truncate text-ink-2">{bundles.join(', ')}</span>
      ),
  },
]

export const CompositesPage = () => (
  <RecordsPage
    title={t('Composites')}
    about={t('Several tools in sequence, called as one. Each step passes all guards as its caller’s own call.')}
    noun={t('composite')}
    placeholder={t('Name or description')}
    queryKey={['composites', 'list']}
    read={(query) => api.composites.list({ query })}
    writer="admin"
    addAt="/add-composite"
    path="/composites"
    wordsOf={({ name, description }) => `${name} ${description ?? ''}`}
    columns={COLUMNS}
    empty={{
      icon: Workflow,
      title: t('No composite yet'),
      about: t('Turn a repeated series of calls into one: cheaper for the model, and always in the same order.'),
    }}
  />
)
