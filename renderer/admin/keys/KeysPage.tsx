// The list of keys: access, last use, expiry.
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { type KeyRecord, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { menuColumn, timeColumn } from '../../ui/columns.tsx'
import { ListPage } from '../../ui/ListPage.tsx'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import type { Column } from '../../ui/Table.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { useUrlParams } from '../../url-params.ts'
import { KeyMenu } from './KeyMenu.tsx'
import { KEY_COLUMNS } from './key-columns.tsx'
import { NewKey } from './NewKey.tsx'
import { RotateKey } from './RotateKey.tsx'

export function KeysPage() {
  const actor = useActor()
  const [params] = useUrlParams()
  const lead = useLead()
  const [minting, setMinting] = useState(false)
  const [rotating, setRotating] = useState<KeyRecord | null>(null)
  const filter = params.q ? { q: params.q } : {}
  const list = usePaged(['keys', 'list', filter], (paging) => api.mcpKeys.list({ query: { ...filter, ...paging } }))
  const administers = mayUse(actor, 'admin')
  const add = administers && { label: t('New key'), onAdd: () => setMinting(true) }
  return (
    <ListPage
      title={t('Keys')}
      about={t('Create one key per client and limit it to what the client needs. A key is shown only once.')}
      add={add}
      noun={t('key')}
      label={t('Keys, newest first')}
      placeholder={t('Label or prefix')}
      list={list}
      columns={columnsFor(administers ? setRotating : undefined)}
      rowKey={({ id }) => id}
      onOpen={({ id }) => lead(`/keys/${id}`)}
      empty={{
        icon: KeyRound,
        title: t('No key yet'),
        about: t('Agents send a key with every call. Create one per client, so that you can revoke them separately.'),
      }}
    >
      <NewKey open={minting} onClose={() => setMinting(false)} />
      <RotateKey target={rotating} onClose={() => setRotating(null)} />
    </ListPage>
  )
}

function columnsFor(onRotate: ((key: KeyRecord) => void) | undefined): readonly Column<KeyRecord>[] {
  return [
    ...KEY_COLUMNS,
    {
      key: 'powers',
      title: t('Capabilities'),
      spare: true,
      width: 'w-40',
      cell: ({ elevated, adminRole }) => (
        <span className="flex gap-1">
          {elevated && <Badge tone="warn">{t('elevated')}</Badge>}
          {adminRole && <Badge tone="info">{adminRole}</Badge>}
          {!elevated && !adminRole && <span className="text-ink-3">–</span>}
        </span>
      ),
    },
    {
      key: 'used',
      title: t('Last used'),
      width: 'w-44',
      sortBy: ({ lastUsedAt }) => lastUsedAt ?? '',
      cell: (key) => <LastUse record={key} />,
    },
    timeColumn('expires', t('Expires'), ({ expiresAt }) => expiresAt),
    ...(onRotate ? [menuColumn<KeyRecord>((key) => <KeyMenu record={key} onRotate={() => onRotate(key)} />)] : []),
  ]
}

function LastUse({ record: { lastUsedAt, lastUsedClient } }: { readonly record: KeyRecord }) {
  if (lastUsedAt === null) return <span className="text-ink-3">{t('Never')}</span>
  return (
    <span className="flex items-baseline gap-1.5 text-ink-2">
      <RelativeTime at={lastUsedAt} />
      {lastUsedClient && <span className="max-w-24 truncate text-xs text-ink-3">{lastUsedClient}</span>}
    </span>
  )
}
