// The backends, each a row with what one wants to know first: does it work, and how many tools does it give.
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus, Search, Server } from 'lucide-react'
import { useState } from 'react'
import { type ClientSummary, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { Confirm, type Question } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { type BackendActions, BackendMenu } from './BackendMenu.tsx'
import { BackendState, BreakerState, KIND_NAMES } from './BackendState.tsx'
import { Rediscovery } from './Rediscovery.tsx'

const STATES = [
  { value: 'any', label: 'Any state' },
  { value: 'healthy', label: 'Healthy' },
  { value: 'degraded', label: 'Degraded' },
  { value: 'unreachable', label: 'Unreachable' },
] as const

export function BackendsPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const [params, change] = useUrlParams()
  const [question, setQuestion] = useState<Question | null>(null)
  const [again, setAgain] = useState<string | null>(null)
  const status = STATES.find(({ value }) => value === params.status && value !== 'any')?.value
  const filter = { ...(params.q ? { q: params.q } : {}), ...(status && status !== 'any' ? { status } : {}) }
  const list = usePaged(['clients', 'list', filter], (paging) => api.clients.list({ query: { ...filter, ...paging } }))
  const operates = mayUse(actor, 'operator')
  const add = operates && (
    <Link to="/add-backend" className={buttonClass({ look: 'strong' })}>
      <Plus />
      Add a backend
    </Link>
  )
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title="Backends"
        about="The APIs and servers whose tools are offered here, and how each of them is."
        actions={add}
      />
      <search className="flex items-center gap-3 border-b border-line px-6 pb-3">
        <SearchInput
          label="Find a backend"
          placeholder="Name or address"
          value={params.q ?? ''}
          onChange={(q) => change({ q })}
        />
        <Select
          label="State"
          hideLabel
          value={status ?? 'any'}
          options={STATES}
          onChange={(next) => change({ status: next === 'any' ? '' : next })}
          className="w-40"
        />
      </search>
      <Table
        className="min-h-0 grow"
        label="Backends"
        columns={columnsFor(operates ? { onAsk: setQuestion, onRediscover: setAgain } : undefined)}
        {...list.table}
        rowKey={({ name }) => name}
        onOpen={({ name }) => void navigate({ to: `/backends/${name}` })}
        empty={
          Object.keys(filter).length > 0 ? (
            <EmptyState icon={Search} title="No backend matches" about="Try another word or another state." />
          ) : (
            <EmptyState
              icon={Server}
              title="No backend yet"
              about="Give an OpenAPI document, a GraphQL endpoint, an MCP server or a curl command, and its operations become tools."
              action={add}
            />
          )
        }
      />
      <Confirm question={question} onClose={() => setQuestion(null)} />
      <Rediscovery name={again} onClose={() => setAgain(null)} />
    </div>
  )
}

function columnsFor(actions: BackendActions | undefined): readonly Column<ClientSummary>[] {
  return [
    {
      key: 'name',
      title: 'Backend',
      sortBy: ({ name }) => name,
      cell: ({ name, description }) => (
        <span className="flex min-w-0 items-baseline gap-2">
          <span className="font-medium whitespace-nowrap">{name}</span>
          {description && <span className="max-w-56 truncate text-xs text-ink-3">{description}</span>}
        </span>
      ),
    },
    {
      key: 'kind',
      title: 'Kind',
      width: 'w-24',
      sortBy: ({ kind }) => kind,
      cell: ({ kind }) => <Badge tone="outline">{KIND_NAMES[kind]}</Badge>,
    },
    {
      key: 'state',
      title: 'State',
      width: 'w-36',
      sortBy: ({ enabled, status }) => `${enabled}${status ?? ''}`,
      cell: (backend) => <BackendState backend={backend} />,
    },
    {
      key: 'breaker',
      title: 'Breaker',
      width: 'w-28',
      sortBy: ({ circuitBreakerState }) => circuitBreakerState ?? '',
      cell: ({ circuitBreakerState }) => <BreakerState state={circuitBreakerState} />,
    },
    {
      key: 'tools',
      title: 'Tools',
      width: 'w-28',
      align: 'right',
      sortBy: ({ toolsCount }) => toolsCount,
      cell: ({ toolsCount, enabledToolsCount }) => (
        <span className="whitespace-nowrap">
          {enabledToolsCount}
          {enabledToolsCount < toolsCount && <span className="text-ink-3"> of {toolsCount}</span>}
        </span>
      ),
    },
    {
      key: 'address',
      title: 'Address',
      sortBy: ({ baseUrl }) => baseUrl,
      cell: ({ baseUrl, kind }) => (
        <span className="block max-w-64 truncate font-mono text-xs text-ink-2">
          {kind === 'pcg' ? 'in this program' : baseUrl}
        </span>
      ),
    },
    {
      key: 'seen',
      title: 'Last seen',
      width: 'w-32',
      sortBy: ({ lastSeenAt }) => lastSeenAt ?? '',
      cell: ({ lastSeenAt }) =>
        lastSeenAt ? <RelativeTime at={lastSeenAt} className="text-ink-2" /> : <span className="text-ink-3">–</span>,
    },
    ...(actions
      ? [
          {
            key: 'actions',
            title: '',
            width: 'w-14',
            align: 'right' as const,
            cell: (backend: ClientSummary) => <BackendMenu backend={backend} {...actions} />,
          },
        ]
      : []),
  ]
}
