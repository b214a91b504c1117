// How the gateway signs in at a backend with OAuth2 client credentials: set, tried and removed; its secret is never shown.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { type ClientDetail, mayUse, OAuthInput } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { Select } from '../../ui/Select.tsx'
import { useChecked } from '../../ui/use-checked.ts'
import { useSending } from '../../ui/use-mounted.ts'
import { useBackendChanges } from './use-backend-changes.ts'

type OAuth = NonNullable<Awaited<ReturnType<typeof api.clients.getOauth>>['oauth']>

export function SignIn({ backend }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const { refresh } = useBackendChanges()
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
        ? notifyDone(`A token was given${expiresInMs === null ? '' : `, good for ${formatSpan(expiresInMs)}`}`)
        : notifyError(new Error(`No token was given: ${error ?? 'no reason given'}`)),
    onError: notifyError,
  })
  const clear = useMutation({
    mutationFn: () => api.clients.clearOauth({ params }),
    onSuccess: () => notifyDone(`${backend.name} is called without signing in`),
    onError: notifyError,
    onSettled: refresh,
  })
  const oauth = found.data?.oauth
  const may = mayUse(actor, 'admin')
  if (found.error) return <ErrorNote error={found.error} className="mt-4" />
  return (
    <section aria-label="Signing in with OAuth2" className="card mt-4 flex items-center gap-4 px-5 py-4">
      <Fingerprint aria-hidden className={cx('size-5 shrink-0', oauth ? 'text-ok' : 'text-ink-3')} />
      <div className="min-w-0 grow">
        <p className="text-sm font-medium">{oauth ? `Signs in as ${oauth.clientId}` : 'Does not sign in'}</p>
        <p className="text-xs break-words text-ink-3">
          {oauth
            ? `At ${oauth.tokenUrl}, set ${formatMoment(oauth.updatedAt)}. Goes before a bearer token.`
            : 'With OAuth2 the gateway fetches a token with client credentials and renews it by itself.'}
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
      <Dialog
        open={editing}
        onClose={() => setEditing(false)}
        title={`How ${backend.name} is signed in at`}
        about="Client credentials of OAuth2. Callers of the tools never see the token."
        width="max-w-lg"
      >
        {editing && <Form name={backend.name} oauth={oauth ?? null} onClose={() => setEditing(false)} />}
      </Dialog>
    </section>
  )
}

const STYLES = [
  { value: 'body', label: 'In the body of the request' },
  { value: 'basic', label: 'As a user name and password', about: 'Authorization: Basic …' },
] as const

function Form({
  name,
  oauth,
  onClose,
}: {
  readonly name: string
  readonly oauth: OAuth | null
  readonly onClose: () => void
}) {
  const { settled } = useInvalidate('clients', 'overview')
  const [draft, setDraft] = useState({
    tokenUrl: oauth?.tokenUrl ?? '',
    clientId: oauth?.clientId ?? '',
    clientSecret: '',
    scope: oauth?.scope ?? '',
    audience: oauth?.audience ?? '',
    authStyle: oauth?.authStyle ?? ('body' as const),
  })
  const save = useSending(async (body: OAuthInput) => {
    await settled(api.clients.setOauth({ params: { name }, body }))
    notifyDone(`${name} is signed in at with OAuth2`)
  }, onClose)
  const { clientSecret, scope, audience, ...rest } = draft
  const input = { ...rest, scope: scope || null, audience: audience || null, ...(clientSecret ? { clientSecret } : {}) }
  const { problem, submit } = useChecked(OAuthInput, input, save.error)
  const field = (key: Exclude<keyof typeof draft, 'authStyle'>, label: string) => ({
    label,
    value: draft[key],
    spellCheck: false,
    autoComplete: 'off',
    error: problem(key),
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setDraft({ ...draft, [key]: event.target.value }),
  })
  return (
    <DialogForm
      submit="Save"
      busy={save.isPending}
      ready={draft.tokenUrl !== '' && draft.clientId !== '' && (oauth !== null || clientSecret !== '')}
      error={save.error}
      onSubmit={() => submit(save.mutate)}
      onClose={onClose}
    >
      <Field {...field('tokenUrl', 'Token URL')} />
      <Field {...field('clientId', 'Client id')} />
      <Field
        {...field('clientSecret', 'Client secret')}
        type="password"
        autoComplete="new-password"
        hint={`Stored encrypted and never shown again.${oauth ? ' Empty keeps the one that is set.' : ''}`}
      />
      <div className="grid grid-cols-2 gap-4">
        <Field {...field('scope', 'Scope')} />
        <Field {...field('audience', 'Audience')} />
      </div>
      <Select
        label="The credentials are sent"
        value={draft.authStyle}
        options={STYLES}
        onChange={(authStyle) => setDraft({ ...draft, authStyle })}
      />
    </DialogForm>
  )
}
