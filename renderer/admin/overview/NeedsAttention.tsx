// The first thing on the overview: what needs attention, each with the page to handle it.
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { Overview } from '#contract'
import { t } from '../../language/language.ts'
import { Dot } from '../../ui/Badge.tsx'
import { attentionOf } from './attention.ts'
import type { Usage } from './use-usage.ts'

export function NeedsAttention({
  overview,
  firing,
  usage,
}: {
  readonly overview: Overview
  readonly firing: number | undefined
  readonly usage: Usage | undefined
}) {
  const items = attentionOf(overview, firing ?? 0, usage?.clients)
  return (
    <section aria-label={t('Needs attention')} className="card px-5 py-4">
      <h2 className="text-xs font-medium text-ink-2">{t('Needs attention')}</h2>
      {items.length === 0 ? (
        <p className="mt-2 flex items-center gap-2 text-sm">
          <CircleCheck aria-hidden className="size-4 text-ok" />
          {t('Nothing. Backends answer, and no approval, alert or monitor waits.')}
        </p>
      ) : (
        <ul className="mt-2 flex flex-wrap gap-2">
          {items.map(({ key, tone, text, to, search }) => (
            <li key={key}>
              <Link
                to={to}
                search={search ?? {}}
                className="flex items-center gap-2 rounded-md border border-line px-3 py-1.5 text-sm font-medium hover:bg-hover"
              >
                <Dot tone={tone} />
                {text}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
