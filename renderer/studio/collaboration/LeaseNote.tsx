// Who holds the open graph: an agent whose edits others wait for, or a person who took it over.
import { useMutation } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import type { PcgEditor } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatActor } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useChanges } from '../../ui/use-records.ts'

export function LeaseNote({
  editor: { name, leases },
  graph,
}: {
  readonly editor: PcgEditor
  readonly graph: string | null
}) {
  const { refresh } = useChanges('pcg')
  const settled = { onError: notifyError, onSettled: () => void refresh() }
  const take = useMutation({
    mutationFn: (held: string) => api.pcg.takeLease({ params: { name }, body: { graph: held } }),
    ...settled,
  })
  const release = useMutation({
    mutationFn: (held: string) => api.pcg.releaseLease({ params: { name }, query: { graph: held } }),
    ...settled,
  })
  const lease = graph === null ? undefined : leases.find((held) => held.graph.toLowerCase() === graph.toLowerCase())
  if (!lease) return null
  const holder = <strong className="font-medium">{formatActor(lease.holder)}</strong>
  const until = <RelativeTime at={lease.expiresAt} />
  return (
    <div
      role="status"
      aria-label={t('Who holds the graph')}
      className="flex shrink-0 items-center gap-3 border-b border-line bg-sunken px-4 py-1.5 text-xs"
    >
      <Lock aria-hidden className="size-4 shrink-0 text-ink-3" />
      <p className="min-w-0 grow">
        {lease.person
          ? rich('{holder} holds this graph; agents cannot write to it. Expires {until}.', { holder, until })
          : rich('{holder} holds this graph; other agents wait for it. Your edits go through. Expires {until}.', {
              holder,
              until,
            })}
      </p>
      {!lease.person && (
        <Button size="sm" busy={take.isPending} onClick={() => take.mutate(lease.graph)}>
          {t('Take over')}
        </Button>
      )}
      <Button size="sm" look="quiet" busy={release.isPending} onClick={() => release.mutate(lease.graph)}>
        {t('Release')}
      </Button>
    </div>
  )
}
