// The forms about users: a new one, another role, another password.
import { useState } from 'react'
import { ROLES, type Role, type UserRecord } from '#contract'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/DialogForm.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { notifyDone } from '../../ui/notify.ts'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { Select } from '../../ui/Select.tsx'
import { useSending } from '../../ui/use-mounted.ts'
import { useUserChanges } from './use-user-changes.ts'

export type Editing =
  | { readonly kind: 'create' }
  | { readonly kind: 'role'; readonly user: UserRecord }
  | { readonly kind: 'password'; readonly user: UserRecord }

const ABOUT_ROLES: Readonly<Record<Role, string>> = {
  viewer: 'Reads dashboards and configuration, never a secret',
  auditor: 'Also verifies and exports the audit log',
  operator: 'Also runs the day: backends, tools, approvals, traffic',
  admin: 'Also bundles, keys and policies; without a team, everything',
}

const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: role, about: ABOUT_ROLES[role] }))

export function UserDialogs({ editing, onClose }: { readonly editing: Editing | null; readonly onClose: () => void }) {
  const named = editing && editing.kind !== 'create' ? editing.user : undefined
  return (
    <>
      <Dialog
        open={editing?.kind === 'create'}
        onClose={onClose}
        title="New user"
        about="They can change the password after they have signed in."
      >
        <CreateForm onClose={onClose} />
      </Dialog>
      <Dialog
        open={editing?.kind === 'role'}
        onClose={onClose}
        title={`Role of ${named?.username ?? ''}`}
        about="Their sessions end, and they sign in again with the new role."
      >
        {editing?.kind === 'role' && <RoleForm user={editing.user} onClose={onClose} />}
      </Dialog>
      <Dialog
        open={editing?.kind === 'password'}
        onClose={onClose}
        title={`New password for ${named?.username ?? ''}`}
        about="Their sessions end. Give them the password by a safe way; it is not shown again."
      >
        {editing?.kind === 'password' && <PasswordForm user={editing.user} onClose={onClose} />}
      </Dialog>
    </>
  )
}

function CreateForm({ onClose }: { readonly onClose: () => void }) {
  const { create } = useUserChanges()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const save = useSending(() => create({ username: username.trim().toLowerCase(), password, role }), onClose)
  return (
    <DialogForm
      submit="Create user"
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(undefined)}
      onClose={onClose}
    >
      <Field
        label="User name"
        required
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={username}
        onChange={(event) => setUsername(event.target.value)}
        hint="Letters, digits and . _ @ -; it cannot be changed later."
        error={fieldProblem(save.error, 'username')}
      />
      <PasswordField
        label="Password"
        value={password}
        onChange={setPassword}
        generate
        error={fieldProblem(save.error, 'password')}
      />
      <Select label="Role" value={role} options={ROLE_OPTIONS} onChange={setRole} />
    </DialogForm>
  )
}

function RoleForm({ user, onClose }: { readonly user: UserRecord; readonly onClose: () => void }) {
  const { updateWithUndo } = useUserChanges()
  const [role, setRole] = useState(user.role)
  const save = useSending(
    () => updateWithUndo(user, { role }, { role: user.role }, `${user.username} is now ${role}`),
    onClose,
  )
  return (
    <DialogForm
      submit="Change role"
      busy={save.isPending}
      error={save.error}
      onSubmit={() => (role === user.role ? onClose() : save.mutate(undefined))}
      onClose={onClose}
    >
      <Select label="Role" value={role} options={ROLE_OPTIONS} onChange={setRole} />
    </DialogForm>
  )
}

function PasswordForm({ user, onClose }: { readonly user: UserRecord; readonly onClose: () => void }) {
  const { update } = useUserChanges()
  const [password, setPassword] = useState('')
  const save = useSending(async () => {
    await update(user, { password })
    notifyDone(`The password of ${user.username} was changed`)
  }, onClose)
  return (
    <DialogForm
      submit="Set password"
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(undefined)}
      onClose={onClose}
    >
      <PasswordField
        label="New password"
        value={password}
        onChange={setPassword}
        generate
        error={fieldProblem(save.error, 'password')}
      />
    </DialogForm>
  )
}
