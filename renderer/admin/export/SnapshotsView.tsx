// Snapshots, newest first: take, view, restore, delete.
import { useQuery } from '@tanstack/react-query'
import { Camera, History, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { API, type SnapshotSummary } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { makerColumn, nameColumn, timeColumn } from '../../ui/columns.tsx'
import { Sheet, useAsk } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { formOf } from '../../ui/form/fields.ts'
import { type DialogProps, RecordDialog } from '../../ui/form/RecordForm.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { usePaged } from '../../ui/paged.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useChanges } from '../../ui/use-records.ts'
import { ChangeList } from './ChangeList.tsx'
import { TOUCHED } from './ImportView.tsx'
import { WeakenedList } from './WeakenedList.tsx'

const KINDS: Readonly<Record<SnapshotSummary['kind'], string>> = {
  manual: t('by hand'),
  pre_import: t('before an import'),
  pre_rollback: t('before a restore'),
  pre_upgrade: t('before an upgrade'),
}

const COLUMNS: readonly Column<SnapshotSummary>[] = [
  nameColumn(t('Snapshot'), ({ label }) => label),
  { key: 'kind', title: t('Taken'), width: 'w-44', cell: ({ kind }) => <Badge tone="outline">{KINDS[kind]}</Badge> },
  makerColumn(),
  timeColumn('at', t('When'), ({ createdAt }) => createdAt),
]

export function SnapshotsView() {
  const list = usePaged(['config-snapshots'], (query) => api.configDocuments.snapshots({ query }))
  const [open, setOpen] = useState<SnapshotSummary | null>(null)
  const [naming, setNaming] = useState(false)
  const take = (
    <Button onClick={() => setNaming(true)}>
      <Camera />
      {t('Take a snapshot')}
    </Button>
  )
  return (
    <div className="flex h-full flex-col">
      <div className="flex items-center gap-3 px-6 py-3">
        <p className="grow text-sm text-ink-2">{t('Taken automatically before every import. At most 200 are kept.')}</p>
        {list.rows.length > 0 && take}
      </div>
      <Table
        label={t('Snapshots')}
        columns={COLUMNS}
        {...list.table}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        openKey={open?.id}
        empty={
          <EmptyState
            icon={History}
            title={t('No snapshots yet')}
            about={t('Take one before a change, so that you can restore it.')}
            action={take}
          />
        }
      />
      <Sheet open={open !== null} onClose={() => setOpen(null)} title={open?.label ?? ''}>
        {open && <SnapshotBody key={open.id} snapshot={open} onClose={() => setOpen(null)} />}
      </Sheet>
      <TakeDialog open={naming} onClose={() => setNaming(false)} />
    </div>
  )
}

const TAKE = formOf(API.configDocuments.takeSnapshot.body, { label: { label: t('What it is for'), needed: true } })

function TakeDialog(dialog: DialogProps) {
  const { settled } = useChanges('config-snapshots')
  return (
    <RecordDialog
      {...dialog}
      title={t('Take a snapshot')}
      about={t('The configuration as it is now, without secrets.')}
      form={TAKE}
      submit={t('Take snapshot')}
      onSubmit={(body) => settled(api.configDocuments.takeSnapshot({ body }))}
    />
  )
}

function SnapshotBody({ snapshot, onClose }: { readonly snapshot: SnapshotSummary; readonly onClose: () => void }) {
  const { settled } = useChanges(...TOUCHED)
  const ask = useAsk()
  const [confirm, setConfirm] = useState(false)
  const id = String(snapshot.id)
  const preview = useQuery({
    queryKey: ['config-snapshots', id, 'preview'],
    queryFn: () => api.configDocuments.rollback({ params: { id }, body: { dryRun: true } }),
    staleTime: 0,
  })
  const { changes = [], weakened = [] } = preview.data ?? {}
  const back = async () => {
    const answer = await settled(api.configDocuments.rollback({ params: { id }, body: { confirm } }))
    notifyDone(
      t('Restored ({count} changes). The previous state was saved as a snapshot', { count: answer.changes.length }),
    )
    onClose()
  }
  const forget = async () => {
    await settled(api.configDocuments.deleteSnapshot({ params: { id } }))
    onClose()
  }
  return (
    <div className="flex flex-col gap-4 p-4">
      <p className="text-xs text-ink-2">
        {rich('Taken {KINDS} by {createdBy}, {relativetime}', {
          KINDS: KINDS[snapshot.kind],
          createdBy: snapshot.createdBy ?? t('the gateway'),
          relativetime: <RelativeTime at={snapshot.createdAt} />,
        })}
      </p>
      <h3 className="text-sm font-semibold">{t('Restoring would change')}</h3>
      {preview.error && <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />}
      {preview.isPending && <Skeleton className="h-24 w-full" />}
      {preview.data && (
        <>
          <ChangeList {...preview.data} />
          <WeakenedList weakened={weakened} confirmed={confirm} onConfirm={setConfirm} />
        </>
      )}
      <div className="flex justify-end gap-2">
        <Button
          look="quiet-danger"
          onClick={() =>
            ask({
              title: t('Delete “{label}”?', { label: snapshot.label }),
              about: t('It can no longer be restored.'),
              confirm: t('Delete snapshot'),
              run: forget,
            })
          }
        >
          <Trash2 />
          {t('Delete')}
        </Button>
        <Button
          look="strong"
          disabled={changes.length === 0 || (weakened.length > 0 && !confirm)}
          onClick={() =>
            ask({
              title: t('Restore “{label}”?', { label: snapshot.label }),
              about: t(
                'Restores the configuration. Secrets and keys removed since are not restored. A snapshot of the current state is taken first.',
              ),
              confirm: t('Restore'),
              run: back,
            })
          }
        >
          <History />
          {t('Restore')}
        </Button>
      </div>
    </div>
  )
}
