// The list of bundles.

import { Boxes } from 'lucide-react'
import type { BundleSummary } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { countColumn, nameColumn, stateColumn } from '../../ui/columns.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { NewBundle } from './BundleDialog.tsx'

const COLUMNS: readonly Column<BundleSummary>[] = [
  nameColumn(
    t('Bundle'),
    ({ name }) => name,
    ({ description }) => description,
  ),
  stateColumn(({ enabled }) => (enabled ? ['ok', t('Served')] : ['neutral', t('Disabled')])),
  countColumn('tools', t('Tools'), ({ toolsCount }) => toolsCount),
  countColumn('composites', t('Composites'), ({ compositesCount }) => compositesCount, 'w-28'),
  {
    key: 'missing',
    title: t('Missing'),
    width: 'w-28',
    sortBy: ({ missingCount }) => missingCount,
    cell: ({ missingCount }) =>
      missingCount > 0 ? (
        <Badge tone="warn">{t('{missingCount} missing', { missingCount })}</Badge>
      ) : (
        <span className="text-ink-3">–</span>
      ),
  },
  {
    key: 'path',
    title: t('Address'),
    width: 'w-72',
    cell: ({ mcpPath }) => <code className="block max-w-64 truncate font-mono text-xs text-ink-2">{mcpPath}</code>,
  },
]

export function BundlesPage() {
  const [{ q }] = useUrlParams()
  const filter = q ? { q } : {}
  return (
    <RecordsPage
      title={t('Bundles')}
      about={t('Group tools from several backends for one client. Each tool keeps its own policies.')}
      noun={t('bundle')}
      placeholder={t('Name or description')}
      queryKey={['bundles', 'list', filter]}
      read={(query) => api.bundles.list({ query: { ...filter, ...query } })}
      writer="admin"
      path="/bundles"
      columns={COLUMNS}
      renderDialog={(props) => <NewBundle {...props} />}
      empty={{
        icon: Boxes,
        title: t('No bundle yet'),
        about: t('Models choose better among 20 tools than among 200. Give each client only the tools it needs.'),
      }}
    />
  )
}
