// Saved arguments and past runs, loaded with one click.
import { Trash2, X } from 'lucide-react'
import { t } from '../../../language/language.ts'
import { Dot } from '../../../ui/Badge.tsx'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { formatSpan } from '../../../ui/format.ts'
import { notifyDone } from '../../../ui/notify.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { OUTCOME_TONES } from './outcome-tones.ts'
import { forgetRuns, ownOf, type PastRun, type Preset, removePreset, type Setup, useRuns } from './run-store.ts'
import { Saved, SavedList } from './SavedList.tsx'

type Own = { readonly user: string; readonly tool: string; readonly onRecall: (setup: Setup) => void }

export function Recall(own: Own) {
  const presets = ownOf(
    useRuns((state) => state.presets),
    own.user,
    own.tool,
  )
  const runs = ownOf(
    useRuns((state) => state.runs),
    own.user,
    own.tool,
  )
  return (
    <>
      {presets.length > 0 && <Presets presets={presets} onRecall={own.onRecall} />}
      {runs.length > 0 && <Runs {...own} runs={runs} />}
    </>
  )
}

const notifyUndo = (message: string, undo: () => void): void => notifyDone(message, async () => undo())

function Presets({ presets, onRecall }: { readonly presets: readonly Preset[] } & Pick<Own, 'onRecall'>) {
  return (
    <SavedList label={t('Saved arguments')} title={t('Saved')}>
      {presets.map((preset) => (
        <Saved
          key={preset.id}
          name={preset.name}
          brief={<Brief setup={preset} />}
          actions={
            <IconButton
              label={t('Delete {name}', { name: preset.name })}
              size="sm"
              onClick={() => notifyUndo(t('“{name}” was deleted', { name: preset.name }), removePreset(preset))}
            >
              <X />
            </IconButton>
          }
          onPick={() => onRecall(preset)}
        />
      ))}
    </SavedList>
  )
}

function Runs({ runs, user, tool, onRecall }: Own & { readonly runs: readonly PastRun[] }) {
  return (
    <section aria-label={t('History')} className="card overflow-hidden">
      <header className="flex items-center border-b border-line py-1 pr-2 pl-4">
        <h2 className="grow text-xs font-semibold">{t('History in this browser')}</h2>
        <Button size="sm" look="quiet" onClick={() => notifyUndo(t('History cleared'), forgetRuns(user, tool))}>
          <Trash2 />
          {t('Clear')}
        </Button>
      </header>
      <ul className="max-h-80 divide-y divide-line overflow-y-auto">
        {runs.map((run) => (
          <li key={run.id} className="hover:bg-hover">
            <button
              type="button"
              className="flex w-full min-w-0 items-baseline gap-3 rounded px-4 py-1.5 text-left text-sm"
              onClick={() => onRecall(run)}
            >
              <span className="flex w-40 shrink-0 items-baseline gap-2">
                <Dot tone={OUTCOME_TONES[run.outcome]} className="self-center" />
                <span className="truncate text-xs">
                  {run.dryRun
                    ? t('{outcome} (checked)', { outcome: run.code ?? run.outcome })
                    : (run.code ?? run.outcome)}
                </span>
              </span>
              <Brief setup={run} />
              <span className="w-14 shrink-0 text-right text-xs text-ink-3">{formatSpan(run.durationMs)}</span>
              <RelativeTime
                at={new Date(run.atMs).toISOString()}
                className="w-24 shrink-0 text-right text-xs text-ink-3"
              />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Brief({ setup: { args, key, bundle, leftOut } }: { readonly setup: Setup }) {
  const around = [
    key && `as ${key.label}`,
    bundle && t('through {bundle}', { bundle }),
    leftOut.length > 0 && t('without {value}', { value: leftOut.join(', ') }),
  ]
  return (
    <span className="min-w-0 grow truncate text-xs text-ink-2">
      <code className="font-mono">{JSON.stringify(args)}</code>
      {around.filter(Boolean).map((text) => (
        <span key={String(text)} className="ml-2 text-ink-3">
          {text}
        </span>
      ))}
    </span>
  )
}
