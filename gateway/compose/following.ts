// What follows from changes of the registry, and what other processes of the same database have changed.
import type { MonitorStates } from '../live/monitor-states.ts'
import type { LiveQuarantines } from '../live/quarantines.ts'
import type { Targets } from '../pipeline/6-targets/index.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import type { Upstreams } from '../upstream/index.ts'
import type { Foundation } from './foundation.ts'

type Followers = {
  readonly registry: LiveRegistry
  readonly upstreams: Pick<Upstreams, 'watch' | 'close'>
  readonly targets: Pick<Targets, 'forget'>
  readonly quarantines: Pick<LiveQuarantines, 'refresh'>
  readonly monitorStates: Pick<MonitorStates, 'adopt' | 'refresh'>
}

const OTHERS_EVERY_MS = 5_000

export function followRegistry(
  { log }: Pick<Foundation, 'log'>,
  { registry, upstreams, targets, quarantines, monitorStates }: Followers,
): { readonly stop: () => void } {
  const watch = (name: string): void => {
    const backend = registry.get(name)
    if (backend?.kind === 'mcp' && backend.enabled) upstreams.watch(backend)
  }
  /** A tool that was renamed brought its monitor along. */
  const adopt = (client: string): void => {
    const backend = registry.known(client)
    if (backend)
      monitorStates.adopt([backend]).catch((error: unknown) => log.warn('monitors could not begin', { client, error }))
  }
  registry.subscribe(({ type, client }) => {
    if (type === 'registered' || type === 'changed') watch(client)
    if (type === 'registered') adopt(client)
    if (type === 'removed') targets.forget(client)
    if (type === 'removed' || type === 'torn_down') void upstreams.close(client)
  })
  for (const { name } of registry.list()) watch(name)
  // Quarantines and drift that others of this database found; and what has expired ends without a call.
  const timer = setInterval(() => {
    quarantines.refresh().catch((error: unknown) => log.warn('the quarantines could not be read again', { error }))
    monitorStates.refresh().catch((error: unknown) => log.warn('the monitors could not be read again', { error }))
  }, OTHERS_EVERY_MS).unref()
  return { stop: () => clearInterval(timer) }
}
