// The teams: whose backends, bundles, keys and people keep to themselves.
import { useNavigate } from '@tanstack/react-router'
import { Network, Plus } from 'lucide-react'
import { useState } from 'react'
import { mayUse, type Team } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatCount } from '../../ui/format.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { Column } from '../../ui/Table.tsx'
import { TeamNameDialog } from './TeamNameDialog.tsx'
import { useTeamChanges } from './use-team-changes.ts'

const COLUMNS: readonly Column<Team>[] = [
  {
    key: 'name',
    title: 'Team',
    sortBy: ({ name }) => name,
    cell: ({ name }) => <span className="block max-w-96 truncate font-medium">{name}</span>,
  },
  {
    key: 'clients',
    title: 'Backends',
    width: 'w-28',
    align: 'right',
    sortBy: ({ clients }) => clients,
    cell: ({ clients }) => formatCount(clients),
  },
  {
    key: 'users',
    title: 'Members',
    width: 'w-28',
    align: 'right',
    sortBy: ({ users }) => users,
    cell: ({ users }) => formatCount(users),
  },
  {
    key: 'by',
    title: 'Created by',
    width: 'w-44',
    sortBy: ({ createdBy }) => createdBy ?? '',
    cell: ({ createdBy }) => <span className="block max-w-40 truncate text-ink-2">{createdBy ?? '–'}</span>,
  },
  {
    key: 'created',
    title: 'Created',
    width: 'w-36',
    sortBy: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} className="text-ink-2" />,
  },
]

export function TeamsPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const [naming, setNaming] = useState(false)
  const { create } = useTeamChanges()
  const list = usePaged(['teams', 'list'], (paging) => api.teams.list({ query: paging }))
  const add = mayUse(actor, 'superadmin') && (
    <Button look="strong" onClick={() => setNaming(true)}>
      <Plus />
      New team
    </Button>
  )
  return (
    <ListPage
      title="Teams"
      about="What belongs to a team is seen and changed by its members only, and by administrators without a team."
      action={add}
      noun="team"
      placeholder="Name"
      list={list}
      wordsOf={({ name }) => name}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: `/teams/${id}` })}
      empty={
        <EmptyState
          icon={Network}
          title="No team yet"
          about="Without teams everybody here works on the same backends, bundles and keys. Make one to keep some apart."
          action={add}
        />
      }
    >
      <TeamNameDialog
        open={naming}
        onClose={() => setNaming(false)}
        title="New team"
        submit="Create team"
        onSubmit={async (name) => {
          const made = await create(name)
          void navigate({ to: `/teams/${made.id}` })
        }}
      />
    </ListPage>
  )
}
