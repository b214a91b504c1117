// Snippets to paste: choose the access and the client.
import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { api } from '../../api/api.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Finder } from '../../ui/Finder.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useUrlParams } from '../../url-params.ts'
import { chosenOf, SYSTEM } from './choices.ts'
import { findChoices } from './find-choices.ts'

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
          label="Access"
          className="w-80"
          value={chosen ?? null}
          placeholder="Choose one"
          none="Nothing to connect to yet."
          queryKey={['bundles', 'connect']}
          find={findChoices}
          onPick={({ value }) => change({ to: value })}
        />
      </div>
      {chosen ? (
        <Snippets key={chosen.value} scope={chosen.scope} name={chosen.name} />
      ) : first.error ? (
        <ErrorState error={first.error} onRetry={() => void first.refetch()} />
      ) : (
        <Skeleton className="m-6 h-48 rounded-lg" />
      )}
    </>
  )
}

function Snippets({ scope, name }: { readonly scope: 'client' | 'bundle' | 'system'; readonly name: string }) {
  const [params, change] = useUrlParams()
  const found = useQuery({
    queryKey: ['connect', scope, name],
    queryFn: () => api.connect.snippets({ query: { scope, ...(name ? { name } : {}) } }),
  })
  if (found.error) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data)
    return (
      <div role="status" aria-label="Loading" className="p-6">
        <Skeleton className="h-48 rounded-lg" />
      </div>
    )
  return (
    <Tabs
      label="Clients"
      open={params.client}
      onOpen={(client) => change({ client })}
      tabs={found.data.clients.map(({ id, label, filename, snippet, instructions, deepLink }) => ({
        key: id,
        title: label,
        body: (
          <div className="flex max-w-3xl flex-col gap-4 px-6 py-5">
            <ol className="list-decimal space-y-1 pl-5 text-sm text-ink-2">
              {instructions.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ol>
            <div>
              <p className="mb-1.5 font-mono text-xs text-ink-3">{filename}</p>
              <CodeBlock label="Snippet" text={snippet} />
            </div>
            {deepLink && (
              <div>
                <a href={deepLink} className={buttonClass({})}>
                  <ExternalLink />
                  Open {label}
                </a>
              </div>
            )}
          </div>
        ),
      }))}
    />
  )
}
