// OAuth2 client credentials of a backend: set, test, remove; the secret is never shown.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { type ClientDetail, mayUse, OAuthInput } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog } from '../../ui/form/RecordForm.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { useChanges } from '../../ui/use-records.ts'

export function SignIn({ backend }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const { refresh, run } = useChanges('clients', 'tools', 'overview')
  const [editing, setEditing] = useState(false)
  const params = { name: backend.name }
  const found = useQuery({
    queryKey: ['clients', 'oauth', backend.name],
    queryFn: () => api.clients.getOauth({ params }),
  })
  const test = useMutation({
    mutationFn: () => api.clients.testOauth({ params }),
    onSuccess: ({ ok, expiresInMs, error }) =>
      ok
        ? notifyDone(
            expiresInMs === null
              ? t('Token received')
              : t('Token received, valid for {duration}', { duration: formatSpan(expiresInMs) }),
          )
        : notifyError(new Error(t('No token received: {reason}', { reason: error ?? t('no reason given') }))),
    onError: notifyError,
  })
  const clear = useMutation({
    mutationFn: () => api.clients.clearOauth({ params }),
    onSuccess: () => notifyDone(t('{name} no longer uses OAuth2', { name: backend.name })),
    onError: notifyError,
    onSettled: refresh,
  })
  const oauth = found.data?.oauth
  const may = mayUse(actor, 'admin')
  if (found.error) return <ErrorNote error={found.error} className="mt-4" />
  return (
    <section aria-label={t('OAuth2')} className="card mt-4 flex items-center gap-4 px-5 py-4">
      <Fingerprint aria-hidden className={cx('size-5 shrink-0', oauth ? 'text-ok' : 'text-ink-3')} />
      <div className="min-w-0 grow">
        <p className="text-sm font-medium">
          {oauth ? t('Signs in as {clientId}', { clientId: oauth.clientId }) : t('No OAuth2')}
        </p>
        <p className="text-xs break-words text-ink-3">
          {oauth
            ? t('At {tokenUrl}, set {updatedAt}. Takes precedence over a bearer token.', {
                tokenUrl: oauth.tokenUrl,
                updatedAt: formatMoment(oauth.updatedAt),
              })
            : t('With OAuth2 the gateway fetches a token with client credentials and renews it automatically.')}
        </p>
      </div>
      {may && found.data && (
        <>
          {oauth && (
            <>
              <Button busy={test.isPending} onClick={() => test.mutate()}>
                {t('Fetch a token')}
              </Button>
              <Button look="quiet-danger" busy={clear.isPending} onClick={() => clear.mutate()}>
                {t('Remove')}
              </Button>
            </>
          )}
          <Button onClick={() => setEditing(true)}>{oauth ? t('Change…') : t('Set…')}</Button>
        </>
      )}
      <RecordDialog
        open={editing}
        onClose={() => setEditing(false)}
        title={t('OAuth2 of {name}', { name: backend.name })}
        about={t('Client credentials of OAuth2. Callers of the tools never see the token.')}
        width="max-w-lg"
        form={oauth ? CHANGE : NEW}
        record={oauth ?? undefined}
        submit={t('Save')}
        onSubmit={(body) =>
          run(api.clients.setOauth({ params, body }), t('{name} uses OAuth2 now', { name: backend.name }))
        }
      />
    </section>
  )
}

const signInForm = (isNew: boolean) =>
  formOf(OAuthInput, {
    tokenUrl: { label: t('Token URL'), code: true },
    clientId: { label: t('Client id'), code: true },
    clientSecret: {
      label: t('Client secret'),
      secret: true,
      hint: isNew
        ? t('Stored encrypted and never shown again.')
        : t('Stored encrypted and never shown again. Leave empty to keep the stored one.'),
      ...(isNew ? { needed: true } : {}),
    },
    scope: { label: t('Scope'), code: true, half: true },
    audience: { label: t('Audience'), code: true, half: true },
    authStyle: {
      label: t('The credentials are sent'),
      options: {
        body: t('In the body of the request'),
        basic: { label: t('As a user name and password'), about: t('Authorization: Basic …') },
      },
    },
  })
const NEW = signInForm(true)
const CHANGE = signInForm(false)
