// Connects any client: choose the access, mint a key, copy the filled snippet, watch for the first call.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { connectClients, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Finder } from '../../ui/Finder.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useUrlParams } from '../../url-params.ts'
import { type Choice, chosenOf, SYSTEM, scopesFor } from './choices.ts'
import { FirstCall } from './FirstCall.tsx'
import { findChoices, findWithTools } from './find-choices.ts'
import { type Minted, MintKey } from './MintKey.tsx'
import { Snippet } from './Snippet.tsx'

export function ByHand() {
  const [params, change] = useUrlParams()
  const given = chosenOf(params.to)
  const first = useQuery({
    queryKey: ['bundles', 'connect'],
    queryFn: async () => (await findChoices('')).items[0] ?? SYSTEM,
    enabled: given === undefined,
  })
  const chosen = given ?? first.data
  return (
    <>
      <div className="border-b border-line px-6 pb-4">
        <Finder
          label={t('Access')}
          className="w-80"
          value={chosen ?? null}
          placeholder={t('A bundle, a backend or a tool')}
          none={t('Nothing to connect to yet.')}
          queryKey={['bundles', 'connect', 'tools']}
          find={findWithTools}
          onPick={({ value }) => change({ to: value })}
        />
      </div>
      {chosen ? (
        <ConnectCard key={chosen.value} choice={chosen} />
      ) : first.error ? (
        <ErrorState error={first.error} onRetry={() => void first.refetch()} />
      ) : (
        <Skeleton className="m-6 h-48 rounded-lg" />
      )}
    </>
  )
}

function ConnectCard({ choice }: { readonly choice: Choice }) {
  const { scope, name } = choice
  const administers = mayUse(useActor(), 'admin')
  const [params] = useUrlParams()
  // Only here: a key is shown once and never stored.
  const [minted, setMinted] = useState<Minted | null>(null)
  const found = useQuery({
    queryKey: ['connect', scope, name],
    queryFn: () => api.connect.snippets({ query: { scope, ...(name ? { name } : {}) } }),
  })
  if (found.error) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data)
    return (
      <div role="status" aria-label={t('Loading')} className="p-6">
        <Skeleton className="h-48 rounded-lg" />
      </div>
    )
  const { url, clients: blank } = found.data
  const clients = minted
    ? connectClients({
        name: scope === 'system' ? 'gantry' : `gantry-${name}`,
        url,
        key: minted.key,
        deepLinks: blank.some(({ deepLink }) => deepLink !== null),
      })
    : blank
  const scopes = scopesFor(choice)
  const open = clients.find(({ id }) => id === params.client) ?? clients[0]
  return (
    <>
      <section aria-label={t('Key')} className="border-b border-line px-6 py-4">
        {scopes === undefined ? (
          <p className="text-sm text-ink-2">
            {t('The control plane needs a key with a role. Make one with the command line: gantry key create --role.')}
          </p>
        ) : minted ? (
          <FirstCall minted={minted} />
        ) : administers ? (
          <MintKey
            label={t('{value} for {label}', { value: open?.label ?? t('Client'), label: choice.label })}
            scopes={scopes}
            onMinted={setMinted}
          />
        ) : (
          <p className="text-sm text-ink-2">
            {t('Ask an administrator for a key, and put it in place of the placeholder.')}
          </p>
        )}
      </section>
      <Tabs
        label={t('Clients')}
        param="client"
        tabs={clients.map((client) => ({ key: client.id, title: t(client.label), body: <Snippet client={client} /> }))}
      />
    </>
  )
}
