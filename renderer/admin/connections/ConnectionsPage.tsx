// The backends that are called as the user: connected or not, and how to connect.
import { useQuery } from '@tanstack/react-query'
import { Unplug } from 'lucide-react'
import type { OwnConnection } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { actionColumn, Named, stateColumn } from '../../ui/columns.tsx'
import { useAsk } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { type Column, queried, Table } from '../../ui/Table.tsx'
import { useChanges } from '../../ui/use-records.ts'
import { useUrlParams } from '../../url-params.ts'
import { ConsentCard } from './ConsentCard.tsx'
import { aboutState, stateOf } from './states.ts'

const PROBLEMS: Readonly<Record<string, string>> = {
  state: t('It was begun by another person or in another browser, or took longer than 10 minutes.'),
  denied: t('The provider refused, or you did.'),
  exchange: t('The provider gave no token. Its answer is in the log of the gateway.'),
}

export function ConnectionsPage() {
  const [{ link, client, problem, connected, connect }, change] = useUrlParams()
  const ask = useAsk()
  const { run } = useChanges('connections')
  const list = useQuery({ queryKey: ['connections', 'mine'], queryFn: () => api.identity.mine() })
  const linked = useQuery({
    queryKey: ['connections', 'link', link],
    queryFn: () => api.identity.link({ body: { link: link ?? '' } }),
    enabled: link !== undefined,
    retry: false,
  })
  const wanted = link === undefined ? connect : linked.data?.client
  const close = (): void =>
    change({ link: undefined, connect: undefined, client: undefined, problem: undefined, connected: undefined })
  const disconnect = (name: string): void =>
    ask({
      title: t('Disconnect {client}?', { client: name }),
      about: t('The token is deleted here and revoked at its provider. Calls as you are refused from then on.'),
      confirm: t('Disconnect'),
      run: () => run(api.identity.disconnect({ params: { name } }), t('{client} was disconnected', { client: name })),
    })
  return (
    <div className="max-w-[104rem] pb-10">
      <PageHeader title={t('My connections')} about={t('Backends that are called as you, with your account there.')} />
      {connected !== undefined && client && (
        <p role="status" className="mx-6 mb-4 max-w-2xl rounded-md bg-ok-soft px-4 py-2.5 text-sm text-ok">
          {t('{client} is connected. You can close this page; a call that waits goes on.', { client })}
        </p>
      )}
      {problem !== undefined && (
        <p role="alert" className="mx-6 mb-4 max-w-2xl rounded-md bg-bad-soft px-4 py-2.5 text-sm text-bad">
          {t('{client} was not connected.', { client: client ?? t('The backend') })} {PROBLEMS[problem] ?? ''}
        </p>
      )}
      {linked.error && <ErrorNote error={linked.error} className="mx-6 mb-4 max-w-2xl" />}
      {wanted !== undefined && <ConsentCard key={wanted} client={wanted} link={link} onClose={close} />}
      <div className="px-6">
        <section aria-label={t('My connections')} className="card overflow-hidden">
          <Table
            label={t('My connections')}
            columns={columnsFor(
              (name) => change({ connect: name, connected: undefined, problem: undefined }),
              disconnect,
            )}
            rows={list.data?.items ?? []}
            rowKey={(row) => row.client}
            {...queried(list)}
            empty={
              <EmptyState
                icon={Unplug}
                title={t('No backend is called as you')}
                about={t('An administrator sets for each backend whether it is called as each person.')}
              />
            }
          />
        </section>
      </div>
    </div>
  )
}

function columnsFor(
  onConnect: (client: string) => void,
  onDisconnect: (client: string) => void,
): readonly Column<OwnConnection>[] {
  return [
    {
      key: 'client',
      title: t('Backend'),
      grow: true,
      sortBy: ({ client }) => client,
      cell: ({ client, connection }) => <Named name={client} about={aboutState(connection)} />,
    },
    {
      key: 'scopes',
      title: t('Rights'),
      width: 'w-44',
      cell: ({ connection }) => (
        <span className="block max-w-44 truncate text-xs text-ink-2" title={connection?.scopes.join(' ')}>
          {connection?.scopes.join(', ') ?? '–'}
        </span>
      ),
    },
    stateColumn(({ connection }) => stateOf(connection), { width: 'w-44' }),
    actionColumn('w-56', ({ client, connection }) => {
      const works = connection !== null && connection.state !== 'reconnect' && connection.state !== 'revoked'
      return (
        <span className="-my-1.5 flex justify-end gap-1">
          <Button size="sm" aria-label={t('Connect {client}', { client })} onClick={() => onConnect(client)}>
            {works ? t('Connect again…') : t('Connect…')}
          </Button>
          {works && (
            <Button
              size="sm"
              look="quiet-danger"
              aria-label={t('Disconnect {client}', { client })}
              onClick={() => onDisconnect(client)}
            >
              {t('Disconnect')}
            </Button>
          )}
        </span>
      )
    }),
  ]
}
