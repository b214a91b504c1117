// Offers an admin to allow a refused local address for the one backend that is being added.
import { useQuery } from '@tanstack/react-query'
import { House } from 'lucide-react'
import { isSuperadmin } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { faultOf } from '../../ui/fault.ts'
import { formatService, type LocalService } from '../backends/local-service.ts'

/** The URL that the gateway refused, and its field, if it is one of these. */
export function refusedUrl(error: unknown, urls: Readonly<Record<string, unknown>>) {
  if (error === null || error === undefined) return undefined
  const { code, fields } = faultOf(error)
  const key = fields[0]?.path ?? ''
  const url = code === 'SSRF_BLOCKED' ? urls[key] : undefined
  return typeof url === 'string' && url !== '' ? { key, url } : undefined
}

export function AllowLocal({
  url,
  busy,
  onAllow,
}: {
  readonly url: string
  readonly busy: boolean
  readonly onAllow: (service: LocalService) => void
}) {
  const actor = useActor()
  const { data } = useQuery({
    queryKey: ['local-services', url],
    queryFn: () => api.localServices.find({ body: { url } }),
    enabled: isSuperadmin(actor),
    retry: false,
  })
  const services = data?.services ?? []
  if (services.length === 0) return null
  return (
    <section aria-label={t('Local service')} className="flex gap-3 rounded-md border border-line-strong px-4 py-3">
      <House aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-2" />
      <div className="min-w-0 grow">
        <h2 className="text-sm font-medium">{t('Is this a service on your own network?')}</h2>
        <p className="mt-0.5 text-xs text-ink-2">
          {t(
            'The gateway refuses local addresses by default. You can allow this address and port for this backend only. The audit log records it, and you can revoke it on the page of the backend.',
          )}
        </p>
        <div className="mt-2.5 flex flex-wrap gap-2">
          {services.map((service, index) => (
            <Button
              key={service.address}
              look={index === 0 ? 'strong' : 'plain'}
              size="sm"
              busy={busy}
              onClick={() => onAllow(service)}
            >
              {t('Allow {service}', { service: formatService(service) })}
            </Button>
          ))}
        </div>
      </div>
    </section>
  )
}
