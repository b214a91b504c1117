// The approval inbox: waiting calls, opened and decided beside the list.
import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Check, Search, ShieldCheck, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type Actor, type Approval, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatActor } from '../../ui/format.ts'
import { type Action, usePageActions } from '../../ui/keys/page-actions.ts'
import { useShortcuts } from '../../ui/keys/use-shortcuts.ts'
import { notifyError } from '../../ui/notify.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Select } from '../../ui/Select.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { DecideDialog, type Deciding } from './DecideDialog.tsx'
import { afterDecision, FILTERS, filterIn, needsInWords, STATES, stepFrom } from './queue.ts'
import { TicketSheet } from './TicketSheet.tsx'

/** Keys of the inbox: next and previous ticket, approve, deny. */
function useTicketKeys(step: (by: 1 | -1) => void, decide: ((verb: Deciding['verb']) => void) | undefined): void {
  const actions: readonly Action[] = [
    { title: t('Next ticket'), icon: ArrowDown, keys: 'j', run: () => step(1) },
    { title: t('Previous ticket'), icon: ArrowUp, keys: 'k', run: () => step(-1) },
    ...(decide
      ? [
          { title: t('Approve the open ticket'), icon: Check, keys: 'a', run: () => decide('approve') },
          { title: t('Deny the open ticket'), icon: X, keys: 'd', run: () => decide('reject') },
        ]
      : []),
  ]
  useShortcuts(actions)
  useEffect(() => {
    usePageActions.setState({ title: t('Approvals'), actions })
  })
  useEffect(() => () => usePageActions.setState({ title: '', actions: [] }), [])
}

/** Names a caller by the label of its key, if among the newest keys. */
function useCallers(): (ticket: Approval) => string {
  const { data } = useQuery({
    queryKey: ['keys', 'labels'],
    queryFn: () => api.mcpKeys.list({ query: { limit: '200' } }),
  })
  const labels = new Map(data?.items.map(({ id, label }) => [id, label]))
  return ({ requestedBy, requestedByPrincipal }) => labels.get(requestedBy ?? 0) ?? formatActor(requestedByPrincipal)
}

export function ApprovalsPage() {
  const actor = useActor()
  const [params, change] = useUrlParams()
  const [deciding, setDeciding] = useState<Deciding | null>(null)
  const filter = filterIn(params.status)
  const list = usePaged(['approvals', 'list', filter], (paging) =>
    api.approvals.list({ query: { ...(filter === 'all' ? {} : { status: filter }), ...paging } }),
  )
  const callerOf = useCallers()
  const ids = list.rows.map(({ id }) => id)
  const wanted = params.ticket === undefined ? undefined : Number(params.ticket)
  const ticket = useTicket(wanted, list.rows)
  const open = (id: number | undefined): void => change({ ticket: id === undefined ? undefined : String(id) })
  const refused = whyNot(actor, ticket)
  const decide = (verb: Deciding['verb']): void => {
    if (ticket?.status === 'pending' && refused === '')
      setDeciding({ ticket, verb, next: afterDecision(ids, ticket.id) })
  }
  useTicketKeys((by) => open(stepFrom(ids, wanted, by)), mayUse(actor, 'operator') ? decide : undefined)
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Approvals')}
        about={t('Calls waiting for approval. Approving lets that exact call run once.')}
      />
      <search className="flex items-center gap-3 border-b border-line px-6 pb-3">
        <Select
          className="w-56"
          label={t('Show')}
          hideLabel
          value={filter}
          options={FILTERS}
          onChange={(status) => change({ status: status === 'pending' ? undefined : status, ticket: undefined })}
        />
      </search>
      <Table
        className="min-h-0 grow"
        label={t('Approvals, newest first')}
        columns={columnsFor(callerOf)}
        {...list.table}
        rowKey={({ id }) => id}
        onOpen={({ id }) => open(id)}
        openKey={wanted}
        empty={
          filter === 'pending' ? (
            <EmptyState
              icon={ShieldCheck}
              title={t('No pending approvals')}
              about={t(
                'Calls to tools that require approval wait here until someone decides. The backend is not called before that.',
              )}
            />
          ) : filter === 'all' ? (
            <EmptyState icon={ShieldCheck} title={t('No ticket yet')} about={t('No call has required approval yet.')} />
          ) : (
            <EmptyState icon={Search} title={t('No such ticket')} about={t('None is in this state.')} />
          )
        }
      />
      <TicketSheet
        ticket={ticket}
        callerOf={callerOf}
        decides={{ may: refused === '', why: refused, onDecide: decide }}
        onClose={() => open(undefined)}
      />
      <DecideDialog
        deciding={deciding}
        onClose={() => setDeciding(null)}
        onDecided={(after) => {
          setDeciding(null)
          if (after.status !== 'pending' && filter === 'pending') open(deciding?.next)
        }}
      />
    </div>
  )
}

/** From the list, or fetched when a link names it. */
function useTicket(wanted: number | undefined, rows: readonly Approval[]): Approval | undefined {
  const listed = rows.find(({ id }) => id === wanted)
  const one = useQuery({
    queryKey: ['approvals', 'one', wanted],
    queryFn: () =>
      api.approvals.get({ params: { id: String(wanted) } }).catch((error: unknown) => {
        notifyError(error)
        return null
      }),
    enabled: wanted !== undefined && listed === undefined,
  })
  return listed ?? (wanted === undefined ? undefined : (one.data ?? undefined))
}

/** An estimate; the gateway decides. */
function whyNot(actor: Actor, ticket: Approval | undefined): string {
  if (!mayUse(actor, 'operator')) return t('Operators and admins decide.')
  if (ticket === undefined) return ''
  if (ticket.requestedByPrincipal === actor.username || ticket.actingPerson === actor.username)
    return t('You requested this call. Another person must decide it.')
  if (ticket.approvers.length > 0 && !ticket.approvers.includes(actor.username ?? ''))
    return t('Only {value} may decide this.', { value: ticket.approvers.join(', ') })
  if (ticket.decisions.some(({ decidedBy }) => decidedBy === actor.username))
    return t('You approved it. It needs the approval of another person too.')
  return ''
}

function columnsFor(callerOf: (ticket: Approval) => string): readonly Column<Approval>[] {
  return [
    {
      key: 'id',
      title: t('Ticket'),
      spare: true,
      width: 'w-20',
      cell: ({ id }) => <span className="text-ink-2 tabular-nums">{id}</span>,
    },
    {
      key: 'tool',
      title: t('Tool'),
      sortBy: ({ clientName, toolName }) => `${clientName} ${toolName}`,
      cell: ({ clientName, toolName }) => (
        <code className="block max-w-72 truncate font-mono text-xs">
          <span className="text-ink-3">{clientName} / </span>
          <span className="font-medium">{toolName}</span>
        </code>
      ),
    },
    {
      key: 'args',
      title: t('With'),
      grow: true,
      cell: ({ args, argsJson }) =>
        args === null ? (
          <span className="text-ink-3">–</span>
        ) : (
          <code className="block truncate font-mono text-xs text-ink-2">{argsJson}</code>
        ),
    },
    {
      key: 'caller',
      title: t('Asked by'),
      sortBy: callerOf,
      cell: (ticket) => <span className="block max-w-44 truncate text-ink-2">{callerOf(ticket)}</span>,
    },
    {
      key: 'state',
      title: t('State'),
      width: 'w-28',
      cell: ({ status }) => (
        <Badge tone={STATES[status].tone} dot>
          {STATES[status].word}
        </Badge>
      ),
    },
    {
      key: 'needs',
      title: t('Needs'),
      spare: true,
      width: 'w-32',
      cell: (ticket) => <span className="text-ink-2">{needsInWords(ticket)}</span>,
    },
    {
      key: 'asked',
      title: t('Asked'),
      width: 'w-28',
      sortBy: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <RelativeTime at={createdAt} className="text-ink-2" />,
    },
    {
      key: 'expires',
      title: t('Expires'),
      width: 'w-28',
      sortBy: ({ expiresAt }) => expiresAt,
      cell: ({ status, expiresAt }) =>
        status === 'pending' || status === 'approved' ? (
          <RelativeTime at={expiresAt} className="text-ink-2" />
        ) : (
          <span className="text-ink-3">–</span>
        ),
    },
  ]
}
