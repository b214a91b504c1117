// The actions of a backend.
import { useNavigate } from '@tanstack/react-router'
import { Activity, CalendarClock, RefreshCw, RotateCcw } from 'lucide-react'
import type { ClientSummary } from '#contract'
import { t } from '../../language/language.ts'
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
  const { checkHealth, resetBreaker, turn, remove } = useBackendChanges()
  const navigate = useNavigate()
  const { name, enabled, kind, baseUrl, circuitBreakerState } = backend
  return (
    <RecordMenu
      name={name}
      entries={[
        { label: t('Check health now'), icon: Activity, run: () => checkHealth(backend) },
        // What has no address is not read from a source.
        !baseUrl.startsWith('gantry://') && {
          label: t('Refresh tools…'),
          icon: RefreshCw,
          run: () => onRediscover(name),
        },
        {
          label: t('Reset the circuit breaker'),
          icon: RotateCcw,
          disabled: circuitBreakerState === null,
          run: () => resetBreaker(backend),
        },
        {
          label: t('Schedules'),
          icon: CalendarClock,
          run: () => navigate({ to: '/schedules', search: { client: name } }),
        },
      ]}
      toggle={{ on: enabled, run: (on) => turn(backend, on) }}
      {...(kind !== 'pcg' && {
        deletion: {
          noun: t('backend'),
          removes: true,
          about: t(
            'Its {count}, with guards and aliases, and its stored credentials are purged, and calls in flight end. Bundles keep its tools as missing. To keep the configuration, disable it instead.',
            { count: formatTools(backend.toolsCount) },
          ),
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
