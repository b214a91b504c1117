// The decision: the call to approve or deny, and a note for the audit log.
import { API, type Approval } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { RecordForm } from '../../ui/form/RecordForm.tsx'
import { useChanges } from '../../ui/use-records.ts'

/** `next`: the ticket to show afterwards. */
export type Deciding = {
  readonly ticket: Approval
  readonly verb: 'approve' | 'reject'
  readonly next: number | undefined
}

const noteForm = (label: string) =>
  formOf(API.approvals.approve.body, {
    note: { label, hint: t('Optional. Stored with the ticket and in the audit log.') },
  })

const WORDS = {
  approve: {
    title: t('Approve this call?'),
    about: t('The requester can make this exact call once.'),
    submit: t('Approve'),
    form: noteForm(t('Note')),
    done: t('was approved'),
  },
  reject: {
    title: t('Deny this call?'),
    about: t('This is final. The requester is notified and can ask again.'),
    submit: t('Deny'),
    form: noteForm(t('Reason')),
    done: t('was denied'),
  },
} as const

export function DecideDialog({
  deciding,
  onClose,
  onDecided,
}: {
  readonly deciding: Deciding | null
  readonly onClose: () => void
  readonly onDecided: (ticket: Approval) => void
}) {
  const words = WORDS[deciding?.verb ?? 'approve']
  return (
    <Dialog open={deciding !== null} onClose={onClose} title={words.title} about={words.about}>
      {deciding && <Form key={deciding.ticket.id} deciding={deciding} onClose={onClose} onDecided={onDecided} />}
    </Dialog>
  )
}

function Form({
  deciding: { ticket, verb },
  onClose,
  onDecided,
}: {
  readonly deciding: Deciding
  readonly onClose: () => void
  readonly onDecided: (ticket: Approval) => void
}) {
  const { run } = useChanges('approvals', 'overview')
  const { form, submit, done } = WORDS[verb]
  return (
    <RecordForm
      form={form}
      submit={submit}
      renderAbove={() => (
        <p className="min-w-0 truncate rounded-md bg-sunken px-3 py-2 font-mono text-xs">
          <span className="text-ink-3">{ticket.clientName} / </span>
          <span className="font-medium">{ticket.toolName}</span> {ticket.argsJson}
        </p>
      )}
      onSubmit={(body) =>
        run(api.approvals[verb]({ params: { id: String(ticket.id) }, body }), (after) => {
          const missing = after.requiredLevels - after.approvalsReceived
          return after.status === 'pending'
            ? t('Ticket {id} has your approval, and waits for {missing} more', { id: after.id, missing })
            : t('Ticket {id} {done}', { id: after.id, done })
        })
      }
      onDone={onDecided}
      onClose={onClose}
    />
  )
}
