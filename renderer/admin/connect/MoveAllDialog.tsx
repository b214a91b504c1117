// Updates all connections with the old address, one at a time.
import { useMutation, useQuery } from '@tanstack/react-query'
import type { AgentChange, AgentPlan } from '#contract'
import { askAgents } from '../../api/agents.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { DialogForm } from '../../ui/form/DialogForm.tsx'
import { LineDiff } from '../../ui/LineDiff.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useWhileMounted } from '../../ui/use-mounted.ts'
import { useChanges } from '../../ui/use-records.ts'
import { linesOf, type Moved } from './agent-words.ts'

type Planned = Moved & { readonly plan: AgentPlan }
const changeOf = ({ agent, name }: Moved): AgentChange => ({ do: 'move', agent: agent.id, name })

const planOf = async (moved: Moved): Promise<Planned> => ({
  ...moved,
  plan: (await askAgents({ ask: 'plan', change: changeOf(moved) })).plan,
})

/** Two may be in one file: the second is planned again after the first, and must match the preview. */
async function moveOne(shown: Planned): Promise<string> {
  const { plan } = await planOf(shown)
  if (linesOf(plan) !== linesOf(shown.plan))
    throw new Error(t('{file} has changed since this preview. Open the preview again.', { file: plan.file }))
  return (await askAgents({ ask: 'apply', change: changeOf(shown), version: plan.version })).undo
}

async function undoAll(tickets: readonly string[]): Promise<void> {
  for (const ticket of tickets) await askAgents({ ask: 'undo', ticket })
}

/** All or none. Undo tickets, last change first. */
async function moveAll(all: readonly Planned[]): Promise<readonly string[]> {
  const made: string[] = []
  try {
    for (const each of all) made.unshift(await moveOne(each))
    return made
  } catch (error) {
    await undoAll(made)
    throw error
  }
}

export function MoveAllDialog({ moved, onClose }: { readonly moved: readonly Moved[]; readonly onClose: () => void }) {
  const { run } = useChanges('agents', 'keys')
  const planned = useQuery({
    queryKey: ['agents', 'plan', 'all', moved.map(({ agent, name }) => `${agent.id} ${name}`)],
    queryFn: () => Promise.all(moved.map(planOf)),
    retry: false,
  })
  const close = useWhileMounted(onClose)
  const applied = useMutation({
    mutationFn: (all: readonly Planned[]) =>
      run(
        moveAll(all),
        ({ length }) =>
          t('{length} connections have the new address. Their agents use it after a restart.', { length }),
        undoAll,
      ),
    onSuccess: () => close(),
    onError: () => void planned.refetch(),
  })
  return (
    <Dialog
      open
      onClose={onClose}
      width="max-w-2xl"
      title={t('Update all addresses')}
      about={t('Keys and other content of these files stay unchanged. A backup of each file is kept.')}
    >
      <DialogForm
        submit={t('Change {count} addresses', { count: moved.length })}
        busy={applied.isPending}
        ready={planned.data !== undefined}
        error={applied.error ?? planned.error}
        onSubmit={() => planned.data && applied.mutate(planned.data)}
        onClose={onClose}
      >
        {planned.isPending && (
          <div role="status" aria-label={t('Loading')}>
            <Skeleton className="h-32 rounded-md" />
          </div>
        )}
        {planned.data?.map(({ agent, name, plan }) => (
          <div key={`${agent.id} ${name}`}>
            <p className="mb-1.5 text-xs text-ink-2">
              {rich('{value} in {value2}', {
                value: (
                  <span className="font-medium text-ink">
                    {agent.label}: {name}
                  </span>
                ),
                value2: <span className="font-mono break-all">{plan.file}</span>,
              })}
            </p>
            <LineDiff label={t('The change of {name} in {label}', { name, label: agent.label })} lines={plan.diff} />
          </div>
        ))}
      </DialogForm>
    </Dialog>
  )
}
