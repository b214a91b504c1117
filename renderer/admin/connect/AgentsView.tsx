// The agents found on this computer, with their connections and last call.
import { useQuery } from '@tanstack/react-query'
import { PlugZap } from 'lucide-react'
import { useState } from 'react'
import type { AgentStatus } from '#contract'
import { askAgents } from '../../api/agents.ts'
import { plural, t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { AgentCard } from './AgentCard.tsx'
import { inOrder, isThere, type Moved, movedIn } from './agent-words.ts'
import { ChangeDialog, type Wanted } from './ChangeDialog.tsx'
import { ExtensionDialog } from './ExtensionDialog.tsx'
import { MoveAllDialog } from './MoveAllDialog.tsx'

/** The poll interval for first calls and external changes. */
const LOOK_AGAIN_MS = 3_000

export function AgentsView() {
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const [extension, setExtension] = useState(false)
  const [all, setAll] = useState<readonly Moved[] | null>(null)
  const found = useQuery({
    queryKey: ['agents', 'list'],
    queryFn: async () => inOrder((await askAgents({ ask: 'list' })).agents),
    refetchInterval: LOOK_AGAIN_MS,
  })
  if (found.error && !found.data) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data)
    return (
      <div role="status" aria-label={t('Loading')} className="flex flex-col gap-3 p-6">
        <Skeleton className="h-24 rounded-lg" />
        <Skeleton className="h-24 rounded-lg" />
      </div>
    )
  const there = found.data.filter(isThere)
  const absent = found.data.filter((agent) => !isThere(agent))
  const cards = (agents: readonly AgentStatus[]) =>
    agents.map((agent) => (
      <li key={agent.id}>
        <AgentCard agent={agent} onChange={setWanted} onExtension={() => setExtension(true)} />
      </li>
    ))
  return (
    <div className="max-w-4xl px-6 py-5">
      <MovedNote moved={movedIn(found.data)} onAll={setAll} />
      {there.length > 0 ? (
        <ul aria-label={t('Agents on this computer')} className="flex flex-col gap-3">
          {cards(there)}
        </ul>
      ) : (
        <p className="text-sm text-ink-2">{t('None of these agents was found on this computer.')}</p>
      )}
      {absent.length > 0 && (
        <details className="mt-6" open={there.length === 0}>
          <summary className="rounded text-sm font-medium text-ink-2">
            {t('Not found here ({count})', { count: absent.length })}
          </summary>
          <ul aria-label={t('Agents that were not found')} className="mt-3 flex flex-col gap-3">
            {cards(absent)}
          </ul>
        </details>
      )}
      {wanted && <ChangeDialog wanted={wanted} onClose={() => setWanted(null)} />}
      {all && <MoveAllDialog moved={all} onClose={() => setAll(null)} />}
      {extension && <ExtensionDialog onClose={() => setExtension(false)} />}
    </div>
  )
}

type MovedNoteProps = { readonly moved: readonly Moved[]; readonly onAll: (moved: readonly Moved[]) => void }

function MovedNote({ moved, onAll }: MovedNoteProps) {
  const count = moved.length
  if (count === 0) return null
  return (
    <div role="status" className="mb-4 flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2.5 text-sm">
      <PlugZap aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <p className="grow">
        {plural(
          count,
          'The gateway has a new address, and one connection still leads to the old one. Change the address where it reports it below.',
          'The gateway has a new address, and {count} connections still lead to the old one. Change the address where it reports it below, or all at once.',
        )}
      </p>
      {count > 1 && (
        <Button size="sm" onClick={() => onAll(moved)}>
          {t('Change all…')}
        </Button>
      )}
    </div>
  )
}
