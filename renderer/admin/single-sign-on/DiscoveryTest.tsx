// Tests the provider with the typed values before saving.
import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleX, Stethoscope } from 'lucide-react'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'

export function DiscoveryTest({ issuer, clientId }: { readonly issuer: string; readonly clientId: string }) {
  const test = useMutation({
    mutationFn: () => api.oidc.test({ body: { ...(issuer ? { issuer } : {}), ...(clientId ? { clientId } : {}) } }),
  })
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex items-center gap-3">
        <Button busy={test.isPending} onClick={() => test.mutate()}>
          <Stethoscope />
          {t('Test the provider')}
        </Button>
        <span className="text-xs text-ink-3">{t('Fetches its endpoints and keys. The secret is not sent.')}</span>
      </div>
      <div aria-live="polite">
        {test.error && <ErrorNote error={test.error} />}
        {test.data && <Verdict verdict={test.data} />}
      </div>
    </div>
  )
}

type Tested = Awaited<ReturnType<typeof api.oidc.test>>

function Verdict({ verdict: { ok, issuer, endpoints, error } }: { readonly verdict: Tested }) {
  if (!ok)
    return (
      <p className="flex gap-2 rounded-md bg-bad-soft px-3 py-2.5 text-sm">
        <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
        <span className="min-w-0 break-words">
          {t('{issuer} does not serve: {error}', { issuer, error: error ?? t('no reason given') })}
        </span>
      </p>
    )
  return (
    <div className="rounded-md bg-ok-soft px-3 py-2.5 text-sm">
      <p className="flex gap-2">
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
        <span className="min-w-0 break-words">{t('{issuer} responds, and its keys are valid.', { issuer })}</span>
      </p>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs">
        {Object.entries(endpoints).map(([name, url]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name.replaceAll('_', ' ')}</dt>
            <dd className="min-w-0 font-mono break-all">{url}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
