// The tools of one backend, switched on and off in place.
import { useNavigate } from '@tanstack/react-router'
import { Search, Wrench } from 'lucide-react'
import { type ClientDetail, mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { aboutColumn, TOOL_NAME } from '../../ui/columns.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { notifyError } from '../../ui/notify.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { ToolFlags, ToolMethod } from '../tools/ToolBadges.tsx'
import { useToolChanges } from '../tools/use-tool-changes.ts'

type Tool = ClientDetail['tools'][number]

export function BackendTools({ backend }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const navigate = useNavigate()
  const { setEnabledWithUndo } = useToolChanges()
  const [params, change] = useUrlParams()
  const wanted = (params.q ?? '').toLowerCase()
  const shown = backend.tools.filter(
    ({ tool, alias, description }) =>
      tool.toLowerCase().includes(wanted) ||
      (alias ?? '').toLowerCase().includes(wanted) ||
      description.toLowerCase().includes(wanted),
  )
  const columns = columnsFor(mayUse(actor, 'operator') ? setEnabledWithUndo : undefined)
  return (
    <div className="flex h-full flex-col">
      <search className="flex items-center gap-3 border-b border-line px-6 py-2.5">
        <SearchInput
          label={t('Find a tool')}
          placeholder={t('Name or description')}
          value={params.q ?? ''}
          onChange={(q) => change({ q })}
        />
        <span className="text-xs text-ink-3">
          {t('{count} of {count2}', { count: shown.length, count2: backend.tools.length })}
        </span>
      </search>
      <Table
        className="min-h-0 grow"
        label={t('Tools of {name}', { name: backend.name })}
        columns={columns}
        rows={shown}
        rowKey={({ tool }) => tool}
        onOpen={({ tool }) => void navigate({ to: `/tools/${backend.name}/${encodeURIComponent(tool)}` })}
        empty={
          wanted ? (
            <EmptyState
              icon={Search}
              title={t('No tool matches')}
              about={t('None is called or described by “{q}”.', { q: params.q })}
            />
          ) : (
            <EmptyState
              icon={Wrench}
              title={t('No tools')}
              about={t('The source has no tools. Refresh after it adds some.')}
            />
          )
        }
      />
    </div>
  )
}

type Turn = ReturnType<typeof useToolChanges>['setEnabledWithUndo']

function columnsFor(turn: Turn | undefined): readonly Column<Tool>[] {
  return [
    ...(turn
      ? [
          {
            key: 'on',
            title: t('On'),
            width: 'w-16',
            cell: (tool: Tool) => (
              <Switch
                label={t('{tool} is enabled', { tool: tool.tool })}
                on={tool.enabled}
                onChange={(enabled) => void turn([tool], enabled).catch(notifyError)}
              />
            ),
          },
        ]
      : []),
    {
      key: 'tool',
      title: t('Tool'),
      sortBy: ({ tool }) => tool,
      cell: ({ tool, alias, enabled }) => (
        <code className={cx(TOOL_NAME, enabled ? 'font-medium' : 'text-ink-3')}>
          {alias ?? tool}
          {alias && <span className="font-normal text-ink-3"> = {tool}</span>}
        </code>
      ),
    },
    {
      key: 'method',
      title: t('Method'),
      width: 'w-24',
      sortBy: ({ method }) => method ?? '',
      cell: (tool) => <ToolMethod tool={tool} />,
    },
    { key: 'flags', title: t('Flags'), width: 'w-32', cell: (tool) => <ToolFlags tool={tool} /> },
    aboutColumn(({ description }) => description),
  ]
}
