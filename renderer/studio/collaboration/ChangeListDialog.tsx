// The change list of a turn in the source control of a real editor: its files, its name, and the check-in.

import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PcgChangeList } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'

type Props = { readonly editor: string; readonly batchId: string; readonly onClose: () => void }

export function ChangeListDialog({ editor, batchId, onClose }: Props) {
  const list = useQuery({
    queryKey: ['pcg', editor, 'change-list', batchId],
    queryFn: () => api.pcg.changeList({ params: { name: editor }, body: { batchId } }),
    staleTime: 0,
  })
  return (
    <Dialog open onClose={onClose} width="max-w-lg" title={t('Change list of this turn')}>
      {list.isError && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton className="h-24" />}
      {list.data && <Body editor={editor} batchId={batchId} list={list.data} onClose={onClose} />}
    </Dialog>
  )
}

function Body({ editor, batchId, list, onClose }: Props & { readonly list: PcgChangeList }) {
  const [description, setDescription] = useState(list.description)
  const submit = useMutation({
    mutationFn: () => api.pcg.changeList({ params: { name: editor }, body: { batchId, submit: description } }),
    onSuccess: () => {
      notifyDone(t('The files were checked in'))
      onClose()
    },
    onError: notifyError,
  })
  if (list.provider === null || list.files.length === 0)
    return (
      <p className="text-sm text-ink-2">
        {list.provider === null
          ? t('Source control is off in this editor.')
          : t('{provider} has no checked-out file of this turn.', { provider: list.provider })}
      </p>
    )
  return (
    <>
      <TextArea
        label={t('Description')}
        value={description}
        maxLength={2000}
        onChange={(event) => setDescription(event.target.value)}
      />
      <ul aria-label={t('Files')} className="mt-3 flex flex-col gap-1 font-mono text-xs">
        {list.files.map((file) => (
          <li key={file} className="break-all">
            {file}
          </li>
        ))}
      </ul>
      <p className="pt-3 text-xs text-ink-2">
        {t('Save other changes of these files in the editor first. A check-in cannot be undone from here.')}
      </p>
      <DialogActions>
        <CopyButton text={description} label={t('Copy the description')} />
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button
          look="strong"
          busy={submit.isPending}
          disabled={description.trim() === ''}
          onClick={() => submit.mutate()}
        >
          {t('Check in to {provider}', { provider: list.provider })}
        </Button>
      </DialogActions>
    </>
  )
}
