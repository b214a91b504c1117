// Replays a captured call as the current user, and shows the differences.
import { useMutation } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import type { Replayed, TrafficRow } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { DiffList } from '../../ui/DiffList.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { formatSpan } from '../../ui/format.ts'
import { wireWord } from '../../ui/wire-words.ts'
import { OUTCOME_TONES } from '../tools/run/outcome-tones.ts'

export function Replay({ row }: { readonly row: TrafficRow }) {
  const replay = useMutation({
    mutationFn: (body: { readonly confirm?: boolean; readonly dryRun?: boolean }) =>
      api.traffic.replay({ params: { id: String(row.id) }, body }),
  })
  const asks = replay.data?.code === 'confirm_required'
  return (
    <section aria-label={t('Replay')} className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        <Button busy={replay.isPending} onClick={() => replay.mutate({})}>
          <RotateCw />
          {t('Replay')}
        </Button>
        <Button look="quiet" disabled={replay.isPending} onClick={() => replay.mutate({ dryRun: true })}>
          {t('Dry run')}
        </Button>
        {asks && (
          <Button look="danger" disabled={replay.isPending} onClick={() => replay.mutate({ confirm: true })}>
            {t('Replay the sensitive call')}
          </Button>
        )}
      </div>
      {replay.error && <ErrorNote error={replay.error} />}
      {replay.data && <Outcome replayed={replay.data} checked={replay.variables.dryRun === true} />}
    </section>
  )
}

function Outcome({ replayed, checked }: { readonly replayed: Replayed; readonly checked: boolean }) {
  const { outcome, code, failureKind, durationMs, diff } = replayed
  const entries = (diff ?? []).map(({ path, before, after }) => ({
    path: path === '' ? 'the whole answer' : path,
    kind: 'changed' as const,
    before,
    after,
  }))
  return (
    <div role="status" className="grid gap-2">
      <p className="flex flex-wrap items-center gap-2 text-xs text-ink-2">
        <Badge tone={OUTCOME_TONES[outcome]} dot>
          {wireWord(outcome)}
        </Badge>
        {(code ?? failureKind) && <code className="font-mono">{code ?? failureKind}</code>}
        <span>{formatSpan(durationMs)}</span>
        <span>
          {checked
            ? outcome === 'success'
              ? t('The call would be sent.')
              : t('The call would not be sent.')
            : diffText(diff)}
        </span>
      </p>
      <DiffList label={t('Differences from the original response')} entries={entries} whole />
    </div>
  )
}

function diffText(diff: Replayed['diff']): string {
  if (diff === null) return t('The responses cannot be compared: one is truncated.')
  if (diff.length === 0) return t('Identical response.')
  return diff.length === 1 ? t('One difference.') : t('{count} differences.', { count: diff.length })
}
