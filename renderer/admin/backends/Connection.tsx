// Where a backend lives, how it was found, how it answers; what of that may be changed.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type ClientDetail, mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'
import { BreakerState } from './BackendState.tsx'
import { useBackendChanges } from './use-backend-changes.ts'

export function Connection({ backend }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const [editing, setEditing] = useState(false)
  const { breaker } = backend
  return (
    <div className="grid max-w-5xl gap-4 px-6 py-5 xl:grid-cols-2">
      <Facts
        title="Address"
        facts={[
          { name: 'Base URL', value: backend.kind === 'pcg' ? 'in this program' : <Url url={backend.baseUrl} /> },
          { name: 'Health URL', value: backend.healthUrl && <Url url={backend.healthUrl} /> },
          {
            name: 'Pinned to',
            value: backend.resolvedIps.length > 0 && (
              <code className="font-mono text-xs">{backend.resolvedIps.join(', ')}</code>
            ),
          },
          { name: 'Pinned at', value: backend.pinnedAt && formatMoment(backend.pinnedAt) },
          { name: 'Served at', value: <code className="font-mono text-xs">{backend.mcpPath}</code> },
          { name: 'Description', value: backend.description },
        ]}
      />
      <Facts
        title="Source"
        facts={[
          { name: 'Read from', value: sourceOf(backend) },
          { name: 'Tags included', value: backend.includeTags.length > 0 && backend.includeTags.join(', ') },
          {
            name: 'Operations left out',
            value: backend.excludeOperations.length > 0 && backend.excludeOperations.join(', '),
          },
          ...(backend.kind === 'graphql'
            ? [{ name: 'Mutations', value: backend.includeMutations ? 'included' : 'left out' }]
            : []),
          { name: 'Last read', value: formatMoment(backend.discoveredAt) },
          {
            name: 'Added',
            value: `${formatMoment(backend.createdAt)}${backend.createdBy ? ` by ${backend.createdBy}` : ''}`,
          },
        ]}
      />
      <Facts
        title="Health"
        facts={[
          { name: 'Last checked', value: backend.lastCheckedAt && formatMoment(backend.lastCheckedAt) },
          { name: 'Failures in a row', value: backend.consecutiveFailures },
          { name: 'Last error', value: backend.lastError },
          { name: 'Taken out of service', value: backend.evictedAt && formatMoment(backend.evictedAt) },
        ]}
      />
      <Facts
        title="Circuit breaker"
        facts={[
          { name: 'State', value: <BreakerState state={breaker.state} /> },
          { name: 'Failures in the window', value: breaker.failuresInWindow },
          { name: 'Probes again in', value: breaker.halfOpenInMs !== null && formatSpan(breaker.halfOpenInMs) },
          { name: 'Retries of POST and PATCH', value: backend.retryNonSafeMethods ? 'yes' : 'no' },
        ]}
      />
      {mayUse(actor, 'operator') && backend.kind !== 'pcg' && (
        <div className="xl:col-span-2">
          <Button onClick={() => setEditing(true)}>Change…</Button>
        </div>
      )}
      <Dialog open={editing} onClose={() => setEditing(false)} title={`Change ${backend.name}`} width="max-w-lg">
        <Form backend={backend} onClose={() => setEditing(false)} />
      </Dialog>
    </div>
  )
}

const Url = ({ url }: { readonly url: string }) => <code className="font-mono text-xs break-all">{url}</code>

function sourceOf({ input, openapiUrl, graphqlUrl, mcpUrl, mcpTransport }: ClientDetail) {
  const url = openapiUrl ?? graphqlUrl ?? mcpUrl
  if (url) return <Url url={mcpTransport ? `${url} (${mcpTransport})` : url} />
  const names = {
    curl_input: 'a curl command',
    client_collection: 'a collection',
    tools: 'tools written by hand',
  } as const
  return input !== null && input in names ? names[input as keyof typeof names] : null
}

function Form({ backend, onClose }: { readonly backend: ClientDetail; readonly onClose: () => void }) {
  const { update } = useBackendChanges()
  const [baseUrl, setBaseUrl] = useState(backend.baseUrl)
  const [healthUrl, setHealthUrl] = useState(backend.healthUrl ?? '')
  const [description, setDescription] = useState(backend.description ?? '')
  const change = {
    ...(baseUrl === backend.baseUrl ? {} : { baseUrl }),
    ...(healthUrl === (backend.healthUrl ?? '') ? {} : { healthUrl: healthUrl || null }),
    ...(description === (backend.description ?? '') ? {} : { description: description || null }),
  }
  const save = useMutation({
    mutationFn: () => update(backend, change),
    onSuccess: (changed) => {
      const back = {
        ...('baseUrl' in change ? { baseUrl: backend.baseUrl } : {}),
        ...('healthUrl' in change ? { healthUrl: backend.healthUrl } : {}),
        ...('description' in change ? { description: backend.description } : {}),
      }
      notifyDone(`${backend.name} was changed`, () => update(changed, back))
      onClose()
    },
  })
  return (
    <DialogForm submit="Save" busy={save.isPending} error={save.error} onSubmit={save.mutate} onClose={onClose}>
      <Field
        label="Base URL"
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.target.value)}
        hint="A new address is checked and pinned again."
        error={fieldProblem(save.error, 'baseUrl')}
      />
      <Field
        label="Health URL"
        value={healthUrl}
        onChange={(event) => setHealthUrl(event.target.value)}
        error={fieldProblem(save.error, 'healthUrl')}
      />
      <Field
        label="Description"
        value={description}
        maxLength={1024}
        onChange={(event) => setDescription(event.target.value)}
        error={fieldProblem(save.error, 'description')}
      />
    </DialogForm>
  )
}
