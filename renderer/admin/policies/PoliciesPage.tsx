// The guard policies: limits under a name, to be written into many tools at once.
import { useNavigate } from '@tanstack/react-router'
import { Scale } from 'lucide-react'
import { useState } from 'react'
import { type GuardPolicy, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { limitColumn, makerColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { formatSpan } from '../../ui/format.ts'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import type { Column } from '../../ui/Table.tsx'
import { PolicyDialog } from './PolicyDialog.tsx'

const KEPT = { none: 'kept' }

const COLUMNS: readonly Column<GuardPolicy>[] = [
  nameColumn('Policy', ({ name }) => name),
  limitColumn('rate', 'Calls per minute', ({ rateLimitPerMin }) => rateLimitPerMin, KEPT),
  limitColumn('time', 'Time for one attempt', ({ timeoutMs }) => timeoutMs, { ...KEPT, format: formatSpan }),
  makerColumn(),
  timeColumn('changed', 'Changed', ({ updatedAt }) => updatedAt),
]

export function PoliciesPage() {
  const actor = useActor()
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const list = usePaged(['policies', 'list'], (paging) => api.policies.list({ query: paging }))
  const add = mayUse(actor, 'admin') && { label: 'New policy', onAdd: () => setMaking(true) }
  return (
    <ListPage
      title="Policies"
      about="Limits under a name. See what one would change, then write it into a bundle’s tools or any you pick."
      add={add}
      noun="policy"
      placeholder="Name"
      list={list}
      wordsOf={({ name }) => name}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: `/policies/${id}` })}
      empty={{
        icon: Scale,
        title: 'No policy yet',
        about: 'Say once how often a tool may be called and how long an attempt may take, and apply it to many.',
      }}
    >
      <PolicyDialog open={making} onClose={() => setMaking(false)} />
    </ListPage>
  )
}
