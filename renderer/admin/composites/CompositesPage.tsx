// The composites: several steps over tools, each callable as one through the bundles that list it.
import { useNavigate } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { type CompositeSummary, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { countColumn, nameColumn, stateColumn } from '../../ui/columns.tsx'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
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
        <Badge tone="warn">no bundle: nobody can call it</Badge>
      ) : (
        <span className="block max-w-64 truncate text-ink-2">{bundles.join(', ')}</span>
      ),
  },
]

export function CompositesPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const list = usePaged(['composites', 'list'], (paging) => api.composites.list({ query: paging }))
  const add = mayUse(actor, 'admin') && { label: 'New composite', to: '/add-composite' }
  return (
    <ListPage
      title="Composites"
      about="Several tools in order, callable as one. Each step passes every guard as its caller’s own call."
      add={add}
      noun="composite"
      placeholder="Name or description"
      list={list}
      wordsOf={({ name, description }) => `${name} ${description ?? ''}`}
      columns={COLUMNS}
      rowKey={({ name }) => name}
      onOpen={({ name }) => void navigate({ to: `/composites/${name}` })}
      empty={{
        icon: Workflow,
        title: 'No composite yet',
        about:
          'What an agent does in three calls every time can be one: cheaper for the model, and always in the same order.',
      }}
    />
  )
}
