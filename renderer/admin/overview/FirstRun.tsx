// The first steps, completed by what the user did; each leads to its form.
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowRight, Check, FlaskConical, Plus, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { mayUse, type Overview } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Button, buttonClass, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { formatTools } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { useBackendChanges } from '../backends/use-backend-changes.ts'

type Onboarding = Overview['onboarding']

const STEPS = [
  {
    key: 'backend',
    title: t('Add a backend'),
    about: t('An OpenAPI document, a GraphQL endpoint, an MCP server or a curl command.'),
  },
  { key: 'key', title: t('Connect a client'), about: t('Mint a key and copy a snippet that has it filled in.') },
  { key: 'firstCall', title: t('Make the first call'), about: t('Completes when the client calls a tool.') },
] as const satisfies readonly { readonly key: keyof Onboarding; readonly title: string; readonly about: string }[]

type Step = (typeof STEPS)[number]

export function FirstRun({ onboarding }: { readonly onboarding: Onboarding }) {
  const hidden = usePreferences((state) => state.checklistHidden)
  const current = STEPS.find((step) => !onboarding[step.key])
  // Finished while it was on screen: the result is shown before it goes.
  const [seen, setSeen] = useState(false)
  if (current && !seen) setSeen(true)
  if (hidden || (!current && !seen)) return null
  const done = STEPS.filter((step) => onboarding[step.key]).length
  return (
    <section aria-label={t('First steps')} className="card overflow-hidden">
      <header className="flex items-center gap-3 py-2 pr-2 pl-5">
        <h2 className="text-sm font-semibold">{current ? t('Get started') : t('Your client made its first call')}</h2>
        <span className="grow text-xs text-ink-3">{t('{done} of {count} done', { done, count: STEPS.length })}</span>
        {!current && (
          <Link to="/calls" className={buttonClass({ size: 'sm' })}>
            {t('Show calls')}
          </Link>
        )}
        <IconButton label={t('Hide')} size="sm" onClick={() => usePreferences.setState({ checklistHidden: true })}>
          <X />
        </IconButton>
      </header>
      <ol className="grid grid-cols-1 divide-line border-t border-line max-md:divide-y md:grid-cols-3 md:divide-x">
        {STEPS.map((step, index) => (
          <li key={step.key} className={cx('flex gap-3 px-5 py-4', step === current && 'bg-hover')}>
            <Tick done={onboarding[step.key]} number={index + 1} current={step === current} />
            <div className="min-w-0">
              <p className={cx('text-sm font-medium', onboarding[step.key] && 'text-ink-3')}>{step.title}</p>
              <p className="mt-0.5 text-xs text-ink-2">{step.about}</p>
              {step === current && <Actions step={step} sampleUrl={onboarding.sampleUrl} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Actions({ step, sampleUrl }: { readonly step: Step; readonly sampleUrl: string }) {
  const operates = mayUse(useActor(), 'operator')
  if (step.key === 'backend') return operates ? <AddBackend sampleUrl={sampleUrl} /> : null
  return (
    <p className="mt-2">
      <StepLink to="/connect">{rich('Connect {arrowright}', { arrowright: <ArrowRight aria-hidden /> })}</StepLink>
    </p>
  )
}

function AddBackend({ sampleUrl }: { readonly sampleUrl: string }) {
  const navigate = useNavigate()
  const { refresh } = useBackendChanges()
  const sample = useMutation({
    mutationFn: () => api.register.register({ body: { name: 'petstore', openapi_url: sampleUrl } }),
    onSuccess: async ({ name, tools_count: count }) => {
      await refresh()
      notifyDone(t('{name} is live with {count}', { name, count: formatTools(count) }))
      await navigate({ to: '/connect', search: { to: `client:${name}` } })
    },
  })
  return (
    <>
      <div className="mt-2 flex flex-wrap gap-2">
        <StepLink to="/add-backend">
          <Plus aria-hidden />
          {t('Add your own')}
        </StepLink>
        <Button size="sm" busy={sample.isPending} onClick={() => sample.mutate(undefined)}>
          <FlaskConical />
          {t('Try a sample')}
        </Button>
      </div>
      {sample.error && <ErrorNote error={sample.error} className="mt-3" />}
    </>
  )
}

function StepLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className={buttonClass({ size: 'sm', look: 'strong' })}>
      {children}
    </Link>
  )
}

function Tick({
  done,
  number,
  current,
}: {
  readonly done: boolean
  readonly number: number
  readonly current: boolean
}) {
  return (
    <span
      className={cx(
        'grid size-5 shrink-0 place-items-center rounded-full text-2xs font-semibold',
        done ? 'bg-ok-soft text-ok' : current ? 'bg-strong text-on-strong' : 'border border-line-strong text-ink-3',
      )}
    >
      {done ? <Check aria-label={t('Done')} className="size-3" /> : number}
    </span>
  )
}
