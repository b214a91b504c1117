// The tools of a server of the catalogue, after one start in its sandbox that the person at this computer agreed to.
import { useMutation } from '@tanstack/react-query'
import { listServerTools } from '../../api/servers.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'

export function ServerTools({ name }: { readonly name: string }) {
  const listing = useMutation({ mutationFn: () => listServerTools(name) })
  const tools = listing.data ?? undefined
  return (
    <div className="flex flex-col gap-3">
      {listing.error && <ErrorNote error={listing.error} />}
      {tools !== undefined && (
        <section aria-label={t('Tools, as it lists them now')} className="card">
          <h3 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{t('Tools, as it lists them now')}</h3>
          {tools.length === 0 && <p className="px-5 py-3 text-sm text-ink-3">{t('It lists no tools.')}</p>}
          <ul className="flex flex-col gap-2 px-5 py-3 text-sm empty:hidden">
            {tools.map(({ name: tool, description }) => (
              <li key={tool} className="min-w-0">
                <code className="font-mono text-xs break-all">{tool}</code>
                <p className="break-words text-ink-2">{description}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
      {tools === undefined && (
        <>
          <p className="text-sm text-pretty text-ink-2">
            {t('Installs it, starts it once in the sandbox without a network, and removes it again.')}
          </p>
          <Button busy={listing.isPending} className="self-start" onClick={() => listing.mutate()}>
            {t('List its tools…')}
          </Button>
        </>
      )}
    </div>
  )
}
