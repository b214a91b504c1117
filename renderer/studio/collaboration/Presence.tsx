// Who works in the editor, which calls wait, and the undo of the agent's last turn.
import { useQuery } from '@tanstack/react-query'
import { LoaderCircle, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { historyQuery } from '../editor/queries.ts'
import { useCapability } from '../editor/use-capability.ts'
import { Author } from './Author.tsx'
import { RevertDialog } from './RevertDialog.tsx'
import { useRunningCalls } from './running-calls.ts'
import { authorOf, lastOfAgent, type Turn, turnsOf } from './turns.ts'

export function RunningCalls({ editor }: { readonly editor: string }) {
  const [running, ...waiting] = useRunningCalls(editor)
  if (!running || (running.source === 'ui' && waiting.length === 0)) return null
  return (
    <div role="status" aria-label={t('Calls under way')} className="flex min-w-0 items-center gap-2 text-xs text-ink-2">
      <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin" />
      <Author by={running} />
      <code className="truncate font-mono text-2xs">{running.tool}</code>
      {waiting.length > 0 && (
        <span
          title={waiting.map((call, place) => `${place + 1}. ${authorOf(call)}: ${call.tool}`).join('\n')}
          className="shrink-0"
        >
          {t('{count} waiting', { count: waiting.length })}
        </span>
      )}
    </div>
  )
}

/** Opens the changes of the agent's last turn, to undo all or some of them. */
export function UndoAgent({ editor, graph }: { readonly editor: string; readonly graph: string }) {
  const { data } = useQuery(historyQuery(editor, graph))
  const cannot = useCapability(editor, 'undo')
  const [open, setOpen] = useState<Turn | null>(null)
  const turn = lastOfAgent(turnsOf(data ?? []))
  return (
    <>
      {turn && (
        <Button
          size="sm"
          aria-label={t('Undo the agent’s last turn')}
          disabled={cannot !== null}
          title={cannot ?? `${authorOf(turn)}: ${turn.title}`}
          onClick={() => setOpen(turn)}
        >
          <Undo2 />
          <span className="hidden min-[1100px]:inline">{t('Undo the agent…')}</span>
        </Button>
      )}
      {open && (
        <RevertDialog editor={editor} graph={graph} turn={open} changes={data ?? []} onClose={() => setOpen(null)} />
      )}
    </>
  )
}
