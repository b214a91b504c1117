// A backend: health, tools, connection, servers and credential.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Activity, Plug, RefreshCw, Server } from 'lucide-react'
import { useState } from 'react'
import { type ClientDetail, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { notifyError } from '../../ui/notify.ts'
import { OneRecord } from '../../ui/OneRecord.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { ServedAt } from '../../ui/ServedAt.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { ScheduledNotice } from '../schedules/ScheduledNotice.tsx'
import { BackendMenu } from './BackendMenu.tsx'
import { BackendState, BreakerState, KIND_NAMES } from './BackendState.tsx'
import { BackendTools } from './BackendTools.tsx'
import { Connection } from './Connection.tsx'
import { Credential } from './Credential.tsx'
import { Performance } from './Performance.tsx'
import { Pool } from './Pool.tsx'
import { Rediscovery } from './Rediscovery.tsx'
import { SecondServer } from './SecondServer.tsx'
import { useBackendChanges } from './use-backend-changes.ts'

/** Counts and states change with every call. */
const AGAIN_MS = 3_000

function Servers({ backend }: { readonly backend: ClientDetail }) {
  const operates = mayUse(useActor(), 'operator')
  const params = { name: backend.name }
  const servers = useQuery({
    queryKey: ['clients', 'servers', backend.name],
    queryFn: async () => {
      const [{ canary }, { lb }] = await Promise.all([api.targets.getCanary({ params }), api.targets.getLb({ params })])
      return { canary, lb }
    },
    refetchInterval: AGAIN_MS,
  })
  if (servers.error && !servers.data) return <ErrorState error={servers.error} onRetry={() => void servers.refetch()} />
  if (!servers.data) return <PageSkeleton />
  const { canary, lb } = servers.data
  return (
    <div className="grid max-w-5xl gap-4 px-6 py-5">
      <SecondServer backend={backend} canary={canary} idle={lb?.enabled === true} readOnly={!operates} />
      <Pool backend={backend} lb={lb} readOnly={!operates} />
    </div>
  )
}

export function BackendPage() {
  return (
    <OneRecord
      kind="clients"
      noun={t('backend')}
      plural="backends"
      param="name"
      read={(name) => api.clients.get({ params: { name } })}
      icon={Server}
      about={t('It may have been removed.')}
    >
      {(record) => <Loaded key={record.name} backend={record} />}
    </OneRecord>
  )
}

function Loaded({ backend }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const lead = useLead()
  const [again, setAgain] = useState<string | null>(null)
  const { checkHealth } = useBackendChanges()
  const operates = mayUse(actor, 'operator')
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={backend.name}
        badge={
          <span className="flex items-center gap-2">
            <Badge tone="outline">{KIND_NAMES[backend.kind]}</Badge>
            <BackendState backend={backend} />
            {backend.circuitBreakerState !== 'closed' && <BreakerState state={backend.circuitBreakerState} />}
          </span>
        }
        about={
          <span className="flex flex-wrap items-center gap-x-3">
            {backend.description}
            <ServedAt path={backend.mcpPath} />
          </span>
        }
        actions={
          operates && (
            <>
              <Link to="/connect" search={{ to: `client:${backend.name}` }} className={buttonClass({})}>
                <Plug />
                {t('Connect a client')}
              </Link>
              <Button onClick={() => void checkHealth(backend).catch(notifyError)}>
                <Activity />
                {t('Check health')}
              </Button>
              {isRereadable(backend) && (
                <Button onClick={() => setAgain(backend.name)}>
                  <RefreshCw />
                  {t('Refresh tools')}
                </Button>
              )}
              <BackendMenu backend={backend} onRediscover={setAgain} onRemoved={() => lead('/backends')} />
            </>
          )
        }
      />
      {backend.lastError && backend.status !== 'healthy' && (
        <p role="status" className="mx-6 mb-3 rounded-md bg-warn-soft px-3 py-2 text-sm">
          {backend.evictedAt
            ? t('Out of service: {reason}', { reason: backend.lastError })
            : t('Last health check: {reason}', { reason: backend.lastError })}
        </p>
      )}
      <ScheduledNotice client={backend.name} />
      <Tabs
        label={t('About {name}', { name: backend.name })}
        tabs={[
          { key: 'tools', title: t('Tools'), count: backend.toolsCount, body: <BackendTools backend={backend} /> },
          { key: 'performance', title: t('Performance'), body: <Performance client={backend.name} /> },
          { key: 'connection', title: t('Connection'), body: <Connection backend={backend} /> },
          ...(backend.kind === 'rest'
            ? [{ key: 'servers', title: t('Servers'), body: <Servers backend={backend} /> }]
            : []),
          ...(backend.kind === 'pcg' || backend.source === 'program'
            ? []
            : [{ key: 'credential', title: t('Credential'), body: <Credential backend={backend} /> }]),
        ]}
      />
      <Rediscovery name={again} onClose={() => setAgain(null)} />
    </div>
  )
}

/** Hand-written and pasted sources cannot be read again. */
const isRereadable = ({ kind, source, input }: ClientDetail): boolean =>
  kind !== 'pcg' && source !== 'program' && input !== 'tools' && input !== 'curl_input'
