// An invited user chooses a password here and is signed in. The token is sent in bodies only.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { faultOf } from '../../ui/fault.ts'
import { formatSpan } from '../../ui/format.ts'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { submitting } from '../../ui/submitting.ts'
import { useCountdown } from '../../ui/use-countdown.ts'
import { DoorPage } from './DoorPage.tsx'

export function InvitationPage() {
  const { token = '' } = useParams({ strict: false })
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => api.auth.readInvitation({ body: { token } }),
    // Counted like sign-ins, and the answer is final.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (invitation.isPending)
    return (
      <DoorPage title={t('Your invitation')}>
        <Skeleton className="h-48 w-full" />
      </DoorPage>
    )
  if (invitation.error)
    return (
      <DoorPage title={t('This invitation cannot be used')}>
        <ErrorNote error={invitation.error} />
        <Link to="/login" className={cx(buttonClass({ size: 'lg' }), 'mt-4 w-full')}>
          {t('Go to sign-in')}
        </Link>
      </DoorPage>
    )
  return (
    <DoorPage title={t('Choose a password')}>
      <ChoosePassword token={token} username={invitation.data.username} />
    </DoorPage>
  )
}

function ChoosePassword({ token, username }: { readonly token: string; readonly username: string }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const accept = useMutation({
    mutationFn: () => api.auth.acceptInvitation({ body: { token, password } }),
    onSuccess: async () => {
      // Data of another user in this tab is dropped, and the address with the token leaves the history.
      queries.clear()
      await navigate({ to: '/', replace: true })
    },
  })
  const waitMs = useCountdown(accept.error ? faultOf(accept.error).retryAfterMs : undefined, accept.submittedAt)
  return (
    <form className="card flex flex-col gap-4 p-5" onSubmit={submitting(() => waitMs === 0 && accept.mutate())}>
      <p className="text-sm text-ink-2">{t('This link works once. You are signed in afterwards.')}</p>
      <Field label={t('User name')} name="username" autoComplete="username" readOnly value={username} />
      <PasswordField label={t('New password')} value={password} onChange={setPassword} />
      {accept.error && <ErrorNote error={accept.error} />}
      <Button type="submit" look="strong" size="lg" busy={accept.isPending} disabled={waitMs > 0}>
        {waitMs > 0 ? t('Try again in {waitMs}', { waitMs: formatSpan(waitMs) }) : t('Set password and sign in')}
      </Button>
    </form>
  )
}
