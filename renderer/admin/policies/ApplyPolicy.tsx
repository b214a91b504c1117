// What applying a policy would change, tool by tool, and the button that does it.
import { useMutation } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import type { GuardPolicy, PolicyApplied, ToolRow } from '#contract'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { useSelection } from '../../ui/selection.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { PickBundle } from '../bundles/PickBundle.tsx'
import { useAllTools } from '../tools/all-tools.ts'
import { filterOf, matcherOf } from '../tools/tool-filter.ts'
import { rateInWords, timeInWords } from './limits.ts'
import { type PolicyTarget, usePolicyChanges } from './use-policy-changes.ts'

const WHERE = [
  { value: 'bundle', label: 'The tools of a bundle' },
  { value: 'tools', label: 'Tools I pick' },
] as const

/** One request takes this many tools at most. */
const MOST_TOOLS = 1000

export function ApplyPolicy({ policy }: { readonly policy: GuardPolicy }) {
  const { preview, apply } = usePolicyChanges()
  const [where, setWhere] = useState<(typeof WHERE)[number]['value']>('bundle')
  const [target, setTarget] = useState<PolicyTarget | null>(null)
  const looked = useMutation({ mutationFn: (asked: PolicyTarget) => preview(policy, asked) })
  const done = useMutation({ mutationFn: (asked: PolicyTarget) => apply(policy, asked) })
  const aim = (next: PolicyTarget | null) => {
    setTarget(next)
    done.reset()
    looked.reset()
    if (next) looked.mutate(next)
  }
  const changes = looked.data?.changes ?? []
  return (
    <section aria-label="Apply" className="card min-w-0">
      <header className="flex flex-wrap items-end gap-3 border-b border-line px-6 py-3">
        <div className="grow basis-full">
          <h2 className="text-sm font-semibold">Apply</h2>
          <p className="mt-0.5 text-xs text-ink-2">
            Nothing changes until you have seen it. The limits are written into the tools; who may call them stays.
          </p>
        </div>
        <Select
          label="To"
          value={where}
          options={WHERE}
          className="w-52"
          onChange={(next) => {
            setWhere(next)
            aim(null)
          }}
        />
        {where === 'bundle' && (
          <div className="w-72">
            <PickBundle
              name={target && 'bundle' in target ? (target.bundle ?? '') : ''}
              onPick={(bundle) => aim({ bundle })}
            />
          </div>
        )}
      </header>
      {where === 'tools' && <PickTools onPick={(tools) => aim({ tools })} />}
      <div aria-live="polite">
        {looked.error && <ErrorNote error={looked.error} className="m-4" />}
        {done.data ? (
          <p className="px-5 py-6 text-center text-sm text-ink-2">
            {done.data.applied === 1 ? 'One tool was changed.' : `${done.data.applied} tools were changed.`}
          </p>
        ) : (
          looked.data && <Preview found={looked.data} />
        )}
      </div>
      {done.error && <ErrorNote error={done.error} className="m-4" />}
      {target && changes.length > 0 && !done.data && (
        <footer className="flex justify-end gap-2 border-t border-line px-6 py-3">
          <Button onClick={() => aim(null)}>Discard</Button>
          <Button look="strong" busy={done.isPending} onClick={() => done.mutate(target)}>
            Change {changes.length} {changes.length === 1 ? 'tool' : 'tools'}
          </Button>
        </footer>
      )}
    </section>
  )
}

const TOOL_COLUMNS: readonly Column<ToolRow>[] = [
  {
    key: 'tool',
    title: 'Tool',
    sortBy: ({ tool }) => tool,
    cell: ({ tool, alias }) => <code className="block max-w-96 truncate font-mono text-xs">{alias ?? tool}</code>,
  },
  { key: 'client', title: 'Backend', width: 'w-56', sortBy: ({ client }) => client, cell: ({ client }) => client },
]

const NONE: readonly ToolRow[] = []

function PickTools({
  onPick,
}: {
  readonly onPick: (tools: { readonly client: string; readonly tool: string }[]) => void
}) {
  const all = useAllTools()
  const [q, setQ] = useState('')
  const shown = (all.data ?? NONE).filter(matcherOf(filterOf({ q })).matches)
  const selection = useSelection(shown, ({ client, tool }) => `${client}__${tool}`)
  const count = selection.rows.length
  return (
    <div className="border-b border-line">
      <div className="flex items-center gap-3 px-6 py-2.5">
        <SearchInput label="Find a tool" placeholder="Words, or /a pattern/" value={q} onChange={setQ} />
        <span className="grow text-xs text-ink-3">
          {count} picked
          {count > MOST_TOOLS && `; at most ${MOST_TOOLS} at once`}
        </span>
        <Button
          disabled={count === 0 || count > MOST_TOOLS}
          onClick={() => onPick(selection.rows.map(({ client, tool }) => ({ client, tool })))}
        >
          See what would change
        </Button>
      </div>
      <Table
        className="max-h-72"
        label="Tools"
        columns={[selection.column, ...TOOL_COLUMNS]}
        rows={shown}
        rowKey={({ client, tool }) => `${client}__${tool}`}
        loading={all.isPending}
        error={all.error}
        onRetry={() => void all.refetch()}
        empty={<p className="px-5 py-6 text-center text-sm text-ink-2">No tool matches.</p>}
      />
    </div>
  )
}

type Change = PolicyApplied['changes'][number]

function Move({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <span className="text-ink-3">{after}</span>
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap">
      <s className="text-ink-3">{before}</s>
      <ArrowRight aria-label="becomes" className="size-3.5 shrink-0 text-ink-3" />
      <strong className="font-medium">{after}</strong>
    </span>
  )
}

const CHANGE_COLUMNS: readonly Column<Change>[] = [
  {
    key: 'tool',
    title: 'Tool',
    sortBy: ({ client, tool }) => `${client}__${tool}`,
    cell: ({ client, tool }) => (
      <span className="flex items-baseline gap-2">
        <code className="max-w-72 truncate font-mono text-xs font-medium">{tool}</code>
        <span className="max-w-40 truncate text-xs text-ink-3">{client}</span>
      </span>
    ),
  },
  {
    key: 'rate',
    title: 'Calls per minute',
    width: 'w-72',
    cell: ({ before, after }) => (
      <Move before={rateInWords(before.rateLimitPerMin)} after={rateInWords(after.rateLimitPerMin)} />
    ),
  },
  {
    key: 'time',
    title: 'Time for one attempt',
    width: 'w-72',
    cell: ({ before, after }) => <Move before={timeInWords(before.timeoutMs)} after={timeInWords(after.timeoutMs)} />,
  },
]

const REASONS: Readonly<Record<PolicyApplied['skipped'][number]['reason'], string>> = {
  not_found: 'there is no such tool',
  composite: 'a composite has no limits of its own; its steps have',
  unchanged: 'it has these limits already',
}

function Preview({ found: { changes, skipped } }: { readonly found: PolicyApplied }) {
  return (
    <>
      <Table
        className="max-h-96"
        label="What would change"
        columns={CHANGE_COLUMNS}
        rows={changes}
        rowKey={({ client, tool }) => `${client}__${tool}`}
        empty={<p className="px-5 py-6 text-center text-sm text-ink-2">Nothing would change.</p>}
      />
      {skipped.length > 0 && (
        <details className="border-t border-line px-6 py-2.5 text-sm">
          <summary className="rounded text-ink-2">
            {skipped.length} {skipped.length === 1 ? 'stays' : 'stay'} as {skipped.length === 1 ? 'it is' : 'they are'}
          </summary>
          <ul className="mt-2 flex max-h-48 flex-col gap-1 overflow-y-auto text-xs">
            {skipped.map(({ tool, reason }) => (
              <li key={tool} className="flex min-w-0 items-center gap-2">
                <code className="truncate font-mono">{tool}</code>
                <Badge>{REASONS[reason]}</Badge>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
