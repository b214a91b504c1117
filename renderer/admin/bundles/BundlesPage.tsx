// The list of bundles.

import { Boxes } from 'lucide-react'
import type { BundleSummary } from '#contract'
import { api } from '../../api/api.ts'
import { Badge } from '../../ui/Badge.tsx'
import { countColumn, nameColumn, stateColumn } from '../../ui/columns.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { NewBundle } from './BundleDialog.tsx'

const COLUMNS: readonly Column<BundleSummary>[] = [
  nameColumn(
    'Bundle',
    ({ name }) => name,
    ({ description }) => description,
  ),
  stateColumn(({ enabled }) => (enabled ? ['ok', 'Served'] : ['neutral', 'Disabled'])),
  countColumn('tools', 'Tools', ({ toolsCount }) => toolsCount),
  countColumn('composites', 'Composites', ({ compositesCount }) => compositesCount, 'w-28'),
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
    width: 'w-72',
    cell: ({ mcpPath }) => <code className="block max-w-64 truncate font-mono text-xs text-ink-2">{mcpPath}</code>,
  },
]

export function BundlesPage() {
  const [{ q }] = useUrlParams()
  const filter = q ? { q } : {}
  return (
    <RecordsPage
      title="Bundles"
      about="Group tools from several backends for one client. Each tool keeps its own policies."
      noun="bundle"
      placeholder="Name or description"
      queryKey={['bundles', 'list', filter]}
      read={(query) => api.bundles.list({ query: { ...filter, ...query } })}
      writer="admin"
      path="/bundles"
      columns={COLUMNS}
      renderDialog={(props) => <NewBundle {...props} />}
      empty={{
        icon: Boxes,
        title: 'No bundle yet',
        about: 'Models choose better among 20 tools than among 200. Give each client only the tools it needs.',
      }}
    />
  )
}
