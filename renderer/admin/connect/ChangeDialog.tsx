// Previews a change of an agent's file: path, lines, program; with an undo.
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { AgentChange, AgentPlan, AgentStatus } from '#contract'
import { askAgents } from '../../api/agents.ts'
import { t } from '../../language/language.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { LineDiff } from '../../ui/LineDiff.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { useWhileMounted } from '../../ui/use-mounted.ts'
import { useChanges } from '../../ui/use-records.ts'
import { deedOf } from './agent-words.ts'
import { type Draft, EMPTY, TargetFields, targetOf } from './TargetFields.tsx'

export type Wanted =
  | { readonly do: 'connect'; readonly agent: AgentStatus }
  | { readonly do: 'move' | 'disconnect'; readonly agent: AgentStatus; readonly name: string }

function changeOf(wanted: Wanted, draft: Draft): AgentChange | null {
  const agent = wanted.agent.id
  if (wanted.do !== 'connect') return { do: wanted.do, agent, name: wanted.name }
  const target = targetOf(draft)
  return target && draft.name !== '' ? { do: 'connect', agent, name: draft.name, target } : null
}

export function ChangeDialog({ wanted, onClose }: { readonly wanted: Wanted; readonly onClose: () => void }) {
  const { title, submit, done } = deedOf(wanted.do)
  const { label } = wanted.agent
  const { run } = useChanges('agents', 'keys')
  const [draft, setDraft] = useState(EMPTY)
  const change = changeOf(wanted, draft)
  // Planning reads the file, so it is debounced.
  const rested = useDebounced(JSON.stringify(change))
  const planned = useQuery({
    queryKey: ['agents', 'plan', rested],
    queryFn: async () => (await askAgents({ ask: 'plan', change: JSON.parse(rested) as AgentChange })).plan, // as it was written above
    enabled: change !== null && rested !== 'null',
    placeholderData: keepPreviousData,
    retry: false,
  })
  const current = planned.data && !planned.isPlaceholderData && rested === JSON.stringify(change)
  const close = useWhileMounted(onClose)
  const applied = useMutation({
    mutationFn: async (plan: AgentPlan) => {
      if (!change) return
      await run(
        askAgents({ ask: 'apply', change, version: plan.version }),
        ({ restart }) => `${label} ${done}.${wanted.do === 'disconnect' ? '' : ` ${restart}`}`,
        ({ undo }) => askAgents({ ask: 'undo', ticket: undo }),
      )
    },
    onSuccess: () => close(),
    // After a refusal, the dialog may be out of date.
    onError: () => void planned.refetch(),
  })
  return (
    <Dialog
      open
      onClose={onClose}
      width="max-w-2xl"
      title={`${title} ${label}`}
      about={wanted.do === 'connect' ? t('A new key is created when you connect.') : undefined}
    >
      <DialogForm
        submit={submit}
        busy={applied.isPending}
        ready={Boolean(current)}
        error={applied.error ?? planned.error}
        onSubmit={() => planned.data && applied.mutate(planned.data)}
        onClose={onClose}
      >
        {wanted.do === 'connect' && <TargetFields draft={draft} onChange={setDraft} />}
        {change && planned.data && !planned.error && <Planned plan={planned.data} />}
      </DialogForm>
    </Dialog>
  )
}

function Planned({ plan }: { readonly plan: AgentPlan }) {
  const { file, creates, diff, command, notes } = plan
  return (
    <>
      <div>
        <p className="mb-1.5 text-xs text-ink-2">
          {creates ? t('This file will be created:') : t('This file will be changed; a backup is kept:')}{' '}
          <span className="font-mono break-all text-ink">{file}</span>
        </p>
        <LineDiff label={t('The change')} lines={diff} />
      </div>
      {command && (
        <div>
          <p className="mb-1.5 text-xs text-ink-2">{t('The agent starts this bridge program:')}</p>
          <CodeBlock label={t('Command')} text={command} />
        </div>
      )}
      {notes.map((note) => (
        <p key={note} className="flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          {note}
        </p>
      ))}
    </>
  )
}
