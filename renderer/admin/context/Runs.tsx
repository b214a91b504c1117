// The latest runs, and the report of one.
import { useQuery } from '@tanstack/react-query'
import { Route } from 'lucide-react'
import { useState } from 'react'
import type { Run, RunReport } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { countColumn, timeColumn } from '../../ui/columns.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { type Fact, Facts } from '../../ui/Facts.tsx'
import { formatBytes, formatCount, formatMoment } from '../../ui/format.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { type Column, queried, Table } from '../../ui/Table.tsx'

const COLUMNS: readonly Column<Run>[] = [
  {
    key: 'run',
    title: t('Run'),
    grow: true,
    sortBy: ({ program }) => program ?? '',
    cell: ({ program, principal, bundle, client }) => (
      <span className="flex min-w-0 items-baseline gap-2">
        <span className="truncate font-medium">{program ?? principal}</span>
        <span className="truncate text-xs text-ink-3">{bundle ?? client}</span>
      </span>
    ),
  },
  countColumn('calls', t('Calls'), ({ calls }) => calls),
  countColumn('refused', t('Refused'), ({ refused }) => refused),
  countColumn('tokens', t('Tokens returned'), ({ tokens }) => tokens, 'w-36'),
  timeColumn('to', t('Last call'), ({ to }) => to),
]

export function Runs() {
  const [open, setOpen] = useState<Run | undefined>()
  const runs = useQuery({ queryKey: ['usage', 'runs'], queryFn: () => api.context.runs({ query: {} }) })
  return (
    <>
      <Table
        className="h-full"
        label={t('Latest runs')}
        columns={COLUMNS}
        rows={runs.data?.items ?? []}
        rowKey={({ session }) => session}
        onOpen={setOpen}
        {...queried(runs)}
        empty={<EmptyState icon={Route} title={t('No runs in the last day')} about={t('A run is one MCP session.')} />}
      />
      <Dialog
        open={open !== undefined}
        onClose={() => setOpen(undefined)}
        title={t('Report of a run')}
        width="max-w-2xl"
      >
        {open && <Report session={open.session} />}
      </Dialog>
    </>
  )
}

const tokens = (count: number): string => t('{count} tokens', { count: formatCount(count) })

const factsOf = (run: RunReport): readonly Fact[] => [
  { name: t('Client'), value: run.program },
  { name: t('Caller'), value: run.principal },
  { name: t('List'), value: run.bundle ?? run.client },
  { name: t('Time'), value: `${formatMoment(run.from)} – ${formatMoment(run.to)}` },
  { name: t('Calls'), value: formatCount(run.calls) },
  { name: t('Tokens listed'), value: tokens(run.listed) },
  { name: t('Tokens returned'), value: `${tokens(run.tokens)}, ${formatBytes(run.bytes)}` },
  { name: t('Cost'), value: run.cost === 0 ? null : run.cost.toLocaleString('en', { maximumFractionDigits: 4 }) },
  { name: t('Refused'), value: run.refusals.map(({ code, count }) => `${code} ${count}`).join(', ') || '0' },
  {
    name: t('Kept results'),
    value: t('{count}, {bytes}', { count: formatCount(run.kept.results), bytes: formatBytes(run.kept.bytes) }),
  },
  { name: t('Tokens saved'), value: tokens(run.saved) },
]

function Report({ session }: { readonly session: string }) {
  const { data, error } = useQuery({
    queryKey: ['usage', 'run', session],
    queryFn: () => api.context.run({ query: { session } }),
  })
  if (error) return <ErrorNote error={error} />
  if (!data) return <Skeleton className="h-64" />
  const { report } = data
  if (report === null) return <p className="text-sm text-ink-2">{t('Its calls are no longer stored.')}</p>
  return (
    <div className="flex flex-col gap-4">
      <Facts title={t('Totals')} facts={factsOf(report)} />
      <Facts
        title={t('Tools')}
        facts={report.tools.map((tool) => ({
          name: `${tool.client}__${tool.tool}`,
          value: t('{calls} calls, {tokens} tokens', {
            calls: formatCount(tool.calls),
            tokens: formatCount(tool.tokens),
          }),
        }))}
      />
    </div>
  )
}
