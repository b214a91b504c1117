// The passphrase that encrypts stored credentials without a keyring: entered at a start, or set once.

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { desktopBridge } from '../api/desktop.ts'
import { t } from '../language/language.ts'
import { Button } from './Button.tsx'
import { ErrorNote } from './ErrorState.tsx'
import { PasswordField } from './PasswordField.tsx'
import { submitting } from './submitting.ts'

export function PassphraseForm({
  submit,
  again = false,
  onGiven,
}: {
  readonly submit: string
  /** Entered twice, because a mistyped one would be lost. */
  readonly again?: boolean
  readonly onGiven?: () => void
}) {
  const [text, setText] = useState('')
  const [second, setSecond] = useState('')
  const give = useMutation({
    mutationFn: async () => {
      if ((await desktopBridge()?.givePassphrase(text)) !== true) throw new Error(t('Wrong passphrase.'))
    },
    onSuccess: onGiven,
  })
  const differs = again && second !== '' && second !== text
  return (
    <form
      className="grid gap-3 text-left"
      onSubmit={submitting(() => text.length >= 12 && (!again || second === text) && give.mutate())}
    >
      <PasswordField label={t('Passphrase')} value={text} onChange={setText} />
      {again && (
        <PasswordField
          label={t('Repeat')}
          value={second}
          onChange={setSecond}
          error={differs ? t('The passphrases do not match.') : undefined}
        />
      )}
      {give.error !== null && <ErrorNote error={give.error} />}
      <div>
        <Button type="submit" look="strong" busy={give.isPending}>
          {submit}
        </Button>
      </div>
    </form>
  )
}
