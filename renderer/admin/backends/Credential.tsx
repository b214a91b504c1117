// The credential of a backend: set, replace, remove; never shown.

import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { type ClientDetail, mayUse, type UpstreamAuthInput } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { formatMoment } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { submitting } from '../../ui/submitting.ts'
import { CredentialDetached } from './CredentialDetached.tsx'
import { type CredentialDraft, CredentialFields, draftOf, inputOf } from './CredentialFields.tsx'
import { Identity } from './Identity.tsx'
import { SignIn } from './SignIn.tsx'
import { useBackendChanges } from './use-backend-changes.ts'

const TYPE_NAMES: Readonly<Record<string, string>> = {
  bearer: t('Bearer token'),
  basic: t('User name and password'),
  header: t('Header'),
  query: t('Parameter'),
}

export function Credential({ backend }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const { refresh } = useBackendChanges()
  const [draft, setDraft] = useState<CredentialDraft>(draftOf('none'))
  const { configured } = backend.upstreamAuth
  const params = { name: backend.name }
  const save = useMutation({
    mutationFn: async (body: UpstreamAuthInput) => {
      await api.clients.setUpstreamAuth({ params, body })
      notifyDone(t('{name} is called with the new credential', { name: backend.name }))
      // The value typed since is another one.
      setDraft((now) => (now === draft ? draftOf('none') : now))
    },
    onSettled: refresh,
  })
  const clear = useMutation({
    mutationFn: () => api.clients.clearUpstreamAuth({ params }),
    onSuccess: () => notifyDone(t('{name} is called without a credential', { name: backend.name })),
    onError: notifyError,
    onSettled: refresh,
  })
  const input = inputOf(draft)
  const inUse = inWords(backend)
  const { origin } = new URL(backend.baseUrl)
  return (
    <div className="max-w-2xl px-6 py-5">
      <Identity backend={backend} />
      {backend.credentialDetached.length > 0 && (
        <div className="mb-4">
          <CredentialDetached backend={backend} />
        </div>
      )}
      <section aria-label={t('Credential in use')} className="card flex items-center gap-4 px-5 py-4">
        <KeyRound aria-hidden className={cx('size-5 shrink-0', configured ? 'text-ok' : 'text-ink-3')} />
        <div className="min-w-0 grow">
          <p className="text-sm font-medium">{inUse.title}</p>
          <p className="text-xs text-ink-3">{inUse.about}</p>
        </div>
        {configured && mayUse(actor, 'admin') && (
          <Button look="quiet-danger" busy={clear.isPending} onClick={() => clear.mutate()}>
            {t('Remove')}
          </Button>
        )}
      </section>
      <SignIn backend={backend} />
      {mayUse(actor, 'admin') && (
        <form className="mt-6 flex flex-col gap-4" onSubmit={submitting(() => input && save.mutate(input))}>
          <h2 className="text-sm font-semibold">{configured ? t('Replace the credential') : t('Set a credential')}</h2>
          <CredentialFields draft={draft} onChange={setDraft} />
          <p className="text-xs text-ink-3">
            {backend.credentialDetached.length > 0 || backend.canary || backend.lb
              ? t('It is sent to {origin}, and to other servers an admin confirmed.', { origin })
              : t('It is sent to {origin}.', { origin })}
          </p>
          {save.error && <ErrorNote error={save.error} />}
          <div>
            <Button type="submit" look="strong" busy={save.isPending} disabled={input === undefined}>
              {t('Save credential')}
            </Button>
          </div>
        </form>
      )}
    </div>
  )
}

function inWords({ upstreamAuth, oauthConfigured }: ClientDetail): { readonly title: string; readonly about: string } {
  const { configured, type, headerName, paramName, updatedAt } = upstreamAuth
  if (configured)
    return {
      title: `${TYPE_NAMES[type ?? ''] ?? t('A credential')} ${headerName ?? paramName ?? ''}`,
      about: updatedAt
        ? t('Encrypted, set {time}. It cannot be read again, here or anywhere.', { time: formatMoment(updatedAt) })
        : t('Encrypted. It cannot be read again, here or anywhere.'),
    }
  if (oauthConfigured) return { title: t('No other credential'), about: t('Only the OAuth2 token is sent.') }
  return {
    title: t('Called without a credential'),
    about: t('Set one if the backend requires it. Callers of the tools never see it.'),
  }
}
