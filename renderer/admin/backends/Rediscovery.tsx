// Re-discovery of a backend: first as a diff, then applied.
import { useQuery } from '@tanstack/react-query'
import { LoaderCircle } from 'lucide-react'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { formatTools } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'
import { useSubmit } from '../../ui/use-mounted.ts'
import { Diff } from './Diff.tsx'
import { useBackendChanges } from './use-backend-changes.ts'

export function Rediscovery({ name, onClose }: { readonly name: string | null; readonly onClose: () => void }) {
  return (
    <Dialog
      open={name !== null}
      onClose={onClose}
      title={t('Refresh the tools of {name}', { name: name ?? '' })}
      about={t('Checking the source for changes. Nothing is applied until you confirm.')}
      width="max-w-xl"
    >
      {name !== null && <Body name={name} onClose={onClose} />}
    </Dialog>
  )
}

function Body({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { rediscover } = useBackendChanges()
  const found = useQuery({
    queryKey: ['rediscovery', name],
    queryFn: () => rediscover(name, true),
    // It calls a foreign server, so only once per opening.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const apply = useSubmit(async () => {
    const { tools_count: count } = await rediscover(name, false)
    notifyDone(t('{name} has {count} now', { name, count: formatTools(count) }))
  }, onClose)
  const diff = found.data?.diff
  const nothing = diff && diff.added.length + diff.removed.length + diff.changed.length === 0
  return (
    <>
      {found.isPending && (
        <p role="status" className="flex items-center gap-2 py-6 text-sm text-ink-2">
          <LoaderCircle aria-hidden className="size-4 animate-spin" />
          {t('Reading the source…')}
        </p>
      )}
      {found.error && <ErrorNote error={found.error} />}
      {diff && <Diff diff={diff} />}
      {found.data?.warnings?.map((warning) => (
        <p key={warning} className="mt-2 text-xs text-warn">
          {warning}
        </p>
      ))}
      {apply.error && <ErrorNote error={apply.error} className="mt-4" />}
      <DialogActions>
        <Button onClick={onClose}>{nothing ? t('Close') : t('Cancel')}</Button>
        {found.error && <Button onClick={() => void found.refetch()}>{t('Try again')}</Button>}
        {diff && !nothing && (
          <Button look="strong" busy={apply.isPending} onClick={() => apply.mutate(undefined)}>
            {t('Apply the changes')}
          </Button>
        )}
      </DialogActions>
    </>
  )
}
