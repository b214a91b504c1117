// The bundles: what each client gets to see, as one list.
import { useNavigate } from '@tanstack/react-router'
import { Boxes, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { type BundleSummary, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { NameDialog } from './NameDialog.tsx'
import { useBundleChanges } from './use-bundle-changes.ts'

const COLUMNS: readonly Column<BundleSummary>[] = [
  {
    key: 'name',
    title: 'Bundle',
    sortBy: ({ name }) => name,
    cell: ({ name, description }) => (
      <span className="flex min-w-0 items-baseline gap-2">
        <span className="font-medium whitespace-nowrap">{name}</span>
        {description && <span className="max-w-96 truncate text-xs text-ink-3">{description}</span>}
      </span>
    ),
  },
  {
    key: 'state',
    title: 'State',
    width: 'w-32',
    sortBy: ({ enabled }) => (enabled ? 0 : 1),
    cell: ({ enabled }) => (
      <Badge tone={enabled ? 'ok' : 'neutral'} dot>
        {enabled ? 'Served' : 'Disabled'}
      </Badge>
    ),
  },
  {
    key: 'tools',
    title: 'Tools',
    width: 'w-24',
    align: 'right',
    sortBy: ({ toolsCount }) => toolsCount,
    cell: ({ toolsCount }) => toolsCount,
  },
  {
    key: 'composites',
    title: 'Composites',
    width: 'w-28',
    align: 'right',
    sortBy: ({ compositesCount }) => compositesCount,
    cell: ({ compositesCount }) => compositesCount,
  },
  {
    key: 'missing',
    title: 'Missing',
    width: 'w-28',
    sortBy: ({ missingCount }) => missingCount,
    cell: ({ missingCount }) =>
      missingCount > 0 ? <Badge tone="warn">{missingCount} missing</Badge> : <span className="text-ink-3">–</span>,
  },
  {
    key: 'path',
    title: 'Address',
    cell: ({ mcpPath }) => <code className="font-mono text-xs text-ink-2">{mcpPath}</code>,
  },
]

export function BundlesPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const [params, change] = useUrlParams()
  const [naming, setNaming] = useState(false)
  const { create } = useBundleChanges()
  const filter = params.q ? { q: params.q } : {}
  const list = usePaged(['bundles', 'list', filter], (paging) => api.bundles.list({ query: { ...filter, ...paging } }))
  const add = mayUse(actor, 'admin') && (
    <Button look="strong" onClick={() => setNaming(true)}>
      <Plus />
      New bundle
    </Button>
  )
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title="Bundles"
        about="What a client gets to see: tools of several backends as one list, each still governed where it lives."
        actions={add}
      />
      <search className="flex items-center gap-3 border-b border-line px-6 pb-3">
        <SearchInput
          label="Find a bundle"
          placeholder="Name or description"
          value={params.q ?? ''}
          onChange={(q) => change({ q })}
        />
      </search>
      <Table
        className="min-h-0 grow"
        label="Bundles"
        columns={COLUMNS}
        {...list.table}
        rowKey={({ name }) => name}
        onOpen={({ name }) => void navigate({ to: `/bundles/${name}` })}
        empty={
          params.q ? (
            <EmptyState icon={Search} title="No bundle matches" about={`None goes by “${params.q}”.`} />
          ) : (
            <EmptyState
              icon={Boxes}
              title="No bundle yet"
              about="Models choose better among twenty tools than among two hundred. Give each client the ones it needs."
              action={add}
            />
          )
        }
      />
      <NameDialog
        open={naming}
        onClose={() => setNaming(false)}
        title="New bundle"
        submit="Create bundle"
        withDescription
        onSubmit={async (name, description) => {
          const made = await create(name, description)
          void navigate({ to: `/bundles/${made.name}` })
        }}
      />
    </div>
  )
}
