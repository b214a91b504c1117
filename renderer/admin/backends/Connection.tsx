// The connection of a backend: address, source, health, and editable fields.
import { useMemo, useState } from 'react'
import type { z } from 'zod'
import { API, type ClientDetail, mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { type DialogProps, RecordDialog } from '../../ui/form/RecordForm.tsx'
import { formatActor, formatMoment, formatSpan } from '../../ui/format.ts'
import { BreakerState } from './BackendState.tsx'
import { CredentialDetached } from './CredentialDetached.tsx'
import { KeepCredential, keepField, keepsCredential, SERVER_URL } from './credential-field.tsx'
import { LocalServer } from './LocalServer.tsx'
import { localServiceFacts } from './LocalServiceFact.tsx'
import { useBackendChanges } from './use-backend-changes.ts'

const TRANSPORT_NAMES: Readonly<Record<string, string>> = {
  'streamable-http': t('Streamable HTTP'),
  sse: t('HTTP with SSE'),
}
const ERA_NAMES: Readonly<Record<string, string>> = {
  auto: t('automatic: that of the client'),
  modern: '2026-07-28',
  legacy: t('2025-11-25 and older'),
}

export function Connection({ backend }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const [editing, setEditing] = useState(false)
  const { breaker } = backend
  return (
    <div className="grid max-w-5xl gap-4 px-6 py-5 xl:grid-cols-2">
      {backend.credentialDetached.length > 0 && (
        <div className="xl:col-span-2">
          <CredentialDetached backend={backend} />
        </div>
      )}
      {backend.source === 'program' && mayUse(actor, 'superadmin') && <LocalServer name={backend.name} />}
      <Facts
        title={t('Address')}
        facts={[
          { name: t('Base URL'), value: placeOf(backend) },
          { name: t('Health URL'), value: backend.healthUrl && <Url url={backend.healthUrl} /> },
          {
            name: t('Pinned to'),
            value: backend.resolvedIps.length > 0 && (
              <code className="font-mono text-xs">{backend.resolvedIps.join(', ')}</code>
            ),
          },
          ...localServiceFacts(backend),
          { name: t('Pinned at'), value: backend.pinnedAt && formatMoment(backend.pinnedAt) },
          { name: t('Served at'), value: <code className="font-mono text-xs">{backend.mcpPath}</code> },
          { name: t('Description'), value: backend.description },
        ]}
      />
      <Facts
        title={t('Source')}
        facts={[
          { name: t('Read from'), value: sourceOf(backend) },
          { name: t('Tags included'), value: backend.includeTags.length > 0 && backend.includeTags.join(', ') },
          {
            name: t('Operations left out'),
            value: backend.excludeOperations.length > 0 && backend.excludeOperations.join(', '),
          },
          ...(backend.kind === 'graphql'
            ? [{ name: t('Mutations'), value: backend.includeMutations ? t('included') : t('left out') }]
            : []),
          { name: t('Transport'), value: backend.mcpTransport && TRANSPORT_NAMES[backend.mcpTransport] },
          { name: t('Protocol era'), value: backend.mcpEra && ERA_NAMES[backend.mcpEra] },
          { name: t('Last read'), value: formatMoment(backend.discoveredAt) },
          {
            name: t('Added'),
            value: backend.createdBy
              ? t('{time} by {actor}', { time: formatMoment(backend.createdAt), actor: formatActor(backend.createdBy) })
              : formatMoment(backend.createdAt),
          },
        ]}
      />
      <Facts
        title={t('Health')}
        facts={[
          { name: t('Last checked'), value: backend.lastCheckedAt && formatMoment(backend.lastCheckedAt) },
          { name: t('Consecutive failures'), value: backend.consecutiveFailures },
          { name: t('Last error'), value: backend.lastError },
          { name: t('Taken out of service'), value: backend.evictedAt && formatMoment(backend.evictedAt) },
        ]}
      />
      <Facts
        title={t('Circuit breaker')}
        facts={[
          { name: t('State'), value: <BreakerState state={breaker.state} /> },
          { name: t('Failures in the window'), value: breaker.failuresInWindow },
          { name: t('Next probe in'), value: breaker.halfOpenInMs !== null && formatSpan(breaker.halfOpenInMs) },
          { name: t('Retries of POST and PATCH'), value: backend.retryNonSafeMethods ? 'yes' : 'no' },
        ]}
      />
      {mayUse(actor, 'operator') && backend.kind !== 'pcg' && backend.source !== 'program' && (
        <div className="xl:col-span-2">
          <Button onClick={() => setEditing(true)}>{t('Change…')}</Button>
        </div>
      )}
      <ChangeBackend backend={backend} open={editing} onClose={() => setEditing(false)} />
    </div>
  )
}

function placeOf({ kind, source, baseUrl }: ClientDetail) {
  if (kind === 'pcg') return t('in this program')
  return source === 'program' ? t('a program of this machine') : <Url url={baseUrl} />
}

const Url = ({ url }: { readonly url: string }) => <code className="font-mono text-xs break-all">{url}</code>

function sourceOf({ input, openapiUrl, graphqlUrl, mcpUrl }: ClientDetail) {
  const url = openapiUrl ?? graphqlUrl ?? mcpUrl
  if (url) return <Url url={url} />
  const names = {
    curl_input: t('a curl command'),
    client_collection: t('a collection'),
    tools: t('hand-written tools'),
  } as const
  return input !== null && input in names ? names[input as keyof typeof names] : null
}

const CHANGE = API.clients.update.body.pick({ baseUrl: true, healthUrl: true, description: true })
type Change = z.output<typeof CHANGE>

/** Sends changed fields only: an unchanged address is not pinned again. */
function changeOf(from: ClientDetail, { baseUrl, healthUrl = null, description = null }: Change): Change {
  return {
    ...(baseUrl === from.baseUrl ? {} : { baseUrl }),
    ...(healthUrl === from.healthUrl ? {} : { healthUrl }),
    ...(description === (from.description || null) ? {} : { description }),
  }
}

function ChangeBackend({
  backend,
  ...dialog
}: DialogProps & {
  readonly backend: ClientDetail
}) {
  const { change } = useBackendChanges()
  const { name } = backend
  const form = useMemo(
    () =>
      formOf(CHANGE.extend({ keepCredential: KeepCredential }), {
        baseUrl: { ...SERVER_URL, hint: t('A new address is checked and pinned again.') },
        keepCredential: { ...keepField(backend, 'baseUrl'), when: ({ baseUrl }) => baseUrl !== backend.baseUrl },
        healthUrl: { label: t('Health URL'), code: true },
        description: { label: t('Description') },
      }),
    [backend],
  )
  return (
    <RecordDialog
      {...dialog}
      title={t('Change {name}', { name })}
      width="max-w-lg"
      form={form}
      record={backend}
      onSubmit={({ keepCredential, ...input }, base = backend) => {
        const keeps = keepsCredential(backend, input.baseUrl ?? '', keepCredential)
        return change(base, changeOf(base, input), keeps)
      }}
    />
  )
}
