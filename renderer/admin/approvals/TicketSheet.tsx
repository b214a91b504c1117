// One ticket in full: caller, call, the difference to the last approved call, and the notes.
import { Link } from '@tanstack/react-router'
import { Check, X } from 'lucide-react'
import { useState } from 'react'
import type { Approval } from '#contract'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Sheet } from '../../ui/Dialog.tsx'
import { DiffList } from '../../ui/DiffList.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { JsonView } from '../../ui/JsonView.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useCountdown } from '../../ui/use-countdown.ts'
import type { Deciding } from './DecideDialog.tsx'
import { needsInWords, STATES, waitsOpen } from './queue.ts'

const SOON_MS = 10 * 60_000

function Expiry({ at }: { readonly at: string }) {
  const [startedAtMs] = useState(() => Date.now())
  const leftMs = useCountdown(Date.parse(at) - startedAtMs, startedAtMs)
  return (
    <time dateTime={at} title={formatMoment(at)} className={cx('tabular-nums', leftMs < SOON_MS && 'text-warn')}>
      {leftMs > 0 ? t('in {leftMs}', { leftMs: formatSpan(leftMs) }) : t('now')}
    </time>
  )
}

export type Decides = {
  readonly may: boolean
  readonly why: string
  readonly onDecide: (verb: Deciding['verb']) => void
}

export function TicketSheet({
  ticket,
  callerOf,
  decides,
  onClose,
}: {
  readonly ticket: Approval | undefined
  readonly callerOf: (ticket: Approval) => string
  readonly decides: Decides
  readonly onClose: () => void
}) {
  return (
    <Sheet open={ticket !== undefined} onClose={onClose} title={ticket ? t('Ticket {id}', { id: ticket.id }) : ''}>
      {ticket && (
        <div className="flex min-h-full flex-col">
          <div className="flex grow flex-col gap-4 p-4">
            <About ticket={ticket} caller={callerOf(ticket)} />
            <Arguments ticket={ticket} />
            {ticket.decisions.length > 0 && <Decisions ticket={ticket} />}
          </div>
          {ticket.status === 'pending' && <DecisionBar {...decides} />}
        </div>
      )}
    </Sheet>
  )
}

function About({ ticket, caller }: { readonly ticket: Approval; readonly caller: string }) {
  const { word, tone } = STATES[ticket.status]
  return (
    <Facts
      title={t('The call')}
      facts={[
        {
          name: t('Tool'),
          value: (
            <Link
              to={`/tools/${ticket.clientName}/${encodeURIComponent(ticket.toolName)}`}
              className="font-mono text-xs hover:underline"
            >
              <span className="text-ink-3">{ticket.clientName} / </span>
              <span className="font-medium">{ticket.toolName}</span>
            </Link>
          ),
        },
        {
          name: t('State'),
          value: (
            <Badge tone={tone} dot>
              {word}
            </Badge>
          ),
        },
        {
          name: t('Asked by'),
          value: ticket.endUser ? t('{caller}, for {endUser}', { caller, endUser: ticket.endUser }) : caller,
        },
        ticket.actingPerson !== null && {
          name: t('Called by'),
          value: t('{actingPerson}, on behalf of the key', { actingPerson: ticket.actingPerson }),
        },
        { name: t('Asked'), value: <RelativeTime at={ticket.createdAt} /> },
        waitsOpen(ticket) && {
          name: ticket.status === 'approved' ? t('To be used') : t('Expires'),
          value: <Expiry key={ticket.expiresAt} at={ticket.expiresAt} />,
        },
        { name: t('Needs'), value: needsInWords(ticket) },
        { name: t('Approvers'), value: ticket.approvers.length > 0 ? ticket.approvers.join(', ') : t('any operator') },
        ticket.consumedAt !== null && { name: t('Used'), value: <RelativeTime at={ticket.consumedAt} /> },
        ticket.reason === 'quarantine' && { name: t('Why it waits'), value: t('the tool is under quarantine') },
      ].filter((fact) => fact !== false)}
    />
  )
}

function Arguments({ ticket: { args, previous } }: { readonly ticket: Approval }) {
  if (args === null)
    return (
      <p className="rounded-md bg-sunken px-3 py-2 text-xs text-ink-2">
        {t('Only operators and admins can see the arguments.')}
      </p>
    )
  return (
    <>
      <section className="flex min-w-0 flex-col gap-2">
        <h2 className="text-sm font-semibold">{t('Arguments')}</h2>
        <JsonView value={args} label={t('Arguments')} />
      </section>
      <section className="flex min-w-0 flex-col gap-2">
        <h2 className="text-sm font-semibold">
          {t('Changes since the last approved call')}
          {previous && <span className="font-normal text-ink-3"> {t('· ticket {id}', { id: previous.id })}</span>}
        </h2>
        {previous === null ? (
          <p className="text-xs text-ink-2">{t('No call of this tool was approved before.')}</p>
        ) : previous.diff.length === 0 ? (
          <p className="text-xs text-ink-2">{t('No differences.')}</p>
        ) : (
          <DiffList label={t('Differences')} entries={previous.diff} whole />
        )}
      </section>
    </>
  )
}

function Decisions({ ticket }: { readonly ticket: Approval }) {
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">{t('Decisions')}</h2>
      <ul aria-label={t('Decisions')} className="divide-y divide-line rounded-md border border-line text-sm">
        {ticket.decisions.map(({ id, decision, decidedBy, decidedAt, note }) => (
          <li key={id} className="px-3 py-2">
            <p className="flex items-center gap-2">
              <Badge tone={decision === 'approved' ? 'ok' : 'bad'}>
                {decision === 'approved' ? t('approved') : t('denied')}
              </Badge>
              <span className="min-w-0 truncate">{decidedBy}</span>
              <RelativeTime at={decidedAt} className="ml-auto text-xs text-ink-3" />
            </p>
            {note && <p className="mt-1 text-xs break-words text-ink-2">{note}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function DecisionBar({ may, why, onDecide }: Decides) {
  return (
    <div data-bar className="sticky bottom-0 flex items-center gap-2 border-t border-line bg-raised px-4 py-3">
      {may ? (
        <>
          <Button look="strong" onClick={() => onDecide('approve')}>
            <Check />
            {t('Approve…')}
            <Kbd keys={['a']} />
          </Button>
          <Button look="quiet-danger" onClick={() => onDecide('reject')}>
            <X />
            {t('Deny…')}
            <Kbd keys={['d']} />
          </Button>
        </>
      ) : (
        <p className="text-xs text-ink-2">{why}</p>
      )}
    </div>
  )
}
