// What can be done with one user.
import { KeyRound, Trash2, UserCheck, UserCog, UserX } from 'lucide-react'
import type { UserRecord } from '#contract'
import type { Question } from '../../ui/Dialog.tsx'
import { MenuItem, MenuSeparator, RowMenu } from '../../ui/Menu.tsx'
import { notifyError } from '../../ui/notify.ts'
import type { Editing } from './UserDialogs.tsx'
import { useUserChanges } from './use-user-changes.ts'

export function UserMenu({
  user,
  onEdit,
  onAsk,
}: {
  readonly user: UserRecord
  readonly onEdit: (editing: Editing) => void
  readonly onAsk: (question: Question) => void
}) {
  const { change, remove } = useUserChanges()
  const activate = (isActive: boolean, done: string) => () => void change(user, { isActive }, done).catch(notifyError)
  return (
    <RowMenu name={user.username}>
      <MenuItem icon={<UserCog />} onSelect={() => onEdit({ kind: 'role', user })}>
        Change role…
      </MenuItem>
      {user.authMethod === 'password' && (
        <MenuItem icon={<KeyRound />} onSelect={() => onEdit({ kind: 'password', user })}>
          Reset password…
        </MenuItem>
      )}
      {user.isActive ? (
        <MenuItem icon={<UserX />} onSelect={activate(false, `${user.username} was deactivated and signed out`)}>
          Deactivate
        </MenuItem>
      ) : (
        <MenuItem icon={<UserCheck />} onSelect={activate(true, `${user.username} may sign in again`)}>
          Activate
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 />} onSelect={() => onAsk(deletionOf(user, remove))}>
        Delete…
      </MenuItem>
    </RowMenu>
  )
}

function deletionOf(user: UserRecord, remove: (user: UserRecord) => Promise<unknown>): Question {
  return {
    title: `Delete ${user.username}?`,
    about:
      'Their sessions end at once and the account cannot be brought back. What they did stays in the audit log. To keep the account for later, deactivate it instead.',
    confirm: 'Delete user',
    phrase: user.username,
    run: () => remove(user),
  }
}
