// The invitation link of a user: how long it lasts, and the link, which is shown once.
import { TriangleAlert } from 'lucide-react'
import { z } from 'zod'
import type { UserRecord } from '#contract'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { DialogActions } from '../../ui/Dialog.tsx'
import { type FieldWords, formOf } from '../../ui/form/fields.ts'
import { expiryOf, LIFETIMES } from '../../ui/form/lifetime.tsx'
import { type DialogProps, RecordDialog } from '../../ui/form/RecordForm.tsx'
import { useUserChanges } from './use-user-changes.ts'

const { '1': day, '7': week, '30': month } = LIFETIMES
export const Lifetime = z.enum(['1', '7', '30']).default('7')
export const LIFETIME: FieldWords = { label: t('Link expires after'), options: { '1': day, '7': week, '30': month } }

export const linkEnd = (lifetime: z.output<typeof Lifetime>) => ({ expiresAt: expiryOf(lifetime, Date.now()) ?? '' })

const FORM = formOf(z.object({ lifetime: Lifetime }), { lifetime: LIFETIME })

/** `user`: who receives a new link; the dialog is open while there is one. */
export function NewInvitation({
  user,
  onClose,
}: { readonly user: UserRecord | undefined } & Omit<DialogProps, 'open'>) {
  const { invite } = useUserChanges()
  return (
    <RecordDialog
      open={user !== undefined}
      onClose={onClose}
      title={t('Invitation for {name}', { name: user?.username ?? '' })}
      about={t('The new link replaces the one before, which stops working.')}
      form={FORM}
      submit={t('Create link')}
      once
      onSubmit={({ lifetime }) => invite(user?.username ?? '', linkEnd(lifetime))}
      renderDone={({ username, invitationUrl }) => (
        <InvitationShown username={username} url={invitationUrl} onClose={onClose} />
      )}
    />
  )
}

export function InvitationShown({
  username,
  url,
  onClose,
}: {
  readonly username: string
  readonly url: string
  readonly onClose: () => void
}) {
  return (
    <div className="flex flex-col gap-4 pt-1">
      <p className="flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
        {t('Copy the link now and send it to {name} securely. It works once and is not shown again.', {
          name: username,
        })}
      </p>
      <CodeBlock label={t('Invitation link')} text={url} />
      <DialogActions>
        <Button look="strong" onClick={onClose}>
          {t('Done')}
        </Button>
      </DialogActions>
    </div>
  )
}
