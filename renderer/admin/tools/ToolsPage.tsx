// All tools: search, filters, selection and bulk actions.
import { useNavigate } from '@tanstack/react-router'
import { Download, Power, PowerOff, Scale, Search, Wrench } from 'lucide-react'
import { useMemo, useState } from 'react'
import { mayUse, type ToolRow } from '#contract'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Button } from '../../ui/Button.tsx'
import { aboutColumn, backendColumn, TOOL_NAME } from '../../ui/columns.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatCount, formatTools } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useSelection } from '../../ui/selection.tsx'
import { type Column, queried, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { useAllTools } from './all-tools.ts'
import { LimitTools } from './LimitTools.tsx'
import { ToolFlags, ToolMethod } from './ToolBadges.tsx'
import { ToolFilterBar } from './ToolFilterBar.tsx'
import { FILTER_KEYS, filterOf, matcherOf } from './tool-filter.ts'
import { useToolChanges } from './use-tool-changes.ts'
import { ViewMenu } from './ViewMenu.tsx'
import { useColumns } from './views.ts'

const keyOf = ({ client, tool }: ToolRow): string => `${client}__${tool}`
const NONE: readonly ToolRow[] = []

const COLUMNS: readonly Column<ToolRow>[] = [
  {
    key: 'tool',
    title: t('Tool'),
    sortBy: ({ alias, tool }) => alias ?? tool,
    cell: ({ alias, tool, enabled }) => (
      <code className={cx(TOOL_NAME, enabled ? 'font-medium' : 'text-ink-3')}>{alias ?? tool}</code>
    ),
  },
  backendColumn(),
  {
    key: 'method',
    title: t('Method'),
    spare: true,
    width: 'w-24',
    sortBy: ({ method, kind }) => method ?? kind,
    cell: (tool) => <ToolMethod tool={tool} />,
  },
  { key: 'flags', title: t('Flags'), width: 'w-32', cell: (tool) => <ToolFlags tool={tool} /> },
  aboutColumn(({ description }) => description),
]

const [, ...MAY_HIDE] = COLUMNS

/** The text to filter by: what is typed, at once; the address follows after the last key, or changes from elsewhere. */
function useTyped(inAddress: string): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState<string>()
  const [known, setKnown] = useState(inAddress)
  if (known !== inAddress) {
    setKnown(inAddress)
    setTyped(undefined)
  }
  return [typed?.trim() ?? inAddress, setTyped]
}

export function ToolsPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const [params, change] = useUrlParams()
  const list = useAllTools()
  const tools = list.data ?? NONE
  const filter = filterOf(params)
  const { client, method, tag, flag } = filter
  const [q, setTyped] = useTyped(filter.q)
  const { shown, problem } = useMemo(() => {
    const matcher = matcherOf({ q, client, method, tag, flag })
    return { shown: tools.filter(matcher.matches), problem: matcher.problem }
  }, [tools, q, client, method, tag, flag])
  const selection = useSelection(shown, keyOf)
  const hidden = useColumns((state) => state.hidden)
  const operates = mayUse(actor, 'operator')
  const filtered = Object.values(filter).some((value) => value !== '')
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Tools')}
        about={
          list.data
            ? t('{count} of {count2}', { count: formatCount(shown.length), count2: formatTools(tools.length) })
            : t('Find and configure the tools of all backends.')
        }
        actions={<ViewMenu filter={filter} columns={MAY_HIDE} onChange={change} />}
      />
      <ToolFilterBar tools={tools} filter={filter} problem={problem} onChange={change} onType={setTyped} />
      {selection.rows.length > 0 && (
        <SelectionBar
          rows={selection.rows}
          operates={operates}
          administers={mayUse(actor, 'admin')}
          onClear={selection.clear}
        />
      )}
      <Table
        className="min-h-0 grow"
        label={t('Tools')}
        columns={[selection.column, ...COLUMNS.filter(({ key }) => !hidden.includes(key))]}
        rows={shown}
        rowKey={keyOf}
        onOpen={(tool) => void navigate({ to: `/tools/${tool.client}/${encodeURIComponent(tool.tool)}` })}
        {...queried(list)}
        empty={
          filtered ? (
            <EmptyState
              icon={Search}
              title={t('No tool matches')}
              about={t('Change the search or clear the filters.')}
              action={
                <Button onClick={() => change(Object.fromEntries(FILTER_KEYS.map((key) => [key, ''])))}>
                  {t('Clear all filters')}
                </Button>
              }
            />
          ) : (
            <EmptyState
              icon={Wrench}
              title={t('No tools yet')}
              about={t('Tools come from backends: add one and its operations appear here.')}
              action={<Button onClick={() => void navigate({ to: '/add-backend' })}>{t('Add a backend')}</Button>}
            />
          )
        }
      />
    </div>
  )
}

function SelectionBar({
  rows,
  operates,
  administers,
  onClear,
}: {
  readonly rows: readonly ToolRow[]
  readonly operates: boolean
  readonly administers: boolean
  readonly onClear: () => void
}) {
  const { setEnabledWithUndo } = useToolChanges()
  const [limiting, setLimiting] = useState(false)
  const turn = (enabled: boolean) => () => void setEnabledWithUndo(rows, enabled).then(onClear, notifyError)
  return (
    <section
      aria-label={t('Selected tools')}
      className="flex items-center gap-2 border-b border-line bg-sunken px-6 py-2"
    >
      <span className="mr-2 text-sm font-medium">{t('{count} selected', { count: formatCount(rows.length) })}</span>
      {operates && (
        <>
          <Button size="sm" onClick={turn(true)}>
            {rich('{power} Turn on', { power: <Power /> })}
          </Button>
          <Button size="sm" onClick={turn(false)}>
            {rich('{poweroff} Turn off', { poweroff: <PowerOff /> })}
          </Button>
        </>
      )}
      {administers && (
        <Button size="sm" onClick={() => setLimiting(true)}>
          {rich('{scale} Limit…', { scale: <Scale /> })}
        </Button>
      )}
      <LimitTools
        open={limiting}
        tools={rows}
        onClose={() => setLimiting(false)}
        onDone={() => {
          setLimiting(false)
          onClear()
        }}
      />
      <Button
        size="sm"
        onClick={() =>
          saveFile(
            'tools.json',
            'application/json',
            `${JSON.stringify(
              rows.map(({ client, tool }) => ({ client, tool })),
              null,
              2,
            )}\n`,
          )
        }
      >
        {rich('{download} Save as JSON', { download: <Download /> })}
      </Button>
      <Button size="sm" look="quiet" onClick={onClear}>
        {t('Clear')}
      </Button>
    </section>
  )
}
