// The first steps, completed by the gateway's state.
import { Link, useRouter } from '@tanstack/react-router'
import { ArrowRight, Check, X } from 'lucide-react'
import type { Overview } from '#contract'
import { usePreferences } from '../../shell/preferences.ts'
import { IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'

type Onboarding = Overview['onboarding']

const STEPS: readonly {
  readonly key: keyof Onboarding
  readonly title: string
  readonly about: string
  readonly path: string
}[] = [
  {
    key: 'backend',
    title: 'Add a backend',
    about: 'An OpenAPI document, a GraphQL endpoint, an MCP server or a curl command.',
    path: '/backends',
  },
  {
    key: 'bundle',
    title: 'Choose its tools',
    about: 'A bundle is the set of tools for one client.',
    path: '/bundles',
  },
  {
    key: 'key',
    title: 'Mint a key',
    about: 'A key with access to the bundle only.',
    path: '/keys',
  },
  {
    key: 'firstCall',
    title: 'Connect a client',
    about: 'Completes when the first call arrives.',
    path: '/connect',
  },
]

export function FirstRun({ onboarding }: { readonly onboarding: Onboarding }) {
  const hidden = usePreferences((state) => state.checklistHidden)
  const done = STEPS.filter((step) => onboarding[step.key]).length
  const current = STEPS.find((step) => !onboarding[step.key])
  if (hidden || !current) return null
  return (
    <section aria-label="First steps" className="card overflow-hidden">
      <header className="flex items-center gap-3 py-2 pr-2 pl-5">
        <h2 className="text-sm font-semibold">Get started</h2>
        <span className="grow text-xs text-ink-3">
          {done} of {STEPS.length} done
        </span>
        <IconButton label="Hide" size="sm" onClick={() => usePreferences.setState({ checklistHidden: true })}>
          <X />
        </IconButton>
      </header>
      <ol className="grid grid-cols-4 divide-x divide-line border-t border-line">
        {STEPS.map((step, index) => (
          <li key={step.key} className={cx('flex gap-3 px-5 py-4', step === current && 'bg-hover')}>
            <Tick done={onboarding[step.key]} number={index + 1} current={step === current} />
            <div>
              <p className={cx('text-sm font-medium', onboarding[step.key] && 'text-ink-3')}>{step.title}</p>
              <p className="mt-0.5 text-xs text-ink-2">{step.about}</p>
              {step === current && <StepLink path={step.path} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
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
      {done ? <Check aria-label="Done" className="size-3" /> : number}
    </span>
  )
}

/** A step links to its page, if present. */
function StepLink({ path }: { readonly path: string }) {
  // Routes come from a table, so the router's type has no paths.
  const known = useRouter().routesByPath as Readonly<Record<string, unknown>>
  if (!(path in known)) return null
  return (
    <Link
      to={path}
      className="mt-2 inline-flex items-center gap-1 rounded text-xs font-medium text-link hover:underline"
    >
      Start <ArrowRight aria-hidden className="size-3.5" />
    </Link>
  )
}
