// The actions of a backend.
import { useNavigate } from '@tanstack/react-router'
import { Activity, CalendarClock, RefreshCw, RotateCcw } from 'lucide-react'
import type { ClientSummary } from '#contract'
import { formatTools } from '../../ui/format.ts'
import { RecordMenu } from '../../ui/Menu.tsx'
import { useBackendChanges } from './use-backend-changes.ts'

export function BackendMenu({
  backend,
  onRediscover,
  onRemoved,
}: {
  readonly backend: ClientSummary
  readonly onRediscover: (name: string) => void
  readonly onRemoved?: () => void
}) {
  const { checkHealth, resetBreaker, setEnabledWithUndo, remove } = useBackendChanges()
  const navigate = useNavigate()
  const { name, enabled, kind, circuitBreakerState } = backend
  return (
    <RecordMenu
      name={name}
      entries={[
        { label: 'Check health now', icon: Activity, run: () => checkHealth(backend) },
        kind !== 'pcg' && { label: 'Refresh tools…', icon: RefreshCw, run: () => onRediscover(name) },
        {
          label: 'Reset the circuit breaker',
          icon: RotateCcw,
          disabled: circuitBreakerState === null,
          run: () => resetBreaker(backend),
        },
        {
          label: 'Schedules',
          icon: CalendarClock,
          run: () => navigate({ to: '/schedules', search: { client: name } }),
        },
      ]}
      toggle={{ on: enabled, run: (on) => setEnabledWithUndo([name], on) }}
      {...(kind !== 'pcg' && {
        deletion: {
          noun: 'backend',
          verb: 'Remove',
          about: `Its ${formatTools(backend.toolsCount)}, with guards and aliases, and its stored credentials are purged, and calls in flight end. Bundles keep its tools as missing. To keep the configuration, disable it instead.`,
          phrase: name,
          run: async () => {
            await remove(backend)
            onRemoved?.()
          },
        },
      })}
    />
  )
}
