// Replaces a page: not found, not permitted, or failed.
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Compass, Lock } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { ApiError } from '#contract'
import { useGatewayStatus } from '../api/gateway-status.ts'
import { t } from '../language/language.ts'
import type { PageRow } from '../pages.ts'
import { buttonClass } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { NoGateway } from './GatewayStopped.tsx'

function Home() {
  return (
    <Link to="/" className={buttonClass({})}>
      {t('Go to the overview')}
    </Link>
  )
}

export function NotFound() {
  return (
    <div className="pt-[12vh]">
      <EmptyState
        heading="h1"
        icon={Compass}
        title={t('Page not found')}
        about={t('The address may be mistyped, or the page may have moved.')}
        action={<Home />}
      />
    </div>
  )
}

export function NotAllowed({ page }: { readonly page: PageRow }) {
  const need =
    page.access === 'self'
      ? t('It is for people who signed in with a password or single sign-on.')
      : page.access === 'superadmin'
        ? t('It is for administrators without a team.')
        : t('It needs the role {access} or a higher one.', { access: page.access })
  return (
    <div className="pt-[12vh]">
      <EmptyState
        heading="h1"
        icon={Lock}
        title={t('{title} is not open to you', { title: page.title })}
        about={need}
        action={<Home />}
      />
    </div>
  )
}

export function PageBroke({ error, reset }: ErrorComponentProps) {
  const queries = useQueryErrorResetBoundary()
  const gateway = useGatewayStatus((known) => known.status)
  const answered = !(error instanceof ApiError) || error.status > 0
  const retry = useEffectEvent(() => {
    queries.reset()
    reset()
  })
  // Failed because the gateway is unreachable: renders again when it answers.
  const waited = error instanceof ApiError && error.code === 'SHUTTING_DOWN' && gateway?.state === 'running'
  useEffect(() => {
    if (waited) retry()
  }, [waited])
  if (gateway?.state === 'stopped')
    return (
      <div className="h-full bg-surface pt-[12vh]">
        <NoGateway status={gateway} />
      </div>
    )
  return (
    <div className="h-full bg-surface pt-[12vh]">
      <ErrorState
        error={error}
        title={answered ? t('This page stopped working') : t('The gateway cannot be reached')}
        onRetry={() => {
          queries.reset()
          reset()
        }}
      />
    </div>
  )
}
