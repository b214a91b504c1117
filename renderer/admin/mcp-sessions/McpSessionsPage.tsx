// The open MCP sessions: client, endpoint, and how to end them.
import { useQuery } from '@tanstack/react-query'
import { Radio } from 'lucide-react'
import type { McpSession } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { buttonColumn, Named, stateColumn, timeColumn } from '../../ui/columns.tsx'
import { useAsk } from '../../ui/Dialog.tsx'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useChanges } from '../../ui/use-records.ts'

export function McpSessionsPage() {
  const ask = useAsk()
  const { run } = useChanges('mcp-sessions', 'overview')
  const list = usePaged(['mcp-sessions'], (paging) => api.mcpSessions.list({ query: paging }))
  const several = list.pages.some(({ unanswered }) => unanswered !== undefined)
  const unanswered = [...new Set(list.pages.flatMap((page) => page.unanswered ?? []))].join(', ')
  const missing = unanswered && t('Sessions of {instances} are missing: no answer.', { instances: unanswered })
  const callers = useCallers()
  const callerOf = ({ principal }: McpSession): string => callers.get(principal) ?? principal
  const end = (session: McpSession): void =>
    ask({
      title: t('End the session of {client}?', { client: clientOf(session) }),
      about: t('Running calls are cancelled. The client can open a new session; revoke its key to prevent that.'),
      confirm: t('End session'),
      run: () =>
        run(
          api.mcpSessions.close({ params: { id: session.ref } }),
          t('The session of {client} was ended', { client: clientOf(session) }),
        ),
    })
  return (
    <ListPage
      title={t('MCP sessions')}
      about={t('Connected MCP clients, with their endpoint and identity.')}
      noun={t('session')}
      placeholder={t('Client, caller or address')}
      list={list}
      wordsOf={(session) =>
        `${clientOf(session)} ${callerOf(session)} ${session.surface} ${session.id} ${instancesOf(session)}`
      }
      filters={
        missing && (
          <span role="status" className="text-xs text-warn">
            {missing}
          </span>
        )
      }
      columns={columnsFor(callerOf, end).filter(({ key }) => several || key !== 'instance')}
      rowKey={({ ref }) => ref}
      empty={{
        icon: Radio,
        title: t('No clients connected'),
        about: missing || t('Clients are listed while their session is open. Sessionless clients are not listed.'),
      }}
    />
  )
}

const clientOf = ({ clientInfo }: McpSession): string =>
  clientInfo ? `${clientInfo.name} ${clientInfo.version}`.trim() : t('a client without a name')

const instancesOf = ({ instances = [] }: McpSession): string => instances.join(', ')

/** Names a key by its label, if among the newest. */
function useCallers(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['keys', 'labels'],
    queryFn: () => api.mcpKeys.list({ query: { limit: '200' } }),
  })
  return new Map(data?.items.map(({ id, label }) => [`mcp-key:${id}`, label]))
}

const instanceColumn = (): Column<McpSession> => ({
  key: 'instance',
  title: t('Instance'),
  width: 'w-32',
  sortBy: instancesOf,
  cell: (session) => (
    <span className="block max-w-32 truncate text-ink-2" title={instancesOf(session)}>
      {instancesOf(session)}
    </span>
  ),
})

function columnsFor(
  callerOf: (session: McpSession) => string,
  onEnd: (session: McpSession) => void,
): readonly Column<McpSession>[] {
  return [
    {
      key: 'client',
      title: t('Client'),
      grow: true,
      sortBy: clientOf,
      cell: ({ clientInfo, id }) => (
        <Named
          name={clientInfo?.name ?? t('Without a name')}
          about={
            <>
              {clientInfo?.version} <code className="font-mono text-2xs">{id}</code>
            </>
          }
        />
      ),
    },
    {
      key: 'principal',
      title: t('As'),
      width: 'w-40',
      sortBy: callerOf,
      cell: (session) => (
        <span className="block max-w-40 truncate text-ink-2" title={session.principal}>
          {callerOf(session)}
        </span>
      ),
    },
    {
      key: 'surface',
      title: t('Connected to'),
      width: 'w-40',
      sortBy: ({ surface }) => surface,
      cell: ({ surface }) => <code className="block max-w-40 truncate font-mono text-xs">{surface}</code>,
    },
    instanceColumn(),
    stateColumn(({ hasStream }) => (hasStream ? ['ok', t('yes')] : ['neutral', t('no')]), {
      title: t('Listens'),
      width: 'w-24',
    }),
    {
      key: 'revision',
      title: t('Protocol'),
      width: 'w-28',
      sortBy: ({ revision }) => revision,
      cell: ({ revision }) => <span className="text-xs whitespace-nowrap text-ink-2">{revision}</span>,
    },
    timeColumn('opened', t('Opened'), ({ createdAt }) => createdAt, 'w-28'),
    timeColumn('seen', t('Last call'), ({ lastSeenAt }) => lastSeenAt, 'w-28'),
    buttonColumn({
      text: () => t('End…'),
      label: (session) => t('End the session of {client}', { client: clientOf(session) }),
      onClick: onEnd,
    }),
  ]
}
