// Who works in the editor, which calls wait, and the undo of the agent's last turn.
import { useQuery } from '@tanstack/react-query'
import { LoaderCircle, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { historyQuery } from '../editor/queries.ts'
import { useCapability } from '../editor/use-capability.ts'
import { useGestures } from '../use-gestures.ts'
import { Author } from './Author.tsx'
import { RevertDialog } from './RevertDialog.tsx'
import { useRunningCalls } from './running-calls.ts'
import { lastOfAgent, type Turn, turnsOf } from './turns.ts'

export function RunningCalls({ editor }: { readonly editor: string }) {
  const [running, ...waiting] = useRunningCalls(editor)
  if (!running || (running.source === 'ui' && waiting.length === 0)) return null
  return (
    <div role="status" aria-label="Calls under way" className="flex min-w-0 items-center gap-2 text-xs text-ink-2">
      <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin" />
      <Author actor={running.actor} source={running.source} />
      <code className="truncate font-mono text-2xs">{running.tool}</code>
      {waiting.length > 0 && (
        <span
          title={waiting.map(({ actor, tool }, place) => `${place + 1}. ${actor}: ${tool}`).join('\n')}
          className="shrink-0"
        >
          {waiting.length} waiting
        </span>
      )}
    </div>
  )
}

/** Undoes in one click; if another author's changes block it, opens the dialog. */
export function UndoAgent({ editor, graph }: { readonly editor: string; readonly graph: string }) {
  const { data } = useQuery(historyQuery(editor, graph))
  const cannot = useCapability(editor, 'undo')
  const { gestures } = useGestures()
  const [refused, setRefused] = useState<Turn | null>(null)
  const [busy, setBusy] = useState(false)
  const turn = lastOfAgent(turnsOf(data ?? []))
  async function undo(agents: Turn): Promise<void> {
    setBusy(true)
    try {
      await gestures.revert(`Undo “${agents.title}”`, agents.selection)
    } catch {
      // The dialog repeats the dry run and shows what blocks the undo.
      setRefused(agents)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {turn && (
        <Button
          size="sm"
          aria-label="Undo the agent’s last turn"
          busy={busy}
          disabled={cannot !== null}
          title={cannot ?? `${turn.actor}: ${turn.title}`}
          onClick={() => void undo(turn)}
        >
          <Undo2 />
          Undo the agent
        </Button>
      )}
      {refused && (
        <RevertDialog
          editor={editor}
          graph={graph}
          turn={refused}
          changes={data ?? []}
          onClose={() => setRefused(null)}
        />
      )}
    </>
  )
}
