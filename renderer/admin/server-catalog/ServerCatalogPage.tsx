// The MCP servers that a registry lists. The registry is asked when a person searches, not when the page opens.
import { PackageSearch, Search } from 'lucide-react'
import type { ListedServer } from '#contract'
import { api } from '../../api/api.ts'
import { hasServerAdding } from '../../api/servers.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Named, timeColumn } from '../../ui/columns.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { AddBundle } from './AddBundle.tsx'
import { CatalogSheet } from './CatalogSheet.tsx'
import { packageText, StaleNote } from './catalog-words.tsx'

const COLUMNS: readonly Column<ListedServer>[] = [
  {
    key: 'name',
    title: t('Server'),
    grow: true,
    cell: ({ name, description }) => <Named name={name} about={description} />,
  },
  {
    key: 'package',
    title: t('Package'),
    width: 'w-56',
    cell: ({ packages: [first] }) => (
      <span className="block max-w-56 truncate text-xs text-ink-2">
        {first === undefined ? t('runs elsewhere') : packageText(first)}
      </span>
    ),
  },
  {
    key: 'version',
    title: t('Version'),
    width: 'w-24',
    cell: ({ version }) => <span className="block max-w-24 truncate text-xs text-ink-2">{version}</span>,
  },
  timeColumn('published', t('Published'), ({ publishedAt }) => publishedAt, 'w-32'),
]

export function ServerCatalogPage() {
  const [{ q = '', all, server }, change] = useUrlParams()
  const wanted = q !== '' || all !== undefined
  const list = usePaged(
    ['server-catalog', q],
    ({ cursor }) => api.serverCatalog.search({ query: { search: q, ...(cursor ? { cursor } : {}) } }),
    { enabled: wanted },
  )
  const source = list.pages[0]?.source
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Server catalog')}
        about={t('MCP servers of a registry. Nothing is installed or started from this list.')}
        {...(hasServerAdding() && { actions: <AddBundle /> })}
      />
      <search className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-6 pb-3">
        <SearchInput
          label={t('Find a server')}
          placeholder={t('Name of a server')}
          value={q}
          onChange={(next) => change({ q: next, all: undefined })}
        />
        {source && (
          <span className="min-w-0 truncate text-xs text-ink-3">{t('Registry: {url}', { url: source.url })}</span>
        )}
      </search>
      {source && <StaleNote source={source} />}
      {wanted ? (
        <Table
          className="min-h-0 grow"
          label={t('Server catalog')}
          columns={COLUMNS}
          {...list.table}
          rowKey={({ name }) => name}
          onOpen={({ name }) => change({ server: name })}
          empty={<EmptyState icon={Search} title={t('No servers found')} about={t('The registry searches by name.')} />}
        />
      ) : (
        <EmptyState
          icon={PackageSearch}
          title={t('Search the registry')}
          about={t('The gateway asks the registry when you search, and keeps what it read for later.')}
          action={<Button onClick={() => change({ all: '1' })}>{t('Show all servers')}</Button>}
        />
      )}
      <CatalogSheet name={server} onClose={() => change({ server: undefined })} />
    </div>
  )
}
