// OAuth2 client credentials of a backend: set, test, remove; the secret is never shown.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { type ClientDetail, mayUse, OAuthInput } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { useChanges } from '../../api/use-records.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { RecordDialog } from '../../ui/form/RecordForm.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'

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
        ? notifyDone(`Token received${expiresInMs === null ? '' : `, valid for ${formatSpan(expiresInMs)}`}`)
        : notifyError(new Error(`No token received: ${error ?? 'no reason given'}`)),
    onError: notifyError,
  })
  const clear = useMutation({
    mutationFn: () => api.clients.clearOauth({ params }),
    onSuccess: () => notifyDone(`${backend.name} no longer uses OAuth2`),
    onError: notifyError,
    onSettled: refresh,
  })
  const oauth = found.data?.oauth
  const may = mayUse(actor, 'admin')
  if (found.error) return <ErrorNote error={found.error} className="mt-4" />
  return (
    <section aria-label="OAuth2" className="card mt-4 flex items-center gap-4 px-5 py-4">
      <Fingerprint aria-hidden className={cx('size-5 shrink-0', oauth ? 'text-ok' : 'text-ink-3')} />
      <div className="min-w-0 grow">
        <p className="text-sm font-medium">{oauth ? `Signs in as ${oauth.clientId}` : 'No OAuth2'}</p>
        <p className="text-xs break-words text-ink-3">
          {oauth
            ? `At ${oauth.tokenUrl}, set ${formatMoment(oauth.updatedAt)}. Takes precedence over a bearer token.`
            : 'With OAuth2 the gateway fetches a token with client credentials and renews it automatically.'}
        </p>
      </div>
      {may && found.data && (
        <>
          {oauth && (
            <>
              <Button busy={test.isPending} onClick={() => test.mutate()}>
                Fetch a token
              </Button>
              <Button look="quiet-danger" busy={clear.isPending} onClick={() => clear.mutate()}>
                Remove
              </Button>
            </>
          )}
          <Button onClick={() => setEditing(true)}>{oauth ? 'Change…' : 'Set…'}</Button>
        </>
      )}
      <RecordDialog
        open={editing}
        onClose={() => setEditing(false)}
        title={`OAuth2 of ${backend.name}`}
        about="Client credentials of OAuth2. Callers of the tools never see the token."
        width="max-w-lg"
        form={oauth ? CHANGE : NEW}
        record={oauth ?? undefined}
        submit="Save"
        onSubmit={(body) => run(api.clients.setOauth({ params, body }), `${backend.name} uses OAuth2 now`)}
      />
    </section>
  )
}

const signInForm = (isNew: boolean) =>
  formOf(OAuthInput, {
    tokenUrl: { label: 'Token URL', code: true },
    clientId: { label: 'Client id', code: true },
    clientSecret: {
      label: 'Client secret',
      secret: true,
      hint: `Stored encrypted and never shown again.${isNew ? '' : ' Leave empty to keep the stored one.'}`,
      ...(isNew ? { needed: true } : {}),
    },
    scope: { label: 'Scope', code: true, half: true },
    audience: { label: 'Audience', code: true, half: true },
    authStyle: {
      label: 'The credentials are sent',
      options: {
        body: 'In the body of the request',
        basic: { label: 'As a user name and password', about: 'Authorization: Basic …' },
      },
    },
  })
const NEW = signInForm(true)
const CHANGE = signInForm(false)
