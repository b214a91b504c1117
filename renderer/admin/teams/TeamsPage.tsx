// The teams: whose backends, bundles, keys and people keep to themselves.
import { useNavigate } from '@tanstack/react-router'
import { Network } from 'lucide-react'
import { useState } from 'react'
import { mayUse, type Team } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { countColumn, makerColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import type { Column } from '../../ui/Table.tsx'
import { TeamDialog } from './TeamDialog.tsx'

const COLUMNS: readonly Column<Team>[] = [
  nameColumn('Team', ({ name }) => name),
  countColumn('clients', 'Backends', ({ clients }) => clients, 'w-28'),
  countColumn('users', 'Members', ({ users }) => users, 'w-28'),
  makerColumn(),
  timeColumn('created', 'Created', ({ createdAt }) => createdAt),
]

export function TeamsPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const [naming, setNaming] = useState(false)
  const list = usePaged(['teams', 'list'], (paging) => api.teams.list({ query: paging }))
  const add = mayUse(actor, 'superadmin') && { label: 'New team', onAdd: () => setNaming(true) }
  return (
    <ListPage
      title="Teams"
      about="Only team members and global admins can see or change a team’s resources."
      add={add}
      noun="team"
      placeholder="Name"
      list={list}
      wordsOf={({ name }) => name}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: `/teams/${id}` })}
      empty={{
        icon: Network,
        title: 'No team yet',
        about:
          'Without teams everybody here works on the same backends, bundles and keys. Make one to keep some apart.',
      }}
    >
      <TeamDialog open={naming} onClose={() => setNaming(false)} />
    </ListPage>
  )
}
