// The dialogs of a user: create, change role, reset password.
import { API, ROLES, type Role, UserRecord } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { type FieldWords, formOf, textIn } from '../../ui/form/fields.ts'
import { RecordDialog, RecordForm } from '../../ui/form/RecordForm.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { PickTeam } from './PickTeam.tsx'
import { useUserChanges } from './use-user-changes.ts'

export type Editing =
  | { readonly kind: 'create' }
  | { readonly kind: 'role'; readonly user: UserRecord }
  | { readonly kind: 'team'; readonly user: UserRecord }
  | { readonly kind: 'password'; readonly user: UserRecord }

const ABOUT_ROLES: Readonly<Record<Role, string>> = {
  viewer: 'Can read dashboards and configuration, never secrets',
  auditor: 'Can also verify and export the audit log',
  operator: 'Can also manage backends, tools and approvals, and see live calls',
  admin: 'Can also manage bundles, keys and policies; everything without a team',
}

const ROLE: FieldWords = {
  label: 'Role',
  options: Object.fromEntries(ROLES.map((role) => [role, { label: role, about: ABOUT_ROLES[role] }])),
}
const passwordNamed = (label: string): FieldWords => ({
  label,
  draw: ({ value, error, onChange }) => (
    <PasswordField label={label} value={textIn(value)} onChange={onChange} generate error={error} />
  ),
})

const TEAM: FieldWords = {
  label: 'Team',
  draw: ({ value, onChange }) => <PickTeam id={typeof value === 'number' ? value : null} onPick={onChange} />,
}

const NEW_USER = API.users.create.body
const CREATE = formOf(NEW_USER, {
  username: {
    label: 'User name',
    code: true,
    maxLength: 64,
    hint: 'Letters, digits and . _ @ -; it cannot be changed later.',
  },
  password: passwordNamed('Password'),
  role: ROLE,
  teamId: TEAM,
})
const CHANGE_ROLE = formOf(UserRecord.pick({ role: true }), { role: ROLE })
const CHANGE_TEAM = formOf(UserRecord.pick({ teamId: true }), { teamId: TEAM })
const RESET_PASSWORD = formOf(NEW_USER.pick({ password: true }), { password: passwordNamed('New password') })

export function UserDialogs({ editing, onClose }: { readonly editing: Editing | null; readonly onClose: () => void }) {
  const { create, change, setPassword, setTeam } = useUserChanges()
  const user = editing && editing.kind !== 'create' ? editing.user : undefined
  const name = user?.username ?? ''
  return (
    <>
      <RecordDialog
        open={editing?.kind === 'create'}
        onClose={onClose}
        title="New user"
        about="Users can change their password after signing in."
        form={CREATE}
        submit="Create user"
        onSubmit={({ username, password, role, teamId }) =>
          create({ username, password, role, teamId, isActive: true }, (made) => `${made.username} may sign in now`)
        }
      />
      <RecordDialog
        open={editing?.kind === 'role'}
        onClose={onClose}
        title={`Role of ${name}`}
        about="Their sessions end. They sign in again with the new role."
        form={CHANGE_ROLE}
        record={user}
        submit="Change role"
        what={name}
        onSubmit={async ({ role }, base) => {
          if (base) await change(base, { role }, `${base.username} is now ${role}`)
        }}
      />
      <RecordDialog
        open={editing?.kind === 'team'}
        onClose={onClose}
        title={`Team of ${name}`}
        about="Their sessions end. After signing in, they see the records of this team."
        form={CHANGE_TEAM}
        record={user}
        submit="Change team"
        what={name}
        onSubmit={async ({ teamId }, base) => {
          if (base) await setTeam(base, teamId)
        }}
      />
      <Dialog
        open={editing?.kind === 'password'}
        onClose={onClose}
        title={`New password for ${name}`}
        about="Their sessions end. Send the password securely; it is not shown again."
      >
        {editing?.kind === 'password' && (
          <RecordForm
            form={RESET_PASSWORD}
            submit="Set password"
            onSubmit={({ password }) => setPassword(editing.user, password)}
            onClose={onClose}
          />
        )}
      </Dialog>
    </>
  )
}
