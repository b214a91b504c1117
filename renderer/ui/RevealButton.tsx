// Toggles the visibility of a password.
import { Eye, EyeOff } from 'lucide-react'
import { t } from '../language/language.ts'
import { IconButton } from './Button.tsx'

export function RevealButton({
  shown,
  onChange,
}: {
  readonly shown: boolean
  readonly onChange: (shown: boolean) => void
}) {
  return (
    <IconButton
      label={shown ? t('Hide the password') : t('Show the password')}
      size="sm"
      aria-pressed={shown}
      onClick={() => onChange(!shown)}
    >
      {shown ? <EyeOff /> : <Eye />}
    </IconButton>
  )
}
