// The decision itself: what is about to be let through or denied, and a word on it for the audit log.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Approval } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { useWhileMounted } from '../../ui/use-mounted.ts'

/** `next`: the ticket to look at afterwards. */
export type Deciding = {
  readonly ticket: Approval
  readonly verb: 'approve' | 'reject'
  readonly next: number | undefined
}

const WORDS = {
  approve: {
    title: 'Approve this call?',
    about: 'It may be made once, exactly as it was asked for, and only by whoever asked.',
    submit: 'Approve',
    note: 'Note',
    done: 'was approved',
  },
  reject: {
    title: 'Deny this call?',
    about: 'This is final. Whoever asked is told that it was rejected, and may ask again.',
    submit: 'Deny',
    note: 'Reason',
    done: 'was denied',
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
  const [note, setNote] = useState('')
  const { settled } = useInvalidate('approvals', 'overview')
  const words = WORDS[verb]
  const leave = useWhileMounted(onDecided)
  const decide = useMutation({
    mutationFn: () =>
      settled(
        api.approvals[verb]({
          params: { id: String(ticket.id) },
          body: note.trim() === '' ? {} : { note: note.trim() },
        }),
      ),
    onSuccess(after) {
      const missing = after.requiredLevels - after.approvalsReceived
      notifyDone(
        after.status === 'pending'
          ? `Ticket ${after.id} has your approval, and waits for ${missing} more`
          : `Ticket ${after.id} ${words.done}`,
      )
      leave(after)
    },
  })
  return (
    <DialogForm
      submit={words.submit}
      busy={decide.isPending}
      error={decide.error}
      onSubmit={() => decide.mutate()}
      onClose={onClose}
    >
      <p className="min-w-0 truncate rounded-md bg-sunken px-3 py-2 font-mono text-xs">
        <span className="text-ink-3">{ticket.clientName} / </span>
        <span className="font-medium">{ticket.toolName}</span> {ticket.argsJson}
      </p>
      <Field
        label={words.note}
        value={note}
        maxLength={1000}
        autoComplete="off"
        hint="Kept with the ticket and in the audit log. May be left empty."
        onChange={(event) => setNote(event.target.value)}
      />
    </DialogForm>
  )
}
