// What lists and answers cost models, and what each measure would save.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ScanText } from 'lucide-react'
import { type ContextUse, type ListUse, mayUse, type ProgramUse, RESULT_TOOL, type ToolUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { countColumn } from '../../ui/columns.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatBytes, formatCount } from '../../ui/format.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { type Column, queried, Table } from '../../ui/Table.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { FORMS } from '../bundles/list-forms.ts'
import { KeptResults } from './KeptResults.tsx'
import { Runs } from './Runs.tsx'
import { ToolName } from './ToolName.tsx'

const AGAIN_MS = 30_000

const saves = <T extends { readonly saves: number }>(): Column<T> => ({
  key: 'saves',
  title: t('Would save'),
  width: 'w-44',
  align: 'right',
  sortBy: (row) => row.saves,
  cell: (row) =>
    row.saves === 0 ? (
      <span className="text-ink-3">–</span>
    ) : (
      <span className="font-medium">{t('{count} tokens', { count: formatCount(row.saves) })}</span>
    ),
})

const cost = <T extends { readonly cost: number }>(): Column<T> => ({
  key: 'cost',
  title: t('Cost'),
  width: 'w-24',
  align: 'right',
  spare: true,
  sortBy: (row) => row.cost,
  cell: (row) => (row.cost === 0 ? '–' : row.cost.toLocaleString('en', { maximumFractionDigits: 2 })),
})

const TOOLS: readonly Column<ToolUse>[] = [
  {
    key: 'tool',
    title: t('Tool'),
    grow: true,
    sortBy: ({ client, tool }) => `${client} ${tool}`,
    cell: (row) => <ToolName {...row} />,
  },
  countColumn('calls', t('Calls'), ({ calls }) => calls),
  countColumn('each', t('Tokens per call'), ({ tokensPerCall }) => tokensPerCall, 'w-32'),
  countColumn('tokens', t('Tokens returned'), ({ tokens }) => tokens, 'w-36'),
  cost(),
  {
    key: 'budget',
    title: t('Context budget'),
    width: 'w-36',
    spare: true,
    cell: ({ contextBudget }) => contextBudget ?? <span className="text-ink-3">{t('none')}</span>,
  },
  saves(),
]

const LISTS: readonly Column<ListUse>[] = [
  {
    key: 'list',
    title: t('List'),
    grow: true,
    sortBy: ({ bundle, client }) => bundle ?? client ?? '',
    cell: ({ bundle, client }) => (
      <span className="flex min-w-0 items-baseline gap-2">
        <span className="truncate font-medium">{bundle ?? client}</span>
        <span className="text-xs text-ink-3">{bundle === null ? t('backend') : t('bundle')}</span>
      </span>
    ),
  },
  countColumn('sessions', t('Sessions'), ({ sessions }) => sessions),
  { key: 'mode', title: t('Form of the list'), width: 'w-40', spare: true, cell: ({ listMode }) => FORMS[listMode] },
  countColumn('listed', t('Tokens listed'), ({ listed }) => listed, 'w-32'),
  {
    key: 'best',
    title: t('Cheapest'),
    width: 'w-56',
    cell: ({ cost: { best, ...of } }) =>
      t('{form}, {count} tokens', { form: FORMS[best], count: formatCount(of[best]) }),
  },
  {
    ...countColumn<ListUse>('even', t('Search pays below'), ({ cost: { breakEven } }) => breakEven, 'w-40'),
    spare: true,
    cell: ({ cost: { breakEven } }) =>
      breakEven === 0 ? t('search costs more') : t('{count} searches', { count: formatCount(breakEven) }),
  },
  saves(),
]

const CLIENTS: readonly Column<ProgramUse>[] = [
  {
    key: 'client',
    title: t('Client'),
    grow: true,
    sortBy: ({ program }) => program ?? '',
    cell: ({ program, searchesItself }) => (
      <span className="flex min-w-0 items-baseline gap-2">
        <span className="truncate font-medium">{program ?? t('without a name')}</span>
        {searchesItself && <span className="text-xs text-ink-3">{t('searches tools itself')}</span>}
      </span>
    ),
  },
  countColumn('sessions', t('Sessions'), ({ sessions }) => sessions),
  countColumn('calls', t('Calls'), ({ calls }) => calls),
  countColumn('tokens', t('Tokens returned'), ({ tokens }) => tokens, 'w-36'),
  {
    key: 'bytes',
    title: t('Bytes'),
    width: 'w-28',
    align: 'right',
    spare: true,
    sortBy: ({ bytes }) => bytes,
    cell: ({ bytes }) => formatBytes(bytes),
  },
  cost(),
]

const none = (
  <EmptyState
    icon={ScanText}
    title={t('No calls in the last day')}
    about={t('Tokens appear once clients call tools.')}
  />
)

const placeOf = ({ client, tool }: ToolUse) =>
  client !== null
    ? { to: `/tools/${client}/${tool}` }
    : tool === RESULT_TOOL
      ? { to: '/context', search: { view: 'results' } }
      : { to: `/composites/${tool}` }

export function ContextPage() {
  const navigate = useNavigate()
  const administers = mayUse(useActor(), 'admin')
  const use = useQuery({
    queryKey: ['usage', 'context'],
    queryFn: () => api.context.use({ query: {} }),
    refetchInterval: AGAIN_MS,
  })
  const table = { ...queried(use), empty: none }
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Context')}
        about={t('Tokens that lists and answers took in the last day, and what each measure would save.')}
      />
      {use.data && <Totals use={use.data} />}
      <Tabs
        label={t('Parts of the context')}
        tabs={[
          {
            key: 'tools',
            title: t('Answers'),
            body: (
              <Table
                {...table}
                className="h-full"
                label={t('Tokens by tool')}
                columns={TOOLS}
                rows={use.data?.tools ?? []}
                rowKey={({ client, tool }) => `${client} ${tool}`}
                onOpen={(row) => void navigate(placeOf(row))}
              />
            ),
          },
          {
            key: 'lists',
            title: t('Lists'),
            body: (
              <Table
                {...table}
                className="h-full"
                label={t('Tokens by list')}
                columns={LISTS}
                rows={use.data?.lists ?? []}
                rowKey={({ bundle, client }) => `${bundle} ${client}`}
                onOpen={({ bundle, client }) =>
                  void navigate(
                    bundle === null
                      ? { to: `/backends/${client}` }
                      : { to: `/bundles/${bundle}`, search: { view: 'preview' } },
                  )
                }
              />
            ),
          },
          {
            key: 'clients',
            title: t('Clients'),
            body: (
              <Table
                {...table}
                className="h-full"
                label={t('Tokens by client')}
                columns={CLIENTS}
                rows={use.data?.programs ?? []}
                rowKey={({ program }) => program ?? ''}
              />
            ),
          },
          { key: 'runs', title: t('Runs'), body: <Runs /> },
          ...(administers ? [{ key: 'results', title: t('Kept results'), body: <KeptResults /> }] : []),
        ]}
      />
    </div>
  )
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

function Totals({ use: { tools, lists } }: { readonly use: ContextUse }) {
  const listed = sum(lists.map((list) => list.listed * list.sessions))
  const totals = [
    [t('Returned by tools'), sum(tools.map(({ tokens }) => tokens))],
    [t('Listed in sessions'), listed],
    [t('Context budgets would save'), sum(tools.map((tool) => tool.saves))],
    [t('Forms of lists would save'), sum(lists.map((list) => list.saves))],
  ] as const
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-2 px-6 pb-4">
      {totals.map(([name, tokens]) => (
        <div key={name}>
          <dt className="text-xs text-ink-2">{name}</dt>
          <dd className="text-lg font-semibold tabular-nums">{t('{count} tokens', { count: formatCount(tokens) })}</dd>
        </div>
      ))}
    </dl>
  )
}
