// What the gateway sends to a backend in its own name: set, replaced and removed, never shown again.
import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { type ClientDetail, mayUse, type UpstreamAuthInput } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { formatMoment } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { type CredentialDraft, CredentialFields, draftOf, inputOf } from './CredentialFields.tsx'
import { useBackendChanges } from './use-backend-changes.ts'

const TYPE_NAMES: Readonly<Record<string, string>> = {
  bearer: 'Bearer token',
  basic: 'User name and password',
  header: 'Header',
  query: 'Parameter',
}

export function Credential({ backend }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const { refresh } = useBackendChanges()
  const [draft, setDraft] = useState<CredentialDraft>(draftOf('none'))
  const { configured, type, headerName, paramName, updatedAt } = backend.upstreamAuth
  const params = { name: backend.name }
  const save = useMutation({
    mutationFn: (body: UpstreamAuthInput) => api.clients.setUpstreamAuth({ params, body }),
    onSuccess: () => {
      notifyDone(`${backend.name} is called with the new credential`)
      setDraft(draftOf('none'))
    },
    onSettled: refresh,
  })
  const clear = useMutation({
    mutationFn: () => api.clients.clearUpstreamAuth({ params }),
    onSuccess: () => notifyDone(`${backend.name} is called without a credential`),
    onError: notifyError,
    onSettled: refresh,
  })
  const input = inputOf(draft)
  return (
    <div className="mx-auto max-w-2xl px-6 py-5">
      {configured ? (
        <section aria-label="Credential in use" className="card flex items-center gap-4 px-5 py-4">
          <KeyRound aria-hidden className="size-5 shrink-0 text-ok" />
          <div className="grow">
            <p className="text-sm font-medium">
              {TYPE_NAMES[type ?? ''] ?? 'A credential'} {headerName ?? paramName}
            </p>
            <p className="text-xs text-ink-3">
              Encrypted{updatedAt && `, set ${formatMoment(updatedAt)}`}. It cannot be read again, here or anywhere.
            </p>
          </div>
          {mayUse(actor, 'admin') && (
            <Button look="quiet-danger" busy={clear.isPending} onClick={() => clear.mutate()}>
              Remove
            </Button>
          )}
        </section>
      ) : (
        <EmptyState
          icon={KeyRound}
          title={backend.oauthConfigured ? 'Signs in with OAuth2' : 'Called without a credential'}
          about={
            backend.oauthConfigured
              ? 'The gateway fetches a token with client credentials and renews it by itself.'
              : 'If the backend wants one, give it here; callers of the tools never see it.'
          }
        />
      )}
      {mayUse(actor, 'admin') && (
        <form
          className="mt-6 flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            if (input) save.mutate(input)
          }}
        >
          <h2 className="text-sm font-semibold">{configured ? 'Replace it' : 'Set one'}</h2>
          <CredentialFields draft={draft} onChange={setDraft} />
          {save.error && <ErrorNote error={save.error} />}
          <div>
            <Button type="submit" look="strong" busy={save.isPending} disabled={input === undefined}>
              Save credential
            </Button>
          </div>
        </form>
      )}
    </div>
  )
}
