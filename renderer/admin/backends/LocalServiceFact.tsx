// The local service that an admin allowed for a backend, or could allow where calls are refused.
import { type ClientDetail, isSuperadmin } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Button } from '../../ui/Button.tsx'
import type { Fact } from '../../ui/Facts.tsx'
import { formatActor, formatMoment } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { formatService, type LocalService } from './local-service.ts'
import { useBackendChanges } from './use-backend-changes.ts'

/** None for most backends: their addresses are public. */
export function localServiceFacts(backend: ClientDetail): readonly Fact[] {
  return backend.localService || backend.refusedLocalService
    ? [{ name: t('Local service'), value: <LocalServiceFact backend={backend} /> }]
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
          {rich('{code}, allowed by {by} on {at}', {
            code: <code className="font-mono text-xs">{text}</code>,
            by: formatActor(by),
            at: formatMoment(at),
          })}
        </span>
        {allows && (
          <Button
            size="sm"
            onClick={() =>
              void run(
                api.localServices.revoke({ params }),
                t('{text} is refused for {name}', { text, name: backend.name }),
                () => allow(service),
              ).catch(notifyError)
            }
          >
            {t('Revoke')}
          </Button>
        )}
      </span>
    )
  }
  return (
    refused && (
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-bad">
          {rich('{code} is refused: a local address', {
            code: <code className="font-mono text-xs">{formatService(refused)}</code>,
          })}
        </span>
        {allows && (
          <Button
            size="sm"
            onClick={() =>
              void run(
                allow(refused),
                t('{service} is allowed for {name}', { service: formatService(refused), name: backend.name }),
              ).catch(notifyError)
            }
          >
            {t('Allow for this backend')}
          </Button>
        )}
      </span>
    )
  )
}
