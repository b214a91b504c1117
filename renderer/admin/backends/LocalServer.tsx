// A local server on the page of its backend: its command, state and last output; restart and stop.
import { useQuery } from '@tanstack/react-query'
import type { LocalServer as Server } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatBytes, formatMoment, formatSpan } from '../../ui/format.ts'
import { useBackendChanges } from './use-backend-changes.ts'

const FRESH_MS = 2_000

const STATES: Readonly<Record<Server['state'], { readonly label: string; readonly tone: Tone }>> = {
  stopped: { label: t('Stopped'), tone: 'neutral' },
  resolving: { label: t('Preparing'), tone: 'info' },
  starting: { label: t('Starting'), tone: 'info' },
  ready: { label: t('In use'), tone: 'ok' },
  idle: { label: t('Idle'), tone: 'ok' },
  stopping: { label: t('Stopping'), tone: 'info' },
  failed: { label: t('Failed'), tone: 'bad' },
}
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
const SHOWN = 10

export function LocalServer({ name }: { readonly name: string }) {
  const { data, error } = useQuery({
    queryKey: ['localServers', name],
    queryFn: () => api.localServers.get({ params: { name } }),
    refetchInterval: FRESH_MS,
  })
  if (error) return <ErrorNote error={error} />
  return data ? <Card server={data} /> : null
}

function Card({ server }: { readonly server: Server }) {
  const { state, reason, processes } = server
  const { label, tone } = STATES[state]
  return (
    <>
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
          { name: t('Reason'), value: reason },
          {
            name: t('Command'),
            value: (
              <span className="flex items-start gap-1">
                <code className="font-mono text-xs break-all">{server.command}</code>
                <CopyButton text={server.command} label={t('Copy the command')} />
              </span>
            ),
          },
          {
            name: t('Program'),
            value: server.file && <code className="font-mono text-xs break-all">{server.file}</code>,
          },
          {
            name: t('Package'),
            value: server.package && (
              <span className="break-all" title={server.package.integrity}>
                {t('{name} {version}, installed', server.package)}
              </span>
            ),
          },
          { name: t('Processes'), value: processes.length > 0 && processes.map(processText).join('; ') },
          {
            name: t('Memory limit'),
            value: t('{limit} for each process, with what it starts', {
              limit: formatBytes(server.memoryMb * 1_048_576),
            }),
          },
          { name: t('Waiting calls'), value: server.waiting },
          { name: t('Sharing'), value: SHARINGS[server.sharing] },
          { name: t('Stops when idle for'), value: formatSpan(server.idleMinutes * 60_000) },
          { name: t('Sandbox'), value: SANDBOXES[server.sandbox] },
          {
            name: t('Connections'),
            value: server.network.length > 0 && server.network.slice(-SHOWN).map(passageText).join('; '),
          },
          { name: t('Variables'), value: server.env.length > 0 && server.env.join(', ') },
          { name: t('Secrets'), value: server.secrets.length > 0 && server.secrets.map(secretText).join(', ') },
          { name: t('Start'), value: server.startMs !== null && formatSpan(server.startMs) },
          { name: t('Handshake'), value: server.handshakeMs !== null && formatSpan(server.handshakeMs) },
        ]}
      />
      <LastOutput server={server} />
    </>
  )
}

function LastOutput({ server: { name, processes, lastOutput } }: { readonly server: Server }) {
  const { run } = useBackendChanges()
  const params = { name }
  return (
    <section aria-label={t('Last output')} className="card flex min-h-0 flex-col">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{t('Last output')}</h2>
      {lastOutput.length > 0 ? (
        <pre className="max-h-80 overflow-auto px-5 py-3 font-mono text-xs break-words whitespace-pre-wrap">
          {lastOutput.join('\n')}
        </pre>
      ) : (
        <p className="px-5 py-3 text-sm text-ink-3">{t('It wrote nothing beside its messages.')}</p>
      )}
      <div className="mt-auto flex gap-2 border-t border-line px-5 py-3">
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

function processText({ pid, state, since, memoryBytes }: Server['processes'][number]): string {
  const about = { pid: pid ?? '–', state: STATES[state].label, since: formatMoment(since) }
  return memoryBytes === null
    ? t('{pid}: {state} since {since}', about)
    : t('{pid}: {state} since {since}, {memory}', { ...about, memory: formatBytes(memoryBytes) })
}

const secretText = ({ name, isSet }: Server['secrets'][number]): string =>
  isSet ? t('{name} (set)', { name }) : t('{name} (missing)', { name })

const passageText = ({ host, port, refused }: Server['network'][number]): string =>
  refused === null ? `${host}:${port}` : t('{host}:{port} refused: {refused}', { host, port, refused })
