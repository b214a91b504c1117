// The list of composites.

import { Workflow } from 'lucide-react'
import type { CompositeSummary } from '#contract'
import { api } from '../../api/api.ts'
import { Badge } from '../../ui/Badge.tsx'
import { countColumn, nameColumn, stateColumn } from '../../ui/columns.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'

const COLUMNS: readonly Column<CompositeSummary>[] = [
  nameColumn(
    'Composite',
    ({ name }) => name,
    ({ description }) => description,
  ),
  stateColumn(({ enabled }) => (enabled ? ['ok', 'Enabled'] : ['neutral', 'Disabled'])),
  countColumn('steps', 'Steps', ({ stepsCount }) => stepsCount),
  {
    key: 'bundles',
    title: 'Listed in',
    width: 'w-72',
    cell: ({ bundles }) =>
      bundles.length === 0 ? (
        <Badge tone="warn">in no bundle, not callable</Badge>
      ) : (
        <span className="block max-w-64 truncate text-ink-2">{bundles.join(', ')}</span>
      ),
  },
]

export const CompositesPage = () => (
  <RecordsPage
    title="Composites"
    about="Several tools in sequence, called as one. Each step passes all guards as its caller’s own call."
    noun="composite"
    placeholder="Name or description"
    queryKey={['composites', 'list']}
    read={(query) => api.composites.list({ query })}
    writer="admin"
    addAt="/add-composite"
    path="/composites"
    wordsOf={({ name, description }) => `${name} ${description ?? ''}`}
    columns={COLUMNS}
    empty={{
      icon: Workflow,
      title: 'No composite yet',
      about: 'Turn a repeated series of calls into one: cheaper for the model, and always in the same order.',
    }}
  />
)
