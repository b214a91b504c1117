// What is installed of a local server. Its update, rollback, export and removal are of the desktop window and the command line, never of a web page.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ProgramAsk, LocalServer as Server } from '#contract'
import { askPrograms, hasServerAdding } from '../../api/servers.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { notifyDone } from '../../ui/notify.ts'

type Of = { readonly server: Server }
type Deed = Exclude<ProgramAsk['ask'], 'choose' | 'import'>

export function LocalServerPackage({ server }: Of) {
  const { package: installed } = server
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {installed !== null && (
        <Facts
          title={installed.kind === 'bundle' ? t('Installed from a .mcpb file') : t('Installed package')}
          facts={[
            { name: t('Name'), value: installed.name },
            { name: t('Version'), value: installed.version },
            ...(installed.previous === null ? [] : [{ name: t('Version before'), value: installed.previous }]),
            { name: t('Integrity'), value: <code className="font-mono text-xs break-all">{installed.integrity}</code> },
          ]}
        />
      )}
      {hasServerAdding() ? <Deeds server={server} /> : <Commands server={server} />}
    </div>
  )
}

/** By what may be done with it: a command of the same name. */
function deedsOf({ package: installed }: Server): readonly Deed[] {
  if (installed === null) return ['remove']
  if (installed.kind === 'bundle') return ['export', 'remove']
  return ['update', ...(installed.previous === null ? [] : (['rollback'] as const)), 'export', 'remove']
}

function Deeds({ server }: Of) {
  const { name, package: installed } = server
  const client = useQueryClient()
  const doing = useMutation({
    mutationFn: (ask: Deed) => askPrograms({ ask, name }),
    async onSuccess(answer, deed) {
      if (answer === null || answer.answer === 'chosen') return
      notifyDone(
        answer.answer === 'same'
          ? t('{version} is the newest version', { version: answer.text })
          : doneText(deed, name, answer.text),
      )
      await client.invalidateQueries({ queryKey: [deed === 'remove' ? 'clients' : 'localServers'] })
    },
  })
  const labels: Readonly<Record<Deed, string>> = {
    update: t('Update…'),
    rollback: t('Roll back to {version}', { version: installed?.previous ?? '' }),
    export: t('Export as .mcpb…'),
    remove: t('Remove server…'),
  }
  return (
    <section aria-label={t('This computer')} className="card flex flex-col gap-3 px-5 py-3">
      {doing.error && <ErrorNote error={doing.error} />}
      <div className="flex flex-wrap gap-2">
        {deedsOf(server).map((deed) => (
          <Button
            key={deed}
            look={deed === 'remove' ? 'quiet-danger' : 'plain'}
            busy={doing.isPending && doing.variables === deed}
            disabled={doing.isPending}
            onClick={() => doing.mutate(deed)}
          >
            {labels[deed]}
          </Button>
        ))}
      </div>
      {doing.isPending && doing.variables !== 'rollback' && (
        <p role="status" className="text-sm text-ink-3">
          {t('A dialog of the application asks before anything is done.')}
        </p>
      )}
    </section>
  )
}

function doneText(deed: Deed, name: string, text: string): string {
  switch (deed) {
    case 'update':
    case 'rollback':
      return t('{name} runs {version}', { name, version: text })
    case 'export':
      return t('{name} was exported to {file}', { name, file: text })
    case 'remove':
      return t('{name} was removed from this computer', { name })
  }
}

function Commands({ server }: Of) {
  const { name } = server
  const command = (deed: Deed): string =>
    ['gantry servers', deed, name, ...(deed === 'export' ? ['--out', [name, 'mcpb'].join('.')] : [])].join(' ')
  return (
    <section aria-label={t('Command line')} className="card flex flex-col gap-2 px-5 py-3">
      <p className="text-sm text-pretty text-ink-2">
        {t('A program is changed in the desktop window or at a terminal of its computer, never by a web page:')}
      </p>
      <CodeBlock label={t('Command line')} text={deedsOf(server).map(command).join('\n')} />
    </section>
  )
}
