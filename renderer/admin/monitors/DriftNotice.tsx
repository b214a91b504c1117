// The notice on a tool whose monitor fails or whose schema has drifted.
import { Link } from '@tanstack/react-router'
import type { ToolDetail } from '#contract'
import { t } from '../../language/language.ts'
import { formatMoment } from '../../ui/format.ts'

export function DriftNotice({ tool: { monitor } }: { readonly tool: ToolDetail }) {
  const failing = monitor?.status === 'fail'
  const drift = monitor?.drift
  if (!failing && !drift) return null
  return (
    <div role="status" className="mx-6 mb-3 flex items-center gap-3 rounded-md bg-warn-soft px-3 py-2 text-sm">
      <p className="min-w-0 grow break-words">
        {[
          failing && t('Its monitor fails: {reason}', { reason: monitor.lastError ?? '' }),
          drift && t('Its source has a different schema since {since}.', { since: formatMoment(drift.since) }),
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
      <Link to="/monitors" search={{ q: monitor.toolName }} className="shrink-0 rounded text-link underline">
        {t('Its monitor')}
      </Link>
    </div>
  )
}
