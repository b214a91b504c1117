// A key: access, expiry, who uses it, and its actions.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { KeyRound, Pencil } from 'lucide-react'
import { useState } from 'react'
import { type KeyRecord, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatActor, formatMoment } from '../../ui/format.ts'
import { OneRecord } from '../../ui/OneRecord.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useLead } from '../../ui/use-mounted.ts'
import { ChangeKey } from './ChangeKey.tsx'
import { KeyMenu } from './KeyMenu.tsx'
import { KeyStateBadge } from './KeyStateBadge.tsx'
import { RotateKey } from './RotateKey.tsx'

export function KeyPage() {
  return (
    <OneRecord
      kind="keys"
      noun={t('key')}
      param="id"
      read={(id) => api.mcpKeys.get({ params: { id } })}
      icon={KeyRound}
      about={t('It may have been deleted.')}
    >
      {(record) => <Loaded key={record.id} record={record} />}
    </OneRecord>
  )
}

function Loaded({ record }: { readonly record: KeyRecord }) {
  const actor = useActor()
  const administers = mayUse(actor, 'admin')
  const lead = useLead()
  const [changing, setChanging] = useState(false)
  const [rotating, setRotating] = useState<KeyRecord | null>(null)
  return (
    <div className="max-w-[104rem] pb-10">
      <PageHeader
        title={record.label}
        badge={<KeyStateBadge record={record} />}
        about={
          record.createdBy
            ? t('Created {time} by {by}', { time: formatMoment(record.createdAt), by: formatActor(record.createdBy) })
            : t('Created {time}', { time: formatMoment(record.createdAt) })
        }
        actions={
          <>
            {mayUse(actor, 'operator') && (
              <Link to="/calls" search={{ key: String(record.id) }} className={buttonClass({})}>
                {t('Calls')}
              </Link>
            )}
            {administers && (
              <>
                <Button onClick={() => setChanging(true)} disabled={record.revokedAt !== null}>
                  <Pencil />
                  {t('Change…')}
                </Button>
                <KeyMenu record={record} onRotate={() => setRotating(record)} onRemoved={() => lead('/keys')} />
              </>
            )}
          </>
        }
      />
      <div className="grid gap-4 px-6 xl:grid-cols-2">
        <Access record={record} />
        {mayUse(actor, 'operator') && <UsedBy record={record} />}
      </div>
      <ChangeKey record={record} open={changing} onClose={() => setChanging(false)} />
      <RotateKey target={rotating} onClose={() => setRotating(null)} />
    </div>
  )
}

function Access({
  record: { scopes, expiresAt, consumerId, person, elevated, adminRole, keyPrefix },
}: {
  readonly record: KeyRecord
}) {
  const named = (name: string, names: readonly string[] | undefined) =>
    names && names.length > 0 ? [{ name, value: names.join(', ') }] : []
  return (
    <Facts
      title={t('Access')}
      facts={[
        { name: t('Key'), value: <code className="font-mono text-xs">{keyPrefix}…</code> },
        ...(scopes === null ? [{ name: t('Access'), value: t('Everything') }] : []),
        ...named(t('Bundles'), scopes?.bundles),
        ...named(t('Backends'), scopes?.clients),
        ...named(t('Tools'), scopes?.tools),
        { name: t('Expires'), value: expiresAt === null ? t('Never') : <RelativeTime at={expiresAt} /> },
        {
          name: t('Consumer'),
          value: consumerId !== null && (
            <Link to={`/consumers/${consumerId}`} className="text-link underline">
              <ConsumerName id={consumerId} />
            </Link>
          ),
        },
        ...(person === null ? [] : [{ name: t('Acts as'), value: person }]),
        {
          name: t('Confirmation'),
          value: elevated ? t('Skipped for sensitive tools') : t('Required for sensitive tools'),
        },
        ...(adminRole === null ? [] : [{ name: t('Role in the control plane'), value: adminRole }]),
      ]}
    />
  )
}

function ConsumerName({ id }: { readonly id: number }) {
  const { data } = useQuery({
    queryKey: ['consumers', 'one', String(id)],
    queryFn: () => api.consumers.get({ params: { id: String(id) } }),
    retry: false,
  })
  return data?.name ?? t('Consumer {id}', { id })
}

const LATEST = '200'

/** The client programs of its latest calls. */
function UsedBy({ record: { id, lastUsedAt, lastUsedClient } }: { readonly record: KeyRecord }) {
  const calls = useQuery({
    queryKey: ['keys', 'calls', id],
    queryFn: async () => (await api.usage.calls({ query: { keyId: String(id), limit: LATEST } })).items,
  })
  const programs = Map.groupBy(
    calls.data ?? [],
    ({ program }) => program ?? lastUsedClient ?? t('A client without a name'),
  )
  return (
    <Facts
      title={t('Used by')}
      facts={[
        { name: t('Last used'), value: lastUsedAt === null ? t('Never') : <RelativeTime at={lastUsedAt} /> },
        ...[...programs].map(([name, [latest, ...others]]) => ({
          name,
          value: latest && (
            <>
              {rich('{count} of the latest calls, last {relativetime}', {
                count: others.length + 1,
                relativetime: <RelativeTime at={latest.at} />,
              })}
            </>
          ),
        })),
      ]}
    />
  )
}
