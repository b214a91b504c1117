// What can be done with one user.
import { KeyRound, Trash2, UserCheck, UserCog, UserX } from 'lucide-react'
import type { UserRecord } from '#contract'
import { RecordMenu } from '../../ui/Menu.tsx'
import type { Editing } from './UserDialogs.tsx'
import { useUserChanges } from './use-user-changes.ts'

export function UserMenu({ user, onEdit }: { readonly user: UserRecord; readonly onEdit: (editing: Editing) => void }) {
  const { change, remove } = useUserChanges()
  const { username, isActive } = user
  return (
    <RecordMenu
      name={username}
      entries={[
        { label: 'Change role…', icon: UserCog, run: () => onEdit({ kind: 'role', user }) },
        user.authMethod === 'password' && {
          label: 'Reset password…',
          icon: KeyRound,
          run: () => onEdit({ kind: 'password', user }),
        },
        {
          label: isActive ? 'Deactivate' : 'Activate',
          icon: isActive ? UserX : UserCheck,
          run: () =>
            change(
              user,
              { isActive: !isActive },
              `${username} ${isActive ? 'was deactivated and signed out' : 'may sign in again'}`,
            ),
        },
        {
          label: 'Delete…',
          icon: Trash2,
          ask: {
            title: `Delete ${username}?`,
            about:
              'Their sessions end at once and the account cannot be brought back. What they did stays in the audit log. To keep the account for later, deactivate it instead.',
            confirm: 'Delete user',
            phrase: username,
            run: () => remove(user),
          },
        },
      ]}
    />
  )
}
