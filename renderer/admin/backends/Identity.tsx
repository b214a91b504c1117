// Whom a backend is called as, and the connections of people to it.
import { useQuery } from '@tanstack/react-query'
import { UserRoundCheck } from 'lucide-react'
import { useState } from 'react'
import { type ClientConnection, type ClientDetail, type IdentityInfo, type IdentityInput, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { buttonColumn, Named, stateColumn, timeColumn } from '../../ui/columns.tsx'
import { cx } from '../../ui/cx.ts'
import { Dialog, useAsk } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { type Column, queried, Table } from '../../ui/Table.tsx'
import { useChanges } from '../../ui/use-records.ts'
import { aboutState, stateOf } from '../connections/states.ts'
import { IdentityForm } from './IdentityForm.tsx'

const MODES: Readonly<Record<IdentityInfo['mode'], { readonly title: string; readonly about: string }>> = {
  none: { title: t('Called without a person'), about: t('No credential is sent.') },
  shared: { title: t('One credential for everyone'), about: t('The backend cannot tell who called.') },
  per_principal: {
    title: t('Called as each person'),
    about: t('Each person connects once. A call without a connection is refused with a link.'),
  },
  exchange: {
    title: t('Called as each person, by token exchange'),
    about: t('The token that the caller brought is exchanged for one of the backend.'),
  },
  id_jag: {
    title: t('Called as each person, by the identity provider'),
    about: t('The identity provider vouches for the caller at the authorization server of the backend.'),
  },
}

export function Identity({ backend: { name } }: { readonly backend: ClientDetail }) {
  const actor = useActor()
  const { run } = useChanges('clients', 'connections')
  const [editing, setEditing] = useState(false)
  const params = { name }
  const found = useQuery({
    queryKey: ['clients', 'identity', name],
    queryFn: () => api.identity.getIdentity({ params }),
  })
  const save = async (body: IdentityInput): Promise<void> => {
    await run(api.identity.setIdentity({ params, body }), t('The identity of {name} was changed', { name }))
    setEditing(false)
  }
  if (found.error) return <ErrorNote error={found.error} className="mb-4" />
  const mode = MODES[found.data?.mode ?? 'none']
  const isPersonal = found.data !== undefined && found.data.mode !== 'none' && found.data.mode !== 'shared'
  return (
    <>
      <section aria-label={t('Identity')} className="card mb-4 flex items-center gap-4 px-5 py-4">
        <UserRoundCheck aria-hidden className={cx('size-5 shrink-0', isPersonal ? 'text-ok' : 'text-ink-3')} />
        <div className="min-w-0 grow">
          <p className="text-sm font-medium">{mode.title}</p>
          <p className="text-xs break-words text-ink-3">
            {mode.about}
            {found.data?.registration && ` ${t('Registered at {issuer} as {clientId}.', found.data.registration)}`}
          </p>
        </div>
        {found.data && mayUse(actor, 'admin') && <Button onClick={() => setEditing(true)}>{t('Change…')}</Button>}
      </section>
      {found.data?.mode === 'per_principal' && mayUse(actor, 'operator') && <People name={name} />}
      <Dialog
        open={editing}
        onClose={() => setEditing(false)}
        title={t('Identity of {name}', { name })}
        about={t('Another setting ends the connections of people to this backend.')}
        width="max-w-lg"
      >
        {found.data && <IdentityForm info={found.data} onSave={save} onClose={() => setEditing(false)} />}
      </Dialog>
    </>
  )
}

function People({ name }: { readonly name: string }) {
  const actor = useActor()
  const ask = useAsk()
  const { run } = useChanges('connections')
  const list = useQuery({
    queryKey: ['connections', 'of', name],
    queryFn: () => api.identity.clientConnections({ params: { name } }),
  })
  const end = ({ id, person }: ClientConnection): void =>
    ask({
      title: t('End the connection of {person}?', { person }),
      about: t('The token is deleted here and revoked at its provider. The person can connect again.'),
      confirm: t('End connection'),
      run: () =>
        run(
          api.identity.revokeConnection({ params: { name, id: String(id) } }),
          t('The connection of {person} was ended', { person }),
        ),
    })
  return (
    <section aria-label={t('Connections of people')} className="card mb-4 overflow-hidden">
      <Table
        label={t('Connections of people')}
        columns={columnsFor(mayUse(actor, 'admin') ? end : undefined)}
        rows={list.data?.items ?? []}
        rowKey={({ id }) => id}
        {...queried(list)}
        empty={
          <EmptyState
            icon={UserRoundCheck}
            title={t('No connections yet')}
            about={t('People connect on their page, or through the link of a refused call.')}
          />
        }
      />
    </section>
  )
}

const columnsFor = (
  onEnd: ((connection: ClientConnection) => void) | undefined,
): readonly Column<ClientConnection>[] => [
  {
    key: 'person',
    title: t('Person'),
    grow: true,
    sortBy: ({ person }) => person,
    cell: (row) => <Named name={row.person} about={aboutState(row)} />,
  },
  stateColumn(stateOf, { width: 'w-44' }),
  timeColumn('since', t('Since'), ({ connectedAt }) => connectedAt, 'w-28'),
  buttonColumn({
    text: () => t('End…'),
    label: ({ person }) => t('End the connection of {person}', { person }),
    isShown: ({ state }) => onEnd !== undefined && state !== 'revoked',
    width: 'w-20',
    onClick: (row) => onEnd?.(row),
  }),
]
