// The actions of a user.
import { KeyRound, Link2, Link2Off, Network, UserCog } from 'lucide-react'
import type { UserRecord } from '#contract'
import { RecordMenu } from '../../ui/Menu.tsx'
import type { Editing } from './UserDialogs.tsx'
import { useUserChanges } from './use-user-changes.ts'

export function UserMenu({ user, onEdit }: { readonly user: UserRecord; readonly onEdit: (editing: Editing) => void }) {
  const { change, remove, revokeInvitation } = useUserChanges()
  const { username, isActive, invitation } = user
  return (
    <RecordMenu
      name={username}
      entries={[
        { label: 'Change role…', icon: UserCog, run: () => onEdit({ kind: 'role', user }) },
        { label: 'Change team…', icon: Network, run: () => onEdit({ kind: 'team', user }) },
        invitation !== null && {
          label: 'New invitation link…',
          icon: Link2,
          run: () => onEdit({ kind: 'invite', user }),
        },
        user.authMethod === 'password' && {
          label: invitation === null ? 'Reset password…' : 'Set password…',
          icon: KeyRound,
          run: () => onEdit({ kind: 'password', user }),
        },
        invitation?.expiresAt != null && {
          label: 'Revoke invitation…',
          icon: Link2Off,
          ask: {
            title: `Revoke the invitation of ${username}?`,
            about: 'The link stops working. The user stays, and can be invited again.',
            confirm: 'Revoke invitation',
            run: () => revokeInvitation(user),
          },
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
