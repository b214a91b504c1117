// The list of users.
import { Users } from 'lucide-react'
import { useState } from 'react'
import type { UserRecord } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { menuColumn, timeColumn } from '../../ui/columns.tsx'
import { cx } from '../../ui/cx.ts'
import { formatAgo } from '../../ui/format.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { useNow } from '../../ui/RelativeTime.tsx'
import type { Column } from '../../ui/Table.tsx'
import { wireWord } from '../../ui/wire-words.ts'
import { useTeams } from './PickTeam.tsx'
import { type Editing, UserDialogs } from './UserDialogs.tsx'
import { UserMenu } from './UserMenu.tsx'

export function UsersPage() {
  const actor = useActor()
  const [editing, setEditing] = useState<Editing | null>(null)
  const list = usePaged(['users'], (paging) => api.users.list({ query: paging }))
  const teams = new Map(useTeams().data?.map(({ id, name }) => [id, name]))
  const add = { label: t('New user'), onAdd: () => setEditing({ kind: 'create' }) }
  return (
    <ListPage
      title={t('Users')}
      about={t('People who can sign in, and their roles.')}
      add={add}
      noun={t('user')}
      placeholder={t('Name or role')}
      list={list}
      wordsOf={({ username, role }) => `${username} ${wireWord(role)}`}
      columns={columnsFor(actor.username, teams, setEditing)}
      rowKey={(user) => user.username}
      onOpen={(user) => setEditing({ kind: 'role', user })}
      empty={{
        icon: Users,
        title: t('No users yet'),
        about: t('Add the people who manage this gateway. Clients use keys instead.'),
      }}
    >
      <UserDialogs editing={editing} onClose={() => setEditing(null)} />
    </ListPage>
  )
}

function UserState({ user: { isActive, invitation } }: { readonly user: UserRecord }) {
  const now = useNow()
  const [tone, text]: [Tone, string] = !isActive
    ? ['neutral', t('Deactivated')]
    : invitation === null
      ? ['ok', t('Active')]
      : invitation.expiresAt === null
        ? ['warn', t('Invited, no link')]
        : Date.parse(invitation.expiresAt) <= now
          ? ['warn', t('Invitation expired')]
          : ['info', t('Invited, expires {expiresAt}', { expiresAt: formatAgo(invitation.expiresAt, now) })]
  return (
    <Badge tone={tone} dot>
      {text}
    </Badge>
  )
}

function columnsFor(
  self: string | undefined,
  teams: ReadonlyMap<number, string>,
  onEdit: (editing: Editing) => void,
): readonly Column<UserRecord>[] {
  return [
    {
      key: 'name',
      title: t('User'),
      grow: true,
      sortBy: (user) => user.username,
      cell: (user) => (
        <span className="flex min-w-0 items-center gap-2">
          <span className={cx('truncate font-medium', !user.isActive && 'text-ink-3')}>{user.username}</span>
          {user.username === self && <Badge tone="outline">{t('You')}</Badge>}
        </span>
      ),
    },
    {
      key: 'role',
      title: t('Role'),
      width: 'w-36',
      sortBy: (user) => user.role,
      cell: (user) => <Badge tone={user.role === 'admin' ? 'info' : 'neutral'}>{wireWord(user.role)}</Badge>,
    },
    {
      key: 'team',
      title: t('Team'),
      width: 'w-36',
      sortBy: ({ teamId }) => (teamId === null ? '' : (teams.get(teamId) ?? '')),
      cell: ({ teamId }) =>
        teamId === null ? <span className="text-ink-3">{t('All teams')}</span> : <span>{teams.get(teamId)}</span>,
    },
    {
      key: 'state',
      title: t('State'),
      width: 'w-48',
      sortBy: ({ isActive, invitation }) => `${isActive ? 0 : 1} ${invitation ? 1 : 0} ${invitation?.expiresAt ?? ''}`,
      cell: (user) => <UserState user={user} />,
    },
    {
      key: 'method',
      title: t('Signs in with'),
      width: 'w-36',
      sortBy: (user) => user.authMethod,
      cell: (user) => (
        <span className="text-ink-2">{user.authMethod === 'oidc' ? t('Single sign-on') : t('Password')}</span>
      ),
    },
    timeColumn('last', t('Last sign-in'), ({ lastLoginAt }) => lastLoginAt),
    timeColumn('created', t('Created'), ({ createdAt }) => createdAt),
    menuColumn((user) => <UserMenu user={user} onEdit={onEdit} />),
  ]
}
