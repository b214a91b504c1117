// The dialogs of a user: create, change role, reset password.
import { z } from 'zod'
import { API, ROLES, type Role, UserRecord } from '#contract'
import { t } from '../../language/language.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { type FieldWords, formOf, textIn } from '../../ui/form/fields.ts'
import { type DialogProps, RecordDialog, RecordForm } from '../../ui/form/RecordForm.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { wireWord } from '../../ui/wire-words.ts'
import { InvitationShown, LIFETIME, Lifetime, linkEnd, NewInvitation } from './Invitation.tsx'
import { PickTeam } from './PickTeam.tsx'
import { useUserChanges } from './use-user-changes.ts'

export type Editing =
  | { readonly kind: 'create' }
  | { readonly kind: 'role'; readonly user: UserRecord }
  | { readonly kind: 'team'; readonly user: UserRecord }
  | { readonly kind: 'password'; readonly user: UserRecord }
  | { readonly kind: 'invite'; readonly user: UserRecord }

const ABOUT_ROLES: Readonly<Record<Role, string>> = {
  viewer: t('Can read dashboards and configuration, never secrets'),
  auditor: t('Can also verify and export the audit log'),
  operator: t('Can also manage backends, tools and approvals, and see live calls'),
  admin: t('Can also manage bundles, keys and policies; everything without a team'),
}

const ROLE: FieldWords = {
  label: t('Role'),
  options: Object.fromEntries(ROLES.map((role) => [role, { label: wireWord(role), about: ABOUT_ROLES[role] }])),
}
const passwordNamed = (label: string): FieldWords => ({
  label,
  needed: true,
  draw: ({ value, error, onChange }) => (
    <PasswordField label={label} value={textIn(value)} onChange={onChange} generate error={error} />
  ),
})

const TEAM: FieldWords = {
  label: t('Team'),
  draw: ({ value, onChange }) => <PickTeam id={typeof value === 'number' ? value : null} onPick={onChange} />,
}

const { username, role, teamId, password } = API.users.create.body.shape
const NewUser = z.object({
  username,
  role,
  teamId,
  signIn: z.enum(['invitation', 'password']).default('invitation'),
  lifetime: Lifetime,
  password,
})
const CREATE = formOf(NewUser, {
  username: {
    label: t('User name'),
    code: true,
    maxLength: 64,
    hint: t('Letters, digits and . _ @ -; it cannot be changed later.'),
  },
  role: ROLE,
  teamId: TEAM,
  signIn: {
    label: t('First sign-in'),
    options: {
      invitation: { label: t('Invitation link'), about: t('The user opens it and chooses a password') },
      password: { label: t('Password'), about: t('You set it and send it to the user') },
    },
  },
  lifetime: { ...LIFETIME, when: ({ signIn }) => signIn === 'invitation' },
  password: { ...passwordNamed(t('Password')), when: ({ signIn }) => signIn === 'password' },
})
const CHANGE_ROLE = formOf(UserRecord.pick({ role: true }), { role: ROLE })
const CHANGE_TEAM = formOf(UserRecord.pick({ teamId: true }), { teamId: TEAM })
const RESET_PASSWORD = formOf(z.object({ password: password.unwrap() }), { password: passwordNamed(t('New password')) })

export function UserDialogs({ editing, onClose }: { readonly editing: Editing | null; readonly onClose: () => void }) {
  const { change, setPassword, setTeam } = useUserChanges()
  const user = editing && editing.kind !== 'create' ? editing.user : undefined
  const name = user?.username ?? ''
  return (
    <>
      <NewUserDialog open={editing?.kind === 'create'} onClose={onClose} />
      <NewInvitation user={editing?.kind === 'invite' ? editing.user : undefined} onClose={onClose} />
      <RecordDialog
        open={editing?.kind === 'role'}
        onClose={onClose}
        title={t('Role of {name}', { name })}
        about={t('Their sessions end. They sign in again with the new role.')}
        form={CHANGE_ROLE}
        record={user}
        submit={t('Change role')}
        what={name}
        onSubmit={async ({ role }, base) => {
          if (base)
            await change(
              base,
              { role },
              t('{username} is now {role}', { username: base.username, role: wireWord(role) }),
            )
        }}
      />
      <RecordDialog
        open={editing?.kind === 'team'}
        onClose={onClose}
        title={t('Team of {name}', { name })}
        about={t('Their sessions end. After signing in, they see the records of this team.')}
        form={CHANGE_TEAM}
        record={user}
        submit={t('Change team')}
        what={name}
        onSubmit={async ({ teamId }, base) => {
          if (base) await setTeam(base, teamId)
        }}
      />
      <Dialog
        open={editing?.kind === 'password'}
        onClose={onClose}
        title={t('New password for {name}', { name })}
        about={t('Their sessions end. Send the password securely; it is not shown again.')}
      >
        {editing?.kind === 'password' && (
          <RecordForm
            form={RESET_PASSWORD}
            submit={t('Set password')}
            onSubmit={({ password }) => setPassword(editing.user, password)}
            onClose={onClose}
          />
        )}
      </Dialog>
    </>
  )
}

function NewUserDialog({ open, onClose }: DialogProps) {
  const { create } = useUserChanges()
  return (
    <RecordDialog
      open={open}
      onClose={onClose}
      title={t('New user')}
      form={CREATE}
      submit={t('Create user')}
      once
      onSubmit={({ signIn, lifetime, password, ...user }) =>
        signIn === 'invitation'
          ? create({ ...user, isActive: true, invitation: linkEnd(lifetime) })
          : create({ ...user, isActive: true, password: password ?? '' }, (made) =>
              t('{username} may sign in now', { username: made.username }),
            )
      }
      renderDone={({ username, invitationUrl }) =>
        invitationUrl ? <InvitationShown username={username} url={invitationUrl} onClose={onClose} /> : null
      }
    />
  )
}
