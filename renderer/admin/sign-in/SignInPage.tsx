// Sign-in: supports password managers, shows errors, counts down rate limits, and returns to the page.
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { api } from '../../api/api.ts'
import { meQuery } from '../../api/session.ts'
import { changeLanguage, LANGUAGE_TAGS, LANGUAGES, language, t } from '../../language/language.ts'
import { Brand } from '../../ui/Brand.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { faultOf } from '../../ui/fault.ts'
import { formatSpan } from '../../ui/format.ts'
import { RevealButton } from '../../ui/RevealButton.tsx'
import { useCountdown } from '../../ui/use-countdown.ts'
import { useUrlParams } from '../../url-params.ts'
import { safeNext, ssoProblem } from './next.ts'

const OTHERS = LANGUAGE_TAGS.filter((each) => each !== language)

export function SignInPage() {
  const [params] = useUrlParams()
  const { data: me } = useSuspenseQuery(meQuery)
  const next = safeNext(params.next)
  if (me) return <Navigate to={next.path} search={next.search} replace />
  return (
    <main className="grid h-full place-items-center overflow-y-auto bg-canvas px-4">
      <div className="w-full max-w-[21rem] pb-[8vh]">
        <div className="mb-7 flex flex-col items-center gap-3 text-center">
          <Brand className="size-11" />
          <h1 className="text-xl font-semibold tracking-[-0.012em]">{t('Sign in to Gantry')}</h1>
        </div>
        <SignInForm ssoError={ssoProblem(params.sso_error)} />
        <SingleSignOn next={params.next} />
        <div className="mt-6 flex justify-center gap-1">
          {OTHERS.map((each) => (
            <Button key={each} look="quiet" lang={each} onClick={() => changeLanguage(each)}>
              {LANGUAGES[each]}
            </Button>
          ))}
        </div>
      </div>
    </main>
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
      onSubmit={(event) => {
        event.preventDefault()
        if (waitMs === 0) signIn.mutate()
      }}
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
