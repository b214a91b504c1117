// Whether the chain is intact, checked when the page opens and on request.
import { useQuery } from '@tanstack/react-query'
import { Link2Off, LoaderCircle, ShieldCheck } from 'lucide-react'
import { type AuditVerdict, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { faultOf } from '../../ui/fault.ts'
import { formatCount } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'

const REASONS = {
  hash_mismatch: t('its content does not match its hash'),
  link_mismatch: t('it does not link to the entry before it'),
  missing_rows: t('entries are missing'),
} as const

export function ChainBadge() {
  const allowed = mayUse(useActor(), 'auditor')
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit-verdict'],
    queryFn: () => api.auditLog.verify(),
    enabled: allowed,
    // The gateway reads the whole chain, so check once per visit and on click.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  })
  if (!allowed) return null
  const broken = data?.valid === false
  return (
    <Tooltip text={error ? reasonOf(error) : data ? aboutOf(data) : t('Reading the whole chain.')}>
      <button
        type="button"
        className={cx(
          'inline-flex h-6 items-center gap-1.5 rounded-full px-2 text-xs font-medium',
          broken
            ? 'bg-bad-soft text-bad'
            : error
              ? 'bg-warn-soft text-warn'
              : data
                ? 'bg-ok-soft text-ok'
                : 'bg-hover text-ink-2',
        )}
        disabled={isFetching}
        onClick={() => void refetch()}
      >
        {isFetching ? (
          <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
        ) : broken ? (
          <Link2Off aria-hidden className="size-3.5" />
        ) : (
          <ShieldCheck aria-hidden className="size-3.5" />
        )}
        <span role="status">{error ? t('Not verified') : data ? <Words verdict={data} /> : t('Verifying')}</span>
      </button>
    </Tooltip>
  )
}

function Words({ verdict }: { readonly verdict: AuditVerdict }) {
  if (!verdict.valid) return t('Broken at #{brokenAt}', { brokenAt: verdict.brokenAt ?? '?' })
  return (
    <>
      {verdict.headId === null ? t('Verified, empty') : t('Verified to #{headId}', { headId: verdict.headId })},{' '}
      <RelativeTime at={verdict.verifiedAt} />
    </>
  )
}

function aboutOf(verdict: AuditVerdict): string {
  if (verdict.valid)
    return t('{count} entries checked, each links to the one before. Click to check again.', {
      count: formatCount(verdict.checked),
    })
  return t('Entry #{brokenAt}: {REASONS}. Click to check again.', {
    brokenAt: verdict.brokenAt ?? '?',
    REASONS: verdict.reason ? REASONS[verdict.reason] : t('the chain does not hold'),
  })
}

function reasonOf(error: unknown): string {
  const { code, message, requestId } = faultOf(error)
  return requestId
    ? t('{message} ({code}, request {requestId}) Click to try again.', { message, code, requestId })
    : t('{message} ({code}) Click to try again.', { message, code })
}
