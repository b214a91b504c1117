// The columns of the list of backends, for backend rows and tool rows.
import { ChevronRight } from 'lucide-react'
import type { ClientDetail, ClientSummary, UsageOfClient } from '#contract'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { Sparkline } from '../../ui/chart/Sparkline.tsx'
import { Named } from '../../ui/columns.tsx'
import { cx } from '../../ui/cx.ts'
import { formatCount, formatSpan } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { Column } from '../../ui/Table.tsx'
import { ToolFlags, ToolMethod } from '../tools/ToolBadges.tsx'
import { BackendMenu } from './BackendMenu.tsx'
import { BackendState, BreakerState, KIND_NAMES } from './BackendState.tsx'
import type { BackendUsage } from './use-backend-usage.ts'
import type { ExpandedTools } from './use-expanded-tools.ts'

type Tool = ClientDetail['tools'][number]
type Of = { readonly key: string; readonly name: string }
export type BackendRow =
  | (Of & { readonly kind: 'backend'; readonly backend: ClientSummary })
  | (Of & { readonly kind: 'tool'; readonly tool: Tool })
  | (Of & { readonly kind: 'note'; readonly text: string })

export const rowOf = (backend: ClientSummary): BackendRow => ({
  kind: 'backend',
  key: backend.name,
  name: backend.name,
  backend,
})

export const addressOf = (row: BackendRow): string =>
  row.kind === 'tool' ? `/tools/${row.name}/${encodeURIComponent(row.tool.tool)}` : `/backends/${row.name}`

type Parts = {
  readonly usage: BackendUsage
  readonly tools: ExpandedTools
  /** Absent for read-only users. */
  readonly onRediscover: ((name: string) => void) | undefined
}

/** A column for backends, and optionally for tools. */
function column(
  head: Omit<Column<BackendRow>, 'cell' | 'sortBy'>,
  of: {
    readonly backend: (backend: ClientSummary) => React.ReactNode
    readonly tool?: (tool: Tool) => React.ReactNode
    readonly sortBy?: (backend: ClientSummary) => string | number
  },
): Column<BackendRow> {
  const { backend, tool, sortBy } = of
  return {
    ...head,
    cell: (row) => (row.kind === 'backend' ? backend(row.backend) : row.kind === 'tool' ? tool?.(row.tool) : null),
    ...(sortBy ? { sortBy: (row) => (row.kind === 'backend' ? sortBy(row.backend) : '') } : {}),
  }
}

export function columnsFor({ usage, tools, onRediscover }: Parts): readonly Column<BackendRow>[] {
  return [
    {
      key: 'name',
      title: t('Backend'),
      grow: true,
      sortBy: ({ name }) => name,
      cell: (row) => <Name row={row} tools={tools} />,
    },
    column(
      { key: 'kind', title: t('Kind'), width: 'w-24', spare: true },
      {
        backend: ({ kind }) => <Badge tone="outline">{KIND_NAMES[kind]}</Badge>,
        tool: (tool) => <ToolMethod tool={tool} />,
        sortBy: ({ kind }) => kind,
      },
    ),
    column(
      { key: 'state', title: t('State'), width: 'w-36' },
      {
        backend: (backend) => <State backend={backend} />,
        tool: (tool) => <ToolFlags tool={tool} />,
        sortBy: ({ enabled, status, circuitBreakerState }) => `${enabled}${status ?? ''}${circuitBreakerState ?? ''}`,
      },
    ),
    column(
      { key: 'tools', title: t('Tools'), width: 'w-20', align: 'right' },
      { backend: (backend) => <ToolCount backend={backend} />, sortBy: ({ toolsCount }) => toolsCount },
    ),
    column(
      { key: 'calls', title: t('Calls, last hour'), width: 'w-36', spare: true },
      {
        backend: ({ name }) => <CallsNow name={name} usage={usage} />,
        sortBy: ({ name }) => usage.of(name)?.calls ?? 0,
      },
    ),
    column(
      { key: 'p95', title: 'p95', width: 'w-20', align: 'right' },
      {
        backend: ({ name }) => <Within usage={usage.of(name)} />,
        sortBy: ({ name }) => usage.of(name)?.p95Ms ?? 0,
      },
    ),
    column(
      { key: 'error', title: t('Last error'), width: 'w-56' },
      {
        backend: ({ name }) => <LastError usage={usage.of(name)} />,
        sortBy: ({ name }) => usage.of(name)?.lastError?.at ?? '',
      },
    ),
    ...(onRediscover
      ? [
          column(
            { key: 'actions', title: '', width: 'w-14', align: 'right' },
            { backend: (backend) => <BackendMenu backend={backend} onRediscover={onRediscover} /> },
          ),
        ]
      : []),
  ]
}

const NONE = <span className="text-ink-3">–</span>

function Name({ row, tools }: { readonly row: BackendRow; readonly tools: ExpandedTools }) {
  if (row.kind === 'note') return <span className="pl-8 text-xs text-ink-3">{row.text}</span>
  if (row.kind === 'tool') {
    const { tool, alias, enabled, description } = row.tool
    return (
      <span className="flex min-w-0 items-baseline gap-2 pl-8">
        <code className={cx('truncate font-mono text-xs', enabled ? 'font-medium' : 'text-ink-3')}>
          {alias ?? tool}
        </code>
        <span className="min-w-0 grow basis-0 truncate text-xs text-ink-3">{description}</span>
      </span>
    )
  }
  const { name, description, kind, baseUrl } = row.backend
  const open = tools.shows(name)
  return (
    <span className="flex min-w-0 items-center gap-1">
      <IconButton
        label={open ? t('Hide the tools of {name}', { name }) : t('Show the tools of {name}', { name })}
        size="sm"
        aria-expanded={open}
        className="-my-1 -ml-2"
        onClick={(event) => {
          event.stopPropagation()
          tools.expand(name, !open)
        }}
      >
        <ChevronRight className={cx('transition-transform', open && 'rotate-90')} />
      </IconButton>
      <span className="min-w-0 grow">
        <Named name={name} about={description ?? placeOf(kind, baseUrl)} />
      </span>
    </span>
  )
}

function placeOf(kind: ClientSummary['kind'], baseUrl: string): string {
  if (kind === 'pcg') return t('in this program')
  return baseUrl.startsWith('gantry://') ? t('a program of this machine') : baseUrl
}

/** A closed breaker adds nothing to the health. */
function State({ backend }: { readonly backend: ClientSummary }) {
  const { circuitBreakerState } = backend
  return (
    <span className="flex items-center gap-1.5">
      <BackendState backend={backend} />
      {circuitBreakerState !== null && circuitBreakerState !== 'closed' && (
        <span title={t('Circuit breaker')}>
          <BreakerState state={circuitBreakerState} />
        </span>
      )}
    </span>
  )
}

function ToolCount({ backend: { toolsCount, enabledToolsCount } }: { readonly backend: ClientSummary }) {
  return (
    <span className="whitespace-nowrap">
      {enabledToolsCount}
      {enabledToolsCount < toolsCount && <span className="text-ink-3"> {t('of {toolsCount}', { toolsCount })}</span>}
    </span>
  )
}

function CallsNow({ name, usage }: { readonly name: string; readonly usage: BackendUsage }) {
  const { calls = 0, series = [] } = usage.of(name) ?? {}
  if (!usage.known) return NONE
  if (calls === 0) return <span className="text-xs text-ink-3">{t('none')}</span>
  return (
    <span className="flex items-center gap-2">
      <Sparkline values={series} label={t('{calls} calls of {name} in the last hour', { calls, name })} />
      <span className="text-xs">{formatCount(calls)}</span>
    </span>
  )
}

/** As in the list of calls. */
const SLOW_MS = 1_000

function Within({ usage }: { readonly usage: UsageOfClient | undefined }) {
  if (usage?.p95Ms === undefined) return NONE
  return (
    <span className={cx('whitespace-nowrap', usage.p95Ms >= SLOW_MS && 'text-warn')}>{formatSpan(usage.p95Ms)}</span>
  )
}

function LastError({ usage }: { readonly usage: UsageOfClient | undefined }) {
  if (!usage?.lastError) return NONE
  const { at, kind, tool } = usage.lastError
  return (
    <span
      className="flex items-baseline gap-1.5 whitespace-nowrap"
      title={t('{kind} of {tool}', { kind: kind ?? t('error'), tool })}
    >
      <code className="max-w-36 truncate font-mono text-xs text-bad 2xl:max-w-56">{kind ?? t('error')}</code>
      <RelativeTime at={at} className="text-xs text-ink-3" />
    </span>
  )
}
