// What can be done with one backend.
import { useNavigate } from '@tanstack/react-router'
import { Activity, CalendarClock, Power, PowerOff, RefreshCw, RotateCcw, Trash2 } from 'lucide-react'
import type { ClientSummary } from '#contract'
import type { Question } from '../../ui/Dialog.tsx'
import { formatTools } from '../../ui/format.ts'
import { MenuItem, MenuSeparator, RowMenu } from '../../ui/Menu.tsx'
import { notifyError } from '../../ui/notify.ts'
import { useBackendChanges } from './use-backend-changes.ts'

export type BackendActions = {
  readonly onAsk: (question: Question) => void
  readonly onRediscover: (name: string) => void
}

export function BackendMenu({ backend, onAsk, onRediscover }: BackendActions & { readonly backend: ClientSummary }) {
  const changes = useBackendChanges()
  const navigate = useNavigate()
  const { name, enabled, kind, circuitBreakerState } = backend
  const run = (work: Promise<unknown>) => void work.catch(notifyError)
  return (
    <RowMenu name={name}>
      <MenuItem icon={<Activity />} onSelect={() => run(changes.checkHealth(backend))}>
        Check health now
      </MenuItem>
      {kind !== 'pcg' && (
        <MenuItem icon={<RefreshCw />} onSelect={() => onRediscover(name)}>
          Read its tools again…
        </MenuItem>
      )}
      <MenuItem
        icon={<RotateCcw />}
        disabled={circuitBreakerState === null}
        onSelect={() => run(changes.resetBreaker(backend))}
      >
        Reset the circuit breaker
      </MenuItem>
      <MenuItem
        icon={enabled ? <PowerOff /> : <Power />}
        onSelect={() => run(changes.setEnabledWithUndo([name], !enabled))}
      >
        {enabled ? 'Disable' : 'Enable'}
      </MenuItem>
      <MenuItem icon={<CalendarClock />} onSelect={() => void navigate({ to: '/schedules', search: { client: name } })}>
        Schedules
      </MenuItem>
      {kind !== 'pcg' && (
        <>
          <MenuSeparator />
          <MenuItem danger icon={<Trash2 />} onSelect={() => onAsk(removalOf(backend, changes.remove))}>
            Remove…
          </MenuItem>
        </>
      )}
    </RowMenu>
  )
}

export function removalOf(
  backend: ClientSummary,
  remove: (backend: ClientSummary) => Promise<void>,
  then: () => void = () => undefined,
): Question {
  return {
    title: `Remove ${backend.name}?`,
    about: `Its ${formatTools(backend.toolsCount)}, with guards and aliases, and its stored credentials are purged, and calls in flight end. Bundles keep its tools as missing. To keep the configuration, disable it instead.`,
    confirm: 'Remove backend',
    phrase: backend.name,
    run: async () => {
      await remove(backend)
      then()
    },
  }
}
