// One entry of the server catalogue: publisher, age, packages, variables, and the command that it would run.
import { useQuery } from '@tanstack/react-query'
import { commandLine, localName, offeredOf, type ShownServer } from '#contract'
import { api } from '../../api/api.ts'
import { hasServerAdding } from '../../api/servers.ts'
import { t } from '../../language/language.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Sheet } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatMoment } from '../../ui/format.ts'
import { AddServer } from './AddServer.tsx'
import { PROOFS, packageText, SCRIPTS, StaleNote, variableText } from './catalog-words.tsx'
import { ServerTools } from './ServerTools.tsx'

export function CatalogSheet({ name, onClose }: { readonly name: string | undefined; readonly onClose: () => void }) {
  const shown = useQuery({
    queryKey: ['server-catalog', 'entry', name],
    queryFn: () => api.serverCatalog.get({ query: { name: name ?? '' } }),
    enabled: name !== undefined,
    retry: false,
  })
  return (
    <Sheet open={name !== undefined} onClose={onClose} title={name ?? ''}>
      {shown.error && <ErrorNote error={shown.error} className="m-4" />}
      {shown.data && <Entry key={shown.data.entry.name} shown={shown.data} />}
    </Sheet>
  )
}

const textOf = (lines: readonly string[]) =>
  lines.length > 0 && <span className="wrap-anywhere">{lines.join(', ')}</span>

function Entry({ shown: { entry, source, installScripts } }: { readonly shown: ShownServer }) {
  const { publisher, packages } = entry
  const [only] = packages
  return (
    <div className="flex flex-col gap-4 p-4">
      <StaleNote source={source} />
      {entry.description !== '' && <p className="text-sm text-pretty">{entry.description}</p>}
      <Facts
        title={t('Publisher')}
        facts={[
          { name: t('Publisher'), value: `${publisher.name} (${PROOFS[publisher.proof]})` },
          { name: t('Version'), value: entry.version },
          { name: t('Published'), value: entry.publishedAt && formatMoment(entry.publishedAt) },
          { name: t('Updated'), value: entry.updatedAt && formatMoment(entry.updatedAt) },
          { name: t('Repository'), value: entry.repository && textOf([entry.repository]) },
          { name: t('Status'), value: entry.status },
        ]}
      />
      <Facts
        title={t('Package')}
        facts={[
          { name: t('Packages'), value: textOf(packages.map(packageText)) },
          { name: t('Install script'), value: only && SCRIPTS[installScripts[0] ?? 'unknown'] },
          { name: t('Variables'), value: textOf((only?.env ?? []).map(variableText)) },
          { name: t('Remote addresses'), value: textOf(entry.remotes.map(({ url }) => url)) },
        ]}
      />
      <Program entry={entry} />
    </div>
  )
}

function Program({ entry }: Pick<ShownServer, 'entry'>) {
  const offered = offeredOf(entry)
  if (typeof offered === 'string')
    return (
      <p className="text-sm text-ink-2">{t('It cannot be added as a local server: {reason}.', { reason: offered })}</p>
    )
  const words = offered.missingArgs.map((each) => `<${each}>`)
  const own = ['gantry servers add', localName(entry.name), '--catalog', entry.name].join(' ')
  return (
    <section aria-label={t('Command')} className="flex flex-col gap-3">
      <h2 className="text-sm font-semibold">{t('Command')}</h2>
      <CodeBlock label={t('Command')} text={commandLine(offered.program)} />
      <p className="text-sm text-pretty text-ink-2">
        {offered.program.sandbox === 'os'
          ? t('It runs in the sandbox of the operating system: its own folder, and the hosts that you name.')
          : t('It runs in a container without a network.')}
      </p>
      {hasServerAdding() && words.length === 0 ? (
        <>
          {offered.program.sandbox === 'os' && <ServerTools name={entry.name} />}
          <AddServer name={entry.name} />
        </>
      ) : (
        <>
          <p className="text-sm text-pretty text-ink-2">
            {t('Programs are added in the desktop window or at a terminal of their computer, never by a web page:')}
          </p>
          <CodeBlock label={t('Command line')} text={words.length === 0 ? own : [own, '--', ...words].join(' ')} />
        </>
      )}
    </section>
  )
}
