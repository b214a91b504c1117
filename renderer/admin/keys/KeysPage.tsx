// The keys of MCP clients: what each reaches, when it was last used, and its end.
import { KeyRound, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { type KeyRecord, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm, type Question } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { type KeyActions, KeyMenu } from './KeyMenu.tsx'
import { KeyStateBadge } from './KeyStateBadge.tsx'
import { NewKey } from './NewKey.tsx'
import { RotateKey } from './RotateKey.tsx'
import { reachInWords } from './reach.ts'

export function KeysPage() {
  const actor = useActor()
  const [params, change] = useUrlParams()
  const [minting, setMinting] = useState(false)
  const [rotating, setRotating] = useState<KeyRecord | null>(null)
  const [question, setQuestion] = useState<Question | null>(null)
  const filter = params.q ? { q: params.q } : {}
  const list = usePaged(['keys', 'list', filter], (paging) => api.mcpKeys.list({ query: { ...filter, ...paging } }))
  const administers = mayUse(actor, 'admin')
  const add = administers && (
    <Button look="strong" onClick={() => setMinting(true)}>
      <Plus />
      New key
    </Button>
  )
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title="Keys"
        about="One for each client, reaching what that client needs and nothing else. A value is shown once."
        actions={add}
      />
      <search className="flex items-center gap-3 border-b border-line px-6 pb-3">
        <SearchInput
          label="Find a key"
          placeholder="Label or prefix"
          value={params.q ?? ''}
          onChange={(q) => change({ q })}
        />
      </search>
      <Table
        className="min-h-0 grow"
        label="Keys, newest first"
        columns={columnsFor(administers ? { onAsk: setQuestion, onRotate: setRotating } : undefined)}
        {...list.table}
        rowKey={({ id }) => id}
        empty={
          params.q ? (
            <EmptyState icon={Search} title="No key matches" about={`None goes by “${params.q}”.`} />
          ) : (
            <EmptyState
              icon={KeyRound}
              title="No key yet"
              about="An agent presents a key with every call. Mint one per client, so that one can be ended without the others."
              action={add}
            />
          )
        }
      />
      <NewKey open={minting} onClose={() => setMinting(false)} />
      <RotateKey target={rotating} onClose={() => setRotating(null)} />
      <Confirm question={question} onClose={() => setQuestion(null)} />
    </div>
  )
}

function columnsFor(actions: KeyActions | undefined): readonly Column<KeyRecord>[] {
  return [
    {
      key: 'label',
      title: 'Key',
      sortBy: ({ label }) => label,
      cell: ({ label, keyPrefix }) => (
        <span className="flex items-baseline gap-2">
          <span className="max-w-72 truncate font-medium">{label}</span>
          <code className="font-mono text-xs text-ink-3">{keyPrefix}…</code>
        </span>
      ),
    },
    {
      key: 'state',
      title: 'State',
      width: 'w-28',
      cell: (key) => <KeyStateBadge record={key} />,
    },
    {
      key: 'reach',
      title: 'Reaches',
      cell: (key) => (
        <span className={`block max-w-64 truncate ${key.scopes === null ? 'text-warn' : 'text-ink-2'}`}>
          {reachInWords(key)}
        </span>
      ),
    },
    {
      key: 'powers',
      title: 'Powers',
      width: 'w-40',
      cell: ({ elevated, adminRole }) => (
        <span className="flex gap-1">
          {elevated && <Badge tone="warn">elevated</Badge>}
          {adminRole && <Badge tone="info">{adminRole}</Badge>}
          {!elevated && !adminRole && <span className="text-ink-3">–</span>}
        </span>
      ),
    },
    {
      key: 'used',
      title: 'Last used',
      width: 'w-44',
      sortBy: ({ lastUsedAt }) => lastUsedAt ?? '',
      cell: (key) => <LastUse record={key} />,
    },
    {
      key: 'expires',
      title: 'Expires',
      width: 'w-32',
      sortBy: ({ expiresAt }) => expiresAt ?? '~',
      cell: ({ expiresAt }) =>
        expiresAt ? <RelativeTime at={expiresAt} className="text-ink-2" /> : <span className="text-ink-3">Never</span>,
    },
    ...(actions
      ? [
          {
            key: 'actions',
            title: '',
            width: 'w-14',
            align: 'right' as const,
            cell: (key: KeyRecord) => <KeyMenu record={key} {...actions} />,
          },
        ]
      : []),
  ]
}

function LastUse({ record: { lastUsedAt, lastUsedClient } }: { readonly record: KeyRecord }) {
  if (lastUsedAt === null) return <span className="text-ink-3">Never</span>
  return (
    <span className="flex items-baseline gap-1.5 text-ink-2">
      <RelativeTime at={lastUsedAt} />
      {lastUsedClient && <span className="max-w-24 truncate text-xs text-ink-3">{lastUsedClient}</span>}
    </span>
  )
}
