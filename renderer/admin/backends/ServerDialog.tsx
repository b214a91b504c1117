// The dialog of a pool server: add, or change its weight.
import { useMemo } from 'react'
import { type ClientDetail, type Lb, type LbTarget, LbTargetInput } from '#contract'
import { t } from '../../language/language.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { type FieldWords, formOf } from '../../ui/form/fields.ts'
import { type DialogProps, RecordDialog, RecordForm } from '../../ui/form/RecordForm.tsx'
import { KeepCredential, keepField, keepsCredential, SERVER_URL } from './credential-field.tsx'
import { useServerChanges } from './use-server-changes.ts'

const WEIGHT: FieldWords = {
  label: t('Weight'),
  hint: t('From 1 to 1000, relative to the other servers.'),
  needed: true,
}
const CHANGE = formOf(LbTargetInput.pick({ weight: true }), { weight: WEIGHT })

export function AddServer({
  backend,
  ...dialog
}: DialogProps & {
  readonly backend: ClientDetail
}) {
  const { addServer } = useServerChanges(backend.name)
  const form = useMemo(
    () =>
      formOf(LbTargetInput.extend({ keepCredential: KeepCredential }), {
        baseUrl: SERVER_URL,
        keepCredential: keepField(backend, 'baseUrl'),
        weight: WEIGHT,
      }),
    [backend],
  )
  return (
    <RecordDialog
      {...dialog}
      title={t('Add a server to {name}', { name: backend.name })}
      about={t('It must provide the same tools. Calls are balanced as soon as the pool has a server.')}
      form={form}
      submit={t('Add server')}
      onSubmit={({ keepCredential, ...server }) =>
        addServer(server, keepsCredential(backend, server.baseUrl, keepCredential))
      }
    />
  )
}

/** Open while a server is given; it shares the revision of its pool. */
export function ChangeServer({
  name,
  server,
  pool,
  onClose,
}: {
  readonly name: string
  readonly server: LbTarget | null
  readonly pool: Lb
  readonly onClose: () => void
}) {
  const { changeServer } = useServerChanges(name)
  return (
    <Dialog open={server !== null} onClose={onClose} title={t('Change a server')} about={server?.baseUrl ?? ''}>
      {server && (
        <RecordForm
          key={server.id}
          form={CHANGE}
          record={{ ...server, pool, revision: pool.revision }}
          submit={t('Save')}
          what={server.baseUrl}
          onSubmit={(input, base) => changeServer(base?.pool ?? pool, server, input)}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}
