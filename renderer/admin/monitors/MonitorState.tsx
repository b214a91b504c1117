// The badge of a monitor's last run.
import type { MonitorRecord } from '#contract'
import { Badge } from '../../ui/Badge.tsx'

export function MonitorState({
  monitor: { enabled, status, consecutiveFailures },
}: {
  readonly monitor: MonitorRecord
}) {
  if (!enabled) return <Badge dot>Paused</Badge>
  switch (status) {
    case 'ok':
      return (
        <Badge tone="ok" dot>
          Working
        </Badge>
      )
    case 'fail':
      return (
        <Badge tone="bad" dot>
          {consecutiveFailures > 1 ? `Failing ×${consecutiveFailures}` : 'Failing'}
        </Badge>
      )
    case 'unknown':
      return <Badge dot>Not run yet</Badge>
  }
}
