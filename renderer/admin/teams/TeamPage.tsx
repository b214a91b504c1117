// A team: members and backends.
import { Network } from 'lucide-react'
import type { ClientSummary, Team, UserRecord } from '#contract'
import { api } from '../../api/api.ts'
import { findBackends, findUsers } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { countColumn, nameColumn } from '../../ui/columns.tsx'
import { MemberList } from '../../ui/MemberList.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RecordPage } from '../../ui/RecordPage.tsx'
import type { Column } from '../../ui/Table.tsx'
import { wireWord } from '../../ui/wire-words.ts'
import { BackendState, KIND_NAMES } from '../backends/BackendState.tsx'
import { TeamDialog } from './TeamDialog.tsx'
import { useTeamChanges } from './use-team-changes.ts'

export function TeamPage() {
  const { remove } = useTeamChanges()
  return (
    <RecordPage
      kind="teams"
      noun={t('team')}
      read={(id) => api.teams.get({ params: { id } })}
      icon={Network}
      about={t('It may have been deleted, or it is not yours.')}
      writer="superadmin"
      change={t('Rename…')}
      deletion={t('Only an empty team can be deleted. First remove its members, and move or delete its records.')}
      onDelete={remove}
      renderDialog={(props) => <TeamDialog {...props} />}
    >
      {(team, writes) => (
        <div className="grid items-start gap-4 px-6 lg:grid-cols-2">
          <Backends team={team} writes={writes} />
          {writes && <Members team={team} />}
        </div>
      )}
    </RecordPage>
  )
}

type Props = { readonly team: Team }

const MEMBER_COLUMNS: readonly Column<UserRecord>[] = [
  {
    key: 'name',
    title: t('Member'),
    grow: true,
    sortBy: ({ username }) => username,
    cell: ({ username, isActive }) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate font-medium">{username}</span>
        {!isActive && <Badge>{t('deactivated')}</Badge>}
      </span>
    ),
  },
  {
    key: 'role',
    title: t('Role'),
    width: 'w-28',
    sortBy: ({ role }) => role,
    cell: ({ role }) => <Badge>{wireWord(role)}</Badge>,
  },
]

function Members({ team }: Props) {
  const { giveUser } = useTeamChanges()
  const list = usePaged(['users'], (paging) => api.users.list({ query: paging }))
  return (
    <MemberList
      title={t('Members')}
      about={t('Members see only this team’s records. Moved users are signed out.')}
      list={list}
      mine={(user) => user.teamId === team.id}
      nameOf={({ username }) => username}
      columns={MEMBER_COLUMNS}
      empty={t('This team has no members.')}
      give={{
        label: t('Add a person'),
        queryKey: ['users', 'not-in', String(team.id)],
        find: findUsers,
        aboutOf: ({ role, teamId }) =>
          teamId === null ? wireWord(role) : t('{role}, now in another team', { role: wireWord(role) }),
        none: t('No other users.'),
        onAdd: (user) =>
          giveUser(user, team.id, t('{username} is in {name} now', { username: user.username, name: team.name })),
        onTake: (user) => ({
          title: t('Remove {username} from {name}?', { username: user.username, name: team.name }),
          about:
            user.role === 'admin'
              ? t('Administrators without a team can see and change everything. Their sessions end.')
              : t('Users without a team see the records of every team, within their role. Their sessions end.'),
          confirm: t('Remove'),
          run: () => giveUser(user, null, t('{username} has no team now', { username: user.username })),
        }),
      }}
    />
  )
}

const BACKEND_COLUMNS: readonly Column<ClientSummary>[] = [
  nameColumn(t('Backend'), ({ name }) => name),
  { key: 'state', title: t('State'), width: 'w-32', cell: (backend) => <BackendState backend={backend} /> },
  countColumn('tools', t('Tools'), ({ toolsCount }) => toolsCount, 'w-20'),
]

function Backends({ team, writes }: Props & { readonly writes: boolean }) {
  const { giveBackend } = useTeamChanges()
  const list = usePaged(['clients', 'of-teams'], (paging) => api.clients.list({ query: paging }))
  return (
    <MemberList
      title={t('Backends')}
      about={t('This team owns these backends and their tools.')}
      list={list}
      mine={(backend) => backend.teamId === team.id}
      nameOf={({ name }) => name}
      columns={BACKEND_COLUMNS}
      empty={t('This team has no backends.')}
      give={
        writes && {
          label: t('Add a backend'),
          queryKey: ['clients', 'not-of', String(team.id)],
          find: findBackends,
          aboutOf: ({ kind, teamId }) =>
            teamId === null
              ? KIND_NAMES[kind]
              : t('{KIND_NAMES}, now of another team', { KIND_NAMES: KIND_NAMES[kind] }),
          none: t('No other backends.'),
          onAdd: (backend) =>
            giveBackend(backend, team.id, t('{name} belongs to {name2} now', { name: backend.name, name2: team.name })),
          onTake: (backend) => ({
            title: t('Remove {name} from {name2}?', { name: backend.name, name2: team.name }),
            about: t('It will have no team and be managed by administrators without one. Its tools stay callable.'),
            confirm: t('Remove'),
            run: () => giveBackend(backend, null, t('{name} belongs to no team now', { name: backend.name })),
          }),
        }
      }
    />
  )
}
