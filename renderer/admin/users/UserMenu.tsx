// The actions of a user.
import { KeyRound, Link2, Link2Off, Network, UserCog } from 'lucide-react'
import type { UserRecord } from '#contract'
import { t } from '../../language/language.ts'
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
        { label: t('Change role…'), icon: UserCog, run: () => onEdit({ kind: 'role', user }) },
        { label: t('Change team…'), icon: Network, run: () => onEdit({ kind: 'team', user }) },
        invitation !== null && {
          label: t('New invitation link…'),
          icon: Link2,
          run: () => onEdit({ kind: 'invite', user }),
        },
        user.authMethod === 'password' && {
          label: invitation === null ? t('Reset password…') : t('Set password…'),
          icon: KeyRound,
          run: () => onEdit({ kind: 'password', user }),
        },
        invitation?.expiresAt != null && {
          label: t('Revoke invitation…'),
          icon: Link2Off,
          ask: {
            title: t('Revoke the invitation of {username}?', { username }),
            about: t('The link stops working. The user stays, and can be invited again.'),
            confirm: t('Revoke invitation'),
            run: () => revokeInvitation(user),
          },
        },
      ]}
      toggle={{
        on: isActive,
        labels: [t('Deactivate'), t('Activate')],
        run: (on) =>
          change(
            user,
            { isActive: on },
            on
              ? t('{username} may sign in again', { username })
              : t('{username} was deactivated and signed out', { username }),
          ),
      }}
      deletion={{
        noun: t('user'),
        about: t(
          'Their sessions end, and the account cannot be restored. Their actions stay in the audit log. Deactivate the account to keep it.',
        ),
        phrase: username,
        run: () => remove(user),
      }}
    />
  )
}
