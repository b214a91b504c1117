// The audit log: filters in the URL, infinite scroll, entries beside the list.
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowUp, ScrollText } from 'lucide-react'
import { useState } from 'react'
import type { AuditEntry } from '#contract'
import { api } from '../../api/api.ts'
import { useTopic } from '../../api/live.ts'
import { plural, t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatMoment } from '../../ui/format.ts'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { type Column, queried, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { ActionBadge } from './ActionBadge.tsx'
import { AuditEntrySheet } from './AuditEntrySheet.tsx'
import { AuditFilterBar } from './AuditFilterBar.tsx'
import { ChainBadge } from './ChainBadge.tsx'
import { ExportMenu } from './ExportMenu.tsx'
import { actorName, targetName } from './entry-names.ts'
import { type AuditFilters, FILTERS, filtersOf } from './filters.ts'

const PAGE_SIZE = '100'

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    key: 'id',
    title: '#',
    spare: true,
    width: 'w-20',
    cell: (entry) => <span className="font-mono text-xs text-ink-3">{entry.id}</span>,
  },
  {
    key: 'time',
    title: t('Time'),
    width: 'w-44',
    cell: (entry) => (
      <time dateTime={entry.created_at} className="whitespace-nowrap text-ink-2">
        {formatMoment(entry.created_at)}
      </time>
    ),
  },
  { key: 'action', title: t('Action'), width: 'w-52', cell: (entry) => <ActionBadge action={entry.action} /> },
  {
    key: 'actor',
    title: t('Actor'),
    width: 'w-48',
    cell: (entry) => (
      <span className="block max-w-48 truncate font-medium" title={entry.actor}>
        {actorName(entry)}
      </span>
    ),
  },
  {
    key: 'target',
    title: t('Target'),
    grow: true,
    cell: (entry) => (
      <span className="block truncate" title={entry.target}>
        {targetName(entry)}
      </span>
    ),
  },
  {
    key: 'hash',
    title: t('Hash'),
    spare: true,
    width: 'w-28',
    cell: (entry) => <span className="font-mono text-xs text-ink-3">{entry.hash.slice(0, 10)}</span>,
  },
]

export function AuditLogPage() {
  const [params, change] = useUrlParams()
  const filters = filtersOf(params)
  const { log, entries, unseen, showUnseen } = useAuditLog(filters)
  const opened = entries.find((entry) => String(entry.id) === params.entry)
  const open = (entry: AuditEntry | undefined) => change({ entry: entry && String(entry.id) })
  const filtered = Object.keys(filters).length > 0
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Audit log')}
        badge={<ChainBadge />}
        about={t('All changes with their author, in a hash chain that reveals tampering.')}
        actions={<ExportMenu filters={filters} />}
      />
      <AuditFilterBar filters={filters} onChange={change} />
      <div className="relative min-h-0 grow">
        {unseen > 0 && (
          <Button
            look="strong"
            size="sm"
            className="absolute top-10 left-1/2 z-20 -translate-x-1/2 rounded-full!"
            onClick={showUnseen}
          >
            <ArrowUp />
            {plural(unseen, '{count} new entry', '{count} new entries')}
          </Button>
        )}
        <Table
          className="h-full"
          label={t('Audit entries, newest first')}
          columns={COLUMNS}
          rows={entries}
          rowKey={(entry) => entry.id}
          onOpen={open}
          openKey={opened?.id}
          {...queried(log)}
          empty={<Empty filtered={filtered} onClear={() => change(Object.fromEntries(FILTERS.map((f) => [f, ''])))} />}
          foot={
            log.data && (
              <LoadMore
                more={log.hasNextPage}
                loading={log.isFetchingNextPage}
                error={log.isFetchNextPageError ? log.error : undefined}
                onLoad={() => void log.fetchNextPage()}
                end={filtered ? t('No more entries match') : t('The log begins here')}
              />
            )
          }
        />
      </div>
      <AuditEntrySheet entry={opened} entries={entries} onOpen={open} onFilter={change} />
    </div>
  )
}

/** New entries appear at the top; when scrolled down they wait, so that rows do not move. */
function useAuditLog(filters: AuditFilters) {
  const queries = useQueryClient()
  const [unseen, setUnseen] = useState(0)
  const key = ['audit-log', filters]
  const log = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) =>
      api.auditLog.list({ query: { ...filters, limit: PAGE_SIZE, ...(pageParam ? { cursor: pageParam } : {}) } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })
  const pages = log.data?.pages ?? []
  useTopic('audit', () => {
    if (pages.length <= 1) void queries.invalidateQueries({ queryKey: key })
    else setUnseen((count) => count + 1)
  })
  return {
    log,
    entries: pages.flatMap((page) => page.items),
    unseen,
    showUnseen: () => {
      setUnseen(0)
      void queries.resetQueries({ queryKey: key })
    },
  }
}

function Empty({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  return filtered ? (
    <EmptyState
      icon={ScrollText}
      title={t('No entry matches')}
      about={t('Widen the time or clear a filter.')}
      action={<Button onClick={onClear}>{t('Clear all filters')}</Button>}
    />
  ) : (
    <EmptyState
      icon={ScrollText}
      title={t('No entries yet')}
      about={t('Every change to the gateway is recorded here with author and time.')}
    />
  )
}
