// The local service that an admin allowed for a backend, or could allow where calls are refused.
import { type ClientDetail, isSuperadmin } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import type { Fact } from '../../ui/Facts.tsx'
import { formatActor, formatMoment } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { formatService, type LocalService } from './local-service.ts'
import { useBackendChanges } from './use-backend-changes.ts'

/** None for most backends: their addresses are public. */
export function localServiceFacts(backend: ClientDetail): readonly Fact[] {
  return backend.localService || backend.refusedLocalService
    ? [{ name: 'Local service', value: <LocalServiceFact backend={backend} /> }]
    : []
}

function LocalServiceFact({ backend }: { readonly backend: ClientDetail }) {
  const { run } = useBackendChanges()
  const allows = isSuperadmin(useActor())
  const params = { name: backend.name }
  const allow = (service: LocalService) => api.localServices.allow({ params, body: service })
  const { localService: allowed, refusedLocalService: refused } = backend
  if (allowed) {
    const { by, at, ...service } = allowed
    const text = formatService(service)
    return (
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          <code className="font-mono text-xs">{text}</code>, allowed by {formatActor(by)} on {formatMoment(at)}
        </span>
        {allows && (
          <Button
            size="sm"
            onClick={() =>
              void run(api.localServices.revoke({ params }), `${text} is refused for ${backend.name}`, () =>
                allow(service),
              ).catch(notifyError)
            }
          >
            Revoke
          </Button>
        )}
      </span>
    )
  }
  return (
    refused && (
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-bad">
          <code className="font-mono text-xs">{formatService(refused)}</code> is refused: a local address
        </span>
        {allows && (
          <Button
            size="sm"
            onClick={() =>
              void run(allow(refused), `${formatService(refused)} is allowed for ${backend.name}`).catch(notifyError)
            }
          >
            Allow for this backend
          </Button>
        )}
      </span>
    )
  )
}
