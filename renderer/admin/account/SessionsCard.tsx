// The user's sessions, and how to end them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LogOut, MonitorSmartphone } from 'lucide-react'
import type { SessionRecord } from '#contract'
import { api } from '../../api/api.ts'
import { plural, t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { actionColumn, timeColumn } from '../../ui/columns.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { type Column, queried, Table } from '../../ui/Table.tsx'

const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, t('Edge')],
  [/OPR\//, t('Opera')],
  [/Electron\//, t('Gantry desktop')],
  [/Firefox\//, t('Firefox')],
  [/Chrom(e|ium)\//, t('Chrome')],
  [/Safari\//, t('Safari')],
  [/curl\//, 'curl'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, t('Android')],
  [/Windows/, t('Windows')],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, t('Linux')],
]

function deviceOf(userAgent: string | null): string {
  if (!userAgent) return t('Unknown device')
  const named = (table: typeof PROGRAMS): string | undefined => table.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [program, system] = [named(PROGRAMS), named(SYSTEMS)]
  if (program && system) return `${program} on ${system}`
  return program ?? system ?? userAgent.slice(0, 40)
}

export function SessionsCard() {
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['sessions'] })
  const list = useQuery({ queryKey: ['sessions'], queryFn: () => api.auth.sessions({ query: { limit: '200' } }) })
  const others = useMutation({
    mutationFn: () => api.auth.revokeOthers(),
    onSuccess: ({ revoked }) => notifyDone(plural(revoked, '{count} session was ended', '{count} sessions were ended')),
    onError: notifyError,
    onSettled: refresh,
  })
  const sessions = list.data?.items ?? []
  return (
    <section aria-label={t('Sessions')} className="card overflow-hidden">
      <header className="flex items-center gap-3 px-6 py-4">
        <div className="grow">
          <h2 className="text-base font-semibold">{t('Sessions')}</h2>
          <p className="mt-0.5 text-sm text-ink-2">
            {t('Where you are signed in. End sessions you do not recognise.')}
          </p>
        </div>
        {sessions.length > 1 && (
          <Button busy={others.isPending} onClick={() => others.mutate()}>
            <LogOut />
            {t('End all others')}
          </Button>
        )}
      </header>
      <Table
        label={t('Sessions, newest first')}
        columns={COLUMNS}
        rows={sessions}
        rowKey={(session) => session.id}
        {...queried(list)}
        empty={
          <EmptyState
            icon={MonitorSmartphone}
            title={t('No sessions')}
            about={t('You are signed in by key or through the desktop app, without a session.')}
          />
        }
      />
    </section>
  )
}

const COLUMNS: readonly Column<SessionRecord>[] = [
  {
    key: 'device',
    title: t('Device'),
    grow: true,
    cell: (session) => (
      <span className="flex min-w-0 items-center gap-2" title={session.userAgent ?? undefined}>
        <span className="truncate font-medium">{deviceOf(session.userAgent)}</span>
        {session.current && <Badge tone="ok">{t('This session')}</Badge>}
      </span>
    ),
  },
  {
    key: 'address',
    title: t('Address'),
    width: 'w-44',
    cell: (session) => <span className="font-mono text-xs text-ink-2">{session.ipAddress ?? '–'}</span>,
  },
  timeColumn('seen', t('Last used'), ({ lastSeenAt }) => lastSeenAt),
  timeColumn('created', t('Signed in'), ({ createdAt }) => createdAt),
  timeColumn('expires', t('Ends'), ({ expiresAt }) => expiresAt),
  actionColumn('w-24', (session) => !session.current && <EndButton session={session} />),
]

function EndButton({ session }: { readonly session: SessionRecord }) {
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: () => api.auth.revokeSession({ params: { id: String(session.id) } }),
    onSuccess: () => notifyDone(t('The session was ended')),
    onError: notifyError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  })
  return (
    <Button
      look="quiet-danger"
      size="sm"
      busy={end.isPending}
      aria-label={t('End the session of {device}', { device: deviceOf(session.userAgent) })}
      onClick={() => end.mutate()}
    >
      {t('End')}
    </Button>
  )
}
