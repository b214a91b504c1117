// The actions of a user.
import { KeyRound, Network, UserCog } from 'lucide-react'
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
        { label: 'Change team…', icon: Network, run: () => onEdit({ kind: 'team', user }) },
        user.authMethod === 'password' && {
          label: 'Reset password…',
          icon: KeyRound,
          run: () => onEdit({ kind: 'password', user }),
        },
      ]}
      toggle={{
        on: isActive,
        labels: ['Deactivate', 'Activate'],
        run: (on) =>
          change(user, { isActive: on }, `${username} ${on ? 'may sign in again' : 'was deactivated and signed out'}`),
      }}
      deletion={{
        noun: 'user',
        about:
          'Their sessions end, and the account cannot be restored. Their actions stay in the audit log. Deactivate the account to keep it.',
        phrase: username,
        run: () => remove(user),
      }}
    />
  )
}
