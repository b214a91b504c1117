// The list of teams.

import { Network } from 'lucide-react'
import type { Team } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { countColumn, makerColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { RecordsPage } from '../../ui/RecordsPage.tsx'
import type { Column } from '../../ui/Table.tsx'
import { TeamDialog } from './TeamDialog.tsx'

const COLUMNS: readonly Column<Team>[] = [
  nameColumn(t('Team'), ({ name }) => name),
  countColumn('clients', t('Backends'), ({ clients }) => clients, 'w-28'),
  countColumn('users', t('Members'), ({ users }) => users, 'w-28'),
  makerColumn(),
  timeColumn('created', t('Created'), ({ createdAt }) => createdAt),
]

export const TeamsPage = () => (
  <RecordsPage
    title={t('Teams')}
    about={t('Only team members and global admins can see or change a team’s resources.')}
    noun={t('team')}
    placeholder={t('Name')}
    queryKey={['teams', 'list']}
    read={(query) => api.teams.list({ query })}
    writer="superadmin"
    path="/teams"
    wordsOf={({ name }) => name}
    columns={COLUMNS}
    renderDialog={(props) => <TeamDialog {...props} />}
    empty={{
      icon: Network,
      title: t('No team yet'),
      about: t('Without teams all users share the same backends, bundles and keys. Create a team to separate them.'),
    }}
  />
)
