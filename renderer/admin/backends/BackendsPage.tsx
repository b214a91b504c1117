// The list of backends: state, number of tools, usage.
import { useNavigate } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import { useState } from 'react'
import { mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { Select } from '../../ui/Select.tsx'
import { useUrlParams } from '../../url-params.ts'
import { addressOf, columnsFor, rowOf } from './backend-rows.tsx'
import { Rediscovery } from './Rediscovery.tsx'
import { useBackendUsage } from './use-backend-usage.ts'
import { useExpandedTools } from './use-expanded-tools.ts'

const STATES = [
  { value: 'any', label: t('Any state') },
  { value: 'healthy', label: t('Healthy') },
  { value: 'degraded', label: t('Degraded') },
  { value: 'unreachable', label: t('Unreachable') },
] as const

export function BackendsPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const [params, change] = useUrlParams()
  const [again, setAgain] = useState<string | null>(null)
  const status = STATES.find(({ value }) => value === params.status && value !== 'any')?.value
  const filter = { ...(params.q ? { q: params.q } : {}), ...(status && status !== 'any' ? { status } : {}) }
  const list = usePaged(['clients', 'list', filter], (paging) => api.clients.list({ query: { ...filter, ...paging } }))
  const rows = list.rows.map(rowOf)
  const operates = mayUse(actor, 'operator')
  const usage = useBackendUsage()
  const tools = useExpandedTools()
  const columns = columnsFor({
    usage,
    tools,
    onRediscover: operates ? setAgain : undefined,
  })
  const add = operates && { label: t('Add a backend'), to: '/add-backend' }
  return (
    <ListPage
      title={t('Backends')}
      about={t('APIs and MCP servers connected to this gateway, and their health.')}
      add={add}
      noun={t('backend')}
      placeholder={t('Name or address')}
      list={{ ...list, rows, table: { ...list.table, rows } }}
      filters={
        <Select
          label={t('State')}
          hideLabel
          value={status ?? 'any'}
          options={STATES}
          onChange={(next) => change({ status: next === 'any' ? '' : next })}
          className="w-40"
        />
      }
      filtered={status !== undefined}
      columns={columns}
      rowKey={({ key }) => key}
      nested={tools.below}
      onExpand={(row, expanded) => tools.expand(row.name, expanded)}
      onOpen={(row) => void navigate({ to: addressOf(row) })}
      empty={{
        icon: Server,
        title: t('No backend yet'),
        about: t(
          'Add an OpenAPI document, a GraphQL endpoint, an MCP server or a curl command. Its operations become tools.',
        ),
      }}
    >
      <Rediscovery name={again} onClose={() => setAgain(null)} />
    </ListPage>
  )
}
