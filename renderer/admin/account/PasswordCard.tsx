// Changes the user's password; ends their other sessions.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { notifyDone } from '../../ui/notify.ts'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { submitting } from '../../ui/submitting.ts'

export function PasswordCard() {
  const queries = useQueryClient()
  const actor = useActor()
  const [currentPassword, setCurrentPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const change = useMutation({
    mutationFn: async () => {
      await api.auth.changePassword({ body: { currentPassword, newPassword } })
      setCurrentPassword((now) => (now === currentPassword ? '' : now))
      setNewPassword((now) => (now === newPassword ? '' : now))
      notifyDone(t('Your password was changed, and your other sessions ended'))
      return queries.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  return (
    <section aria-label={t('Password')} className="card p-5">
      <h2 className="text-base font-semibold">{t('Password')}</h2>
      <p className="mt-0.5 mb-4 text-sm text-ink-2">{t('Changing the password ends your other sessions.')}</p>
      <form className="flex flex-col gap-4" onSubmit={submitting(() => change.mutate())}>
        {/* Shows password managers whose password it is. */}
        <input type="text" name="username" autoComplete="username" value={actor.username ?? ''} readOnly hidden />
        <Field
          label={t('Current password')}
          type="password"
          autoComplete="current-password"
          required
          maxLength={256}
          value={currentPassword}
          onChange={(event) => setCurrentPassword(event.target.value)}
          error={fieldProblem(change.error, 'currentPassword')}
        />
        <PasswordField
          label={t('New password')}
          value={newPassword}
          onChange={setNewPassword}
          error={fieldProblem(change.error, 'newPassword')}
        />
        {change.error && <ErrorNote error={change.error} />}
        <Button type="submit" look="strong" busy={change.isPending} className="self-start">
          {t('Change password')}
        </Button>
      </form>
    </section>
  )
}
