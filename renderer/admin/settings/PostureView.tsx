// What in the configuration weakens security, worst first, with what to do.
import { useQuery } from '@tanstack/react-query'
import { CircleAlert, Info, ShieldCheck, TriangleAlert } from 'lucide-react'
import { type PostureFinding, SEVERITIES } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'

const LOOKS = {
  critical: { icon: CircleAlert, tone: 'bad', label: 'Critical', mark: 'bg-bad-soft text-bad' },
  warning: { icon: TriangleAlert, tone: 'warn', label: 'Warning', mark: 'bg-warn-soft text-warn' },
  info: { icon: Info, tone: 'info', label: 'Note', mark: 'bg-info-soft text-info' },
} as const

const TOLERATED = {
  development: t('Tolerated in development'),
  escape_hatch: t('Tolerated by a setting'),
} as const

export function PostureView() {
  const { data, error, refetch } = useQuery({ queryKey: ['posture'], queryFn: () => api.overview.posture() })
  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <PageSkeleton />
  if (data.findings.length === 0)
    return (
      <EmptyState
        icon={ShieldCheck}
        title={t('No findings')}
        about={t('All configuration checks passed. They run each time you open this page.')}
      />
    )
  const findings = data.findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
  return (
    <ul className="flex max-w-4xl flex-col gap-3 px-6 py-5">
      {findings.map((finding) => (
        <Finding key={finding.id} finding={finding} />
      ))}
    </ul>
  )
}

function Finding({ finding }: { readonly finding: PostureFinding }) {
  const { icon: Icon, tone, label, mark } = LOOKS[finding.severity]
  return (
    <li className="card flex gap-4 p-4">
      <span className={cx('grid size-8 shrink-0 place-items-center rounded-full', mark)}>
        <Icon aria-hidden className="size-4" />
      </span>
      <div className="min-w-0 grow">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="text-base font-semibold">{finding.summary}</h2>
          <Badge tone={tone}>{label}</Badge>
          {finding.tolerated && <Badge tone="outline">{TOLERATED[finding.tolerated]}</Badge>}
        </div>
        <p className="mt-1 text-sm text-ink-2">{finding.remediation}</p>
        <code className="mt-2 block font-mono text-2xs text-ink-3">{finding.id}</code>
      </div>
    </li>
  )
}
