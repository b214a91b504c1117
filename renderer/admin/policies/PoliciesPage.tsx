// The guard policies: limits under a name, to be written into many tools at once.
import { useNavigate } from '@tanstack/react-router'
import { Plus, Scale } from 'lucide-react'
import { useState } from 'react'
import { type GuardPolicy, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatCount, formatSpan } from '../../ui/format.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { Column } from '../../ui/Table.tsx'
import { PolicyDialog } from './PolicyDialog.tsx'
import { usePolicyChanges } from './use-policy-changes.ts'

const KEPT = <span className="text-ink-3">kept</span>

const COLUMNS: readonly Column<GuardPolicy>[] = [
  {
    key: 'name',
    title: 'Policy',
    sortBy: ({ name }) => name,
    cell: ({ name }) => <span className="block max-w-96 truncate font-medium">{name}</span>,
  },
  {
    key: 'rate',
    title: 'Calls per minute',
    width: 'w-40',
    align: 'right',
    sortBy: ({ rateLimitPerMin }) => rateLimitPerMin ?? Number.POSITIVE_INFINITY,
    cell: ({ rateLimitPerMin: rate }) => (rate === null ? KEPT : formatCount(rate)),
  },
  {
    key: 'time',
    title: 'Time for one attempt',
    width: 'w-44',
    align: 'right',
    sortBy: ({ timeoutMs }) => timeoutMs ?? Number.POSITIVE_INFINITY,
    cell: ({ timeoutMs: ms }) => (ms === null ? KEPT : formatSpan(ms)),
  },
  {
    key: 'by',
    title: 'Created by',
    width: 'w-44',
    sortBy: ({ createdBy }) => createdBy ?? '',
    cell: ({ createdBy }) => <span className="block max-w-40 truncate text-ink-2">{createdBy ?? '–'}</span>,
  },
  {
    key: 'changed',
    title: 'Changed',
    width: 'w-32',
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} className="text-ink-2" />,
  },
]

export function PoliciesPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const { create } = usePolicyChanges()
  const list = usePaged(['policies', 'list'], (paging) => api.policies.list({ query: paging }))
  const add = mayUse(actor, 'admin') && (
    <Button look="strong" onClick={() => setMaking(true)}>
      <Plus />
      New policy
    </Button>
  )
  return (
    <ListPage
      title="Policies"
      about="Limits under a name. See what one would change, then write it into a bundle’s tools or any you pick."
      action={add}
      noun="policy"
      placeholder="Name"
      list={list}
      wordsOf={({ name }) => name}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: `/policies/${id}` })}
      empty={
        <EmptyState
          icon={Scale}
          title="No policy yet"
          about="Say once how often a tool may be called and how long an attempt may take, and apply it to many."
          action={add}
        />
      }
    >
      <PolicyDialog
        open={making}
        onClose={() => setMaking(false)}
        onSubmit={async (input) => {
          const made = await create(input)
          void navigate({ to: `/policies/${made.id}` })
        }}
      />
    </ListPage>
  )
}
