// What a person agrees to before the provider is opened: client, backend, account and scopes.
import { useMutation, useQuery } from '@tanstack/react-query'
import { ExternalLink, Plug } from 'lucide-react'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

export function ConsentCard({
  client,
  link,
  onClose,
}: {
  readonly client: string
  readonly link: string | undefined
  readonly onClose: () => void
}) {
  const send = { params: { name: client }, body: link === undefined ? {} : { link } }
  const offer = useQuery({
    queryKey: ['connections', 'offer', client, link],
    queryFn: () => api.identity.offer(send),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const begin = useMutation({
    mutationFn: () => api.identity.begin(send),
    // The provider's own page takes over.
    onSuccess: ({ location }) => globalThis.location.assign(location),
  })
  return (
    <section
      aria-label={t('Connect {client}', { client })}
      className="card mx-6 mb-4 flex max-w-2xl flex-col gap-4 p-5"
    >
      <header className="flex items-center gap-3">
        <Plug aria-hidden className="size-5 shrink-0 text-ink-3" />
        <h2 className="text-base font-semibold">{t('Connect {client}', { client })}</h2>
      </header>
      {offer.isPending && <Skeleton className="h-20" />}
      {offer.error && <ErrorNote error={offer.error} />}
      {offer.data && (
        <>
          <p className="text-sm text-ink-2">
            {t('You sign in at {issuer}. From then on, calls of {person} reach {client} as you, with these rights:', {
              issuer: offer.data.issuer,
              person: offer.data.person,
              client,
            })}
          </p>
          <p className="flex flex-wrap gap-1.5">
            {offer.data.scopes.length === 0 && (
              <span className="text-sm text-ink-3">{t('The provider decides on the rights.')}</span>
            )}
            {offer.data.scopes.map((scope) => (
              <Badge key={scope} tone="outline">
                {scope}
              </Badge>
            ))}
          </p>
          <p className="text-xs break-all text-ink-3">
            {t('Registered there as {clientId}.', { clientId: offer.data.clientId })}
          </p>
        </>
      )}
      {begin.error && <ErrorNote error={begin.error} />}
      <footer className="flex gap-2">
        <Button
          look="strong"
          busy={begin.isPending || begin.isSuccess}
          disabled={offer.data === undefined}
          onClick={() => begin.mutate()}
        >
          <ExternalLink />
          {t('Sign in at the provider')}
        </Button>
        <Button onClick={onClose}>{t('Cancel')}</Button>
      </footer>
    </section>
  )
}
