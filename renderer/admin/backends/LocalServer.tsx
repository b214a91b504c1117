// A local server on the page of its backend: its command, state and last output; restart and stop.
import { useQuery } from '@tanstack/react-query'
import type { LocalServer as Server } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatBytes, formatSpan } from '../../ui/format.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { LocalServerPackage } from './LocalServerPackage.tsx'
import { LocalServerConnections, LocalServerProcesses } from './LocalServerRuns.tsx'
import { LocalServerSearch } from './LocalServerSearch.tsx'
import { LocalServerSecrets } from './LocalServerSecrets.tsx'
import { STATES, useServerChanges } from './local-server.ts'

const FRESH_MS = 2_000

const SHARINGS: Readonly<Record<Server['sharing'], string>> = {
  shared: t('one process for all clients'),
  session: t('one process for each session'),
  principal: t('one process for each principal'),
}
const NO_SANDBOX = t('none: a small environment, your files and network')
const SANDBOXES: Readonly<Record<Server['sandbox'], string>> = {
  none: NO_SANDBOX,
  group: NO_SANDBOX,
  os: t('operating system: its own folder, declared folders and hosts'),
  container: t('container: declared folders, no network'),
}

export function LocalServer({ name }: { readonly name: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['localServers', name],
    queryFn: () => api.localServers.get({ params: { name } }),
    refetchInterval: FRESH_MS,
    retry: false,
  })
  if (data) return <Cards server={data} />
  return (
    <section aria-label={t('Local server')} className="card xl:col-span-2">
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton className="m-5 h-40" />}
    </section>
  )
}

function Cards({ server }: { readonly server: Server }) {
  const { secrets, sandbox } = server
  return (
    <>
      <div className="flex min-w-0 flex-col gap-4">
        <Program server={server} />
        {secrets.length > 0 && <LocalServerSecrets server={server} />}
        <LocalServerPackage server={server} />
        <LocalServerSearch />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <LocalServerProcesses server={server} />
        {sandbox === 'os' && <LocalServerConnections server={server} />}
        <LastOutput server={server} />
      </div>
    </>
  )
}

const code = (text: string) => <code className="font-mono text-xs break-all">{text}</code>

function Program({ server }: { readonly server: Server }) {
  const { state, reason } = server
  const { label, tone } = STATES[state]
  return (
    <Facts
      title={t('Local server')}
      facts={[
        {
          name: t('State'),
          value: (
            <Badge tone={tone} dot>
              {label}
            </Badge>
          ),
        },
        ...(reason === null
          ? []
          : [{ name: t('Reason'), value: <span className={state === 'failed' ? 'text-bad' : ''}>{reason}</span> }]),
        {
          name: t('Command'),
          value: (
            <span className="flex items-start gap-1">
              {code(server.command)}
              <CopyButton text={server.command} label={t('Copy the command')} />
            </span>
          ),
        },
        { name: t('Program'), value: server.file && code(server.file) },
        { name: t('Sandbox'), value: SANDBOXES[server.sandbox] },
        { name: t('Sharing'), value: SHARINGS[server.sharing] },
        { name: t('Stops when idle for'), value: formatSpan(server.idleMinutes * 60_000) },
        {
          name: t('Memory limit'),
          value: t('{limit} for each process, with what it starts', {
            limit: formatBytes(server.memoryMb * 1_048_576),
          }),
        },
        { name: t('Variables'), value: server.env.length > 0 && code(server.env.join(', ')) },
        { name: t('Start'), value: server.startMs !== null && formatSpan(server.startMs) },
        { name: t('Handshake'), value: server.handshakeMs !== null && formatSpan(server.handshakeMs) },
      ]}
    />
  )
}

function LastOutput({ server: { name, processes, lastOutput } }: { readonly server: Server }) {
  const { run } = useServerChanges()
  const params = { name }
  return (
    <section aria-label={t('Last output')} className="card flex min-h-0 flex-col">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{t('Last output')}</h2>
      {lastOutput.length > 0 ? (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
          tabIndex={0}
          aria-label={t('Last output')}
          className="max-h-80 overflow-auto px-5 py-3 font-mono text-xs break-words whitespace-pre-wrap"
        >
          {lastOutput.join('\n')}
        </pre>
      ) : (
        <p className="px-5 py-3 text-sm text-ink-3">{t('It wrote nothing beside its messages.')}</p>
      )}
      <div className="mt-auto flex flex-wrap gap-2 border-t border-line px-5 py-3">
        <Button onClick={() => void run(api.localServers.restart({ params }), restarted)}>{t('Restart server')}</Button>
        <Button
          disabled={processes.length === 0}
          onClick={() => void run(api.localServers.stop({ params }), t('{name} is stopped', { name }))}
        >
          {t('Stop server')}
        </Button>
      </div>
    </section>
  )
}

const restarted = ({ name, state, reason }: Server): string =>
  state === 'failed'
    ? t('{name} does not start: {reason}', { name, reason: reason ?? '' })
    : t('{name} is restarted', { name })
