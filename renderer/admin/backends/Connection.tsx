// Where a backend lives, how it was found, how it answers; what of that may be changed.
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
import { ConflictBanner } from '../../ui/SaveBar.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSending } from '../../ui/use-mounted.ts'
import { BreakerState } from './BackendState.tsx'
import { CredentialChoice, detachedFrom } from './CredentialChoice.tsx'
import { CredentialDetached } from './CredentialDetached.tsx'
import { useBackendChanges } from './use-backend-changes.ts'

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

type Draft = { readonly baseUrl: string; readonly healthUrl: string; readonly description: string }
const draftOf = ({ baseUrl, healthUrl, description }: ClientDetail): Draft => ({
  baseUrl,
  healthUrl: healthUrl ?? '',
  description: description ?? '',
})

/** What differs, as the gateway takes it. */
function changeOf(from: Draft, to: Draft) {
  return {
    ...(to.baseUrl === from.baseUrl ? {} : { baseUrl: to.baseUrl }),
    ...(to.healthUrl === from.healthUrl ? {} : { healthUrl: to.healthUrl || null }),
    ...(to.description === from.description ? {} : { description: to.description || null }),
  }
}

function Form({ backend, onClose }: { readonly backend: ClientDetail; readonly onClose: () => void }) {
  const { update } = useBackendChanges()
  const kept = useDraft(backend, draftOf)
  const { base, before, draft, setDraft } = kept
  const set = (next: Partial<Draft>): void => setDraft({ ...draft, ...next })
  const [keep, setKeep] = useState(false)
  const moves = draft.baseUrl !== before.baseUrl && detachedFrom(backend, draft.baseUrl) !== undefined
  const save = useSending(async () => {
    const keepCredential = moves && keep ? { keepCredential: true } : {}
    const changed = await update(base, { ...changeOf(before, draft), ...keepCredential })
    notifyDone(
      changed.warnings
        ? `${backend.name} was changed, and is called without its credential`
        : `${backend.name} was changed`,
      () => update(changed, changeOf(draft, before)),
    )
  }, onClose)
  const contested = kept.contested && !save.isPending
  return (
    <DialogForm
      submit="Save"
      busy={save.isPending}
      ready={!contested}
      error={save.error}
      onSubmit={() => save.mutate(undefined)}
      onClose={onClose}
    >
      <Field
        label="Base URL"
        value={draft.baseUrl}
        onChange={(event) => set({ baseUrl: event.target.value })}
        hint="A new address is checked and pinned again."
        error={fieldProblem(save.error, 'baseUrl')}
      />
      {moves && <CredentialChoice backend={backend} url={draft.baseUrl} keep={keep} onKeep={setKeep} />}
      <Field
        label="Health URL"
        value={draft.healthUrl}
        onChange={(event) => set({ healthUrl: event.target.value })}
        error={fieldProblem(save.error, 'healthUrl')}
      />
      <Field
        label="Description"
        value={draft.description}
        maxLength={1024}
        onChange={(event) => set({ description: event.target.value })}
        error={fieldProblem(save.error, 'description')}
      />
      <ConflictBanner kept={{ ...kept, contested }} what={backend.name} />
    </DialogForm>
  )
}
