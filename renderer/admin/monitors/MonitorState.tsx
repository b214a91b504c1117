// The badge of a monitor's last run.
import type { MonitorRecord } from '#contract'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'

export function MonitorState({
  monitor: { enabled, status, consecutiveFailures },
}: {
  readonly monitor: MonitorRecord
}) {
  if (!enabled) return <Badge dot>{t('Paused')}</Badge>
  switch (status) {
    case 'ok':
      return (
        <Badge tone="ok" dot>
          {t('Working')}
        </Badge>
      )
    case 'fail':
      return (
        <Badge tone="bad" dot>
          {consecutiveFailures > 1 ? t('Failing ×{consecutiveFailures}', { consecutiveFailures }) : t('Failing')}
        </Badge>
      )
    case 'unknown':
      return <Badge dot>{t('Not run yet')}</Badge>
  }
}
