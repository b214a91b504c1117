// Sign-in: supports password managers, shows errors, counts down rate limits, and returns to the page.

import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { api } from '../../api/api.ts'
import { meQuery } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { faultOf } from '../../ui/fault.ts'
import { formatSpan } from '../../ui/format.ts'
import { RevealButton } from '../../ui/RevealButton.tsx'
import { submitting } from '../../ui/submitting.ts'
import { useCountdown } from '../../ui/use-countdown.ts'
import { useUrlParams } from '../../url-params.ts'
import { DoorPage } from './DoorPage.tsx'
import { safeNext, ssoProblem } from './next.ts'

export function SignInPage() {
  const [params] = useUrlParams()
  const { data: me } = useSuspenseQuery(meQuery)
  const next = safeNext(params.next)
  if (me) return <Navigate to={next.path} search={next.search} replace />
  return (
    <DoorPage title={t('Sign in to Gantry')}>
      <SignInForm ssoError={ssoProblem(params.sso_error)} />
      <SingleSignOn next={params.next} />
    </DoorPage>
  )
}

/** `known`: the user whose session ended. */
export function SignInForm({ ssoError, known }: { readonly ssoError?: string | undefined; readonly known?: string }) {
  const queries = useQueryClient()
  const [username, setUsername] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [shown, setShown] = useState(false)
  const [capsLock, setCapsLock] = useState(false)
  const signIn = useMutation({
    mutationFn: () => api.auth.login({ body: { username: username.trim(), password } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  })
  const waitMs = useCountdown(signIn.error ? faultOf(signIn.error).retryAfterMs : undefined, signIn.submittedAt)
  const watchCapsLock = (event: KeyboardEvent): void => setCapsLock(event.getModifierState('CapsLock'))

  return (
    <form
      className={known === undefined ? 'card flex flex-col gap-4 p-5' : 'flex flex-col gap-4'}
      onSubmit={submitting(() => waitMs === 0 && signIn.mutate())}
    >
      {ssoError && !signIn.error && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2.5 text-sm">
          {ssoError}
        </p>
      )}
      <Field
        label={t('User name')}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={known === undefined}
        required
        maxLength={64}
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <Field
        label={t('Password')}
        name="password"
        type={shown ? 'text' : 'password'}
        autoComplete="current-password"
        required
        maxLength={256}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        onKeyDown={watchCapsLock}
        onKeyUp={watchCapsLock}
        onBlur={() => setCapsLock(false)}
        hint={capsLock ? <span className="text-warn">{t('Caps Lock is on.')}</span> : undefined}
        adornment={<RevealButton shown={shown} onChange={setShown} />}
      />
      {signIn.error && <ErrorNote error={signIn.error} />}
      <Button type="submit" look="strong" size="lg" busy={signIn.isPending} disabled={waitMs > 0}>
        {waitMs > 0 ? t('Try again in {waitMs}', { waitMs: formatSpan(waitMs) }) : t('Sign in')}
      </Button>
    </form>
  )
}

export function SingleSignOn({ next }: { readonly next: string | undefined }) {
  const { data } = useQuery({ queryKey: ['sso'], queryFn: () => api.auth.oidcConfig(), staleTime: Infinity })
  if (!data?.enabled) return null
  const { href } = safeNext(next)
  return (
    <a
      className={cx(buttonClass({ size: 'lg' }), 'mt-3 w-full')}
      href={`/admin-api/auth/oidc/start?${new URLSearchParams({ returnTo: `/admin${href}` }).toString()}`}
    >
      {t('Continue with single sign-on')}
    </a>
  )
}
