// The bundles: what each client gets to see, as one list.

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
      about="What a client gets to see: tools of several backends as one list, each still governed where it lives."
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
        about: 'Models choose better among twenty tools than among two hundred. Give each client the ones it needs.',
      }}
    />
  )
}
