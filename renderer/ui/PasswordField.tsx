// A new password: shown on request, generated and copied on request.
import { Sparkles } from 'lucide-react'
import { useState } from 'react'
import { t } from '../language/language.ts'
import { IconButton } from './Button.tsx'
import { Field } from './Field.tsx'
import { notifyDone, notifyError } from './notify.ts'
import { RevealButton } from './RevealButton.tsx'

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789'
const LENGTH = 24

/** Uniform over the alphabet: rejects biased bytes. */
export function newPassword(random: (length: number) => Uint8Array): string {
  const limit = 256 - (256 % LETTERS.length)
  let password = ''
  while (password.length < LENGTH)
    for (const byte of random(LENGTH))
      if (byte < limit && password.length < LENGTH) password += LETTERS[byte % LETTERS.length]
  return password
}

export function PasswordField({
  label,
  value,
  onChange,
  generate = false,
  error,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Offers to generate one, for the password of another user. */
  readonly generate?: boolean
  readonly error?: string | undefined
}) {
  const [shown, setShown] = useState(false)
  return (
    <Field
      label={label}
      type={shown ? 'text' : 'password'}
      autoComplete="new-password"
      required
      minLength={12}
      maxLength={256}
      value={value}
      className={shown ? 'font-mono' : ''}
      onChange={(event) => onChange(event.target.value)}
      hint={t('At least 12 characters.')}
      error={error}
      adornment={
        <span className="flex">
          {generate && (
            <IconButton
              label={t('Generate and copy')}
              size="sm"
              onClick={() => {
                const made = newPassword((length) => crypto.getRandomValues(new Uint8Array(length)))
                onChange(made)
                setShown(true)
                navigator.clipboard.writeText(made).then(() => notifyDone(t('The password was copied')), notifyError)
              }}
            >
              <Sparkles />
            </IconButton>
          )}
          <RevealButton shown={shown} onChange={setShown} />
        </span>
      }
    />
  )
}
