// Who may sign in here, and as what.
import { Plus, Search, Users } from 'lucide-react'
import { useState } from 'react'
import type { UserRecord } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Confirm, type Question } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { type Editing, UserDialogs } from './UserDialogs.tsx'
import { UserMenu } from './UserMenu.tsx'

export function UsersPage() {
  const actor = useActor()
  const [params, change] = useUrlParams()
  const [editing, setEditing] = useState<Editing | null>(null)
  const [question, setQuestion] = useState<Question | null>(null)
  const list = usePaged(['users'], (paging) => api.users.list({ query: paging }))
  const wanted = (params.q ?? '').toLowerCase()
  const shown = list.rows.filter((user) => user.username.includes(wanted) || user.role.includes(wanted))
  const add = (
    <Button look="strong" onClick={() => setEditing({ kind: 'create' })}>
      <Plus />
      New user
    </Button>
  )
  return (
    <div className="flex h-full flex-col">
      <PageHeader title="Users" about="Who may sign in to this gateway's administration, and as what." actions={add} />
      <search className="flex items-center gap-3 border-b border-line px-6 pb-3">
        <SearchInput
          label="Find a user"
          placeholder="Name or role"
          value={params.q ?? ''}
          onChange={(q) => change({ q })}
        />
        {list.loaded && (
          <span className="text-xs text-ink-3">
            {shown.length} of {list.rows.length}
            {list.more && ' loaded'}
          </span>
        )}
      </search>
      <Table
        className="min-h-0 grow"
        label="Users"
        columns={columnsFor(actor.username, setEditing, setQuestion)}
        {...list.table}
        rows={shown}
        rowKey={(user) => user.username}
        onOpen={(user) => setEditing({ kind: 'role', user })}
        empty={
          wanted ? (
            <EmptyState icon={Search} title="No user matches" about={`Nobody here is called “${wanted}”.`} />
          ) : (
            <EmptyState
              icon={Users}
              title="No users yet"
              about="Add the people who look after this gateway. Clients of the tools do not need one; they use keys."
              action={add}
            />
          )
        }
      />
      <UserDialogs editing={editing} onClose={() => setEditing(null)} />
      <Confirm question={question} onClose={() => setQuestion(null)} />
    </div>
  )
}

function columnsFor(
  self: string | undefined,
  onEdit: (editing: Editing) => void,
  onAsk: (question: Question) => void,
): readonly Column<UserRecord>[] {
  return [
    {
      key: 'name',
      title: 'User',
      sortBy: (user) => user.username,
      cell: (user) => (
        <span className="flex items-center gap-2">
          <span className={cx('font-medium', !user.isActive && 'text-ink-3')}>{user.username}</span>
          {user.username === self && <Badge tone="outline">You</Badge>}
        </span>
      ),
    },
    {
      key: 'role',
      title: 'Role',
      width: 'w-36',
      sortBy: (user) => user.role,
      cell: (user) => <Badge tone={user.role === 'admin' ? 'info' : 'neutral'}>{user.role}</Badge>,
    },
    {
      key: 'state',
      title: 'State',
      width: 'w-36',
      sortBy: (user) => (user.isActive ? 0 : 1),
      cell: (user) => (
        <Badge tone={user.isActive ? 'ok' : 'neutral'} dot>
          {user.isActive ? 'Active' : 'Deactivated'}
        </Badge>
      ),
    },
    {
      key: 'method',
      title: 'Signs in with',
      width: 'w-36',
      sortBy: (user) => user.authMethod,
      cell: (user) => <span className="text-ink-2">{user.authMethod === 'oidc' ? 'Single sign-on' : 'Password'}</span>,
    },
    {
      key: 'last',
      title: 'Last sign-in',
      width: 'w-36',
      sortBy: (user) => user.lastLoginAt ?? '',
      cell: (user) =>
        user.lastLoginAt ? (
          <RelativeTime at={user.lastLoginAt} className="text-ink-2" />
        ) : (
          <span className="text-ink-3">Never</span>
        ),
    },
    {
      key: 'created',
      title: 'Created',
      width: 'w-36',
      sortBy: (user) => user.createdAt,
      cell: (user) => <RelativeTime at={user.createdAt} className="text-ink-2" />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'right',
      cell: (user) => <UserMenu user={user} onEdit={onEdit} onAsk={onAsk} />,
    },
  ]
}
