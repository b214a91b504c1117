// Previews a policy's changes by tool, and applies it.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { GuardPolicy, ToolRow } from '#contract'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { backendColumn } from '../../ui/columns.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { formatTools } from '../../ui/format.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { useSelection } from '../../ui/selection.tsx'
import { type Column, queried, Table } from '../../ui/Table.tsx'
import { PickBundle } from '../bundles/PickBundle.tsx'
import { useAllTools } from '../tools/all-tools.ts'
import { filterOf, matcherOf } from '../tools/tool-filter.ts'
import { PolicyPreview } from './PolicyPreview.tsx'
import { MOST_TOOLS, type PolicyTarget, usePolicyChanges } from './use-policy-changes.ts'

const WHERE = [
  { value: 'bundle', label: t('The tools of a bundle') },
  { value: 'tools', label: t('Selected tools') },
] as const

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
    <section aria-label={t('Apply')} className="card min-w-0">
      <header className="flex flex-wrap items-end gap-3 px-6 py-3">
        <div className="grow basis-full">
          <h2 className="text-sm font-semibold">{t('Apply')}</h2>
          <p className="mt-0.5 text-xs text-ink-2">
            {t(
              'You will see a preview before anything changes. The limits are written into the tools; their allowed keys stay.',
            )}
          </p>
        </div>
        <Select
          label={t('To')}
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
      {(where === 'tools' || looked.data || done.data) && <hr className="border-line" />}
      {where === 'tools' && <PickTools onPick={(tools) => aim({ tools })} />}
      <div aria-live="polite">
        {looked.error && <ErrorNote error={looked.error} className="m-4" />}
        {done.data ? (
          <p className="px-5 py-6 text-center text-sm text-ink-2">
            {done.data.applied === 1
              ? t('One tool was changed.')
              : t('{applied} tools were changed.', { applied: done.data.applied })}
          </p>
        ) : (
          looked.data && <PolicyPreview found={looked.data} />
        )}
      </div>
      {done.error && <ErrorNote error={done.error} className="m-4" />}
      {target && changes.length > 0 && !done.data && (
        <footer data-bar className="flex justify-end gap-2 border-t border-line px-6 py-3">
          <Button onClick={() => aim(null)}>{t('Discard')}</Button>
          <Button look="strong" busy={done.isPending} onClick={() => done.mutate(target)}>
            {t('Change {count}', { count: formatTools(changes.length) })}
          </Button>
        </footer>
      )}
    </section>
  )
}

const TOOL_COLUMNS: readonly Column<ToolRow>[] = [
  {
    key: 'tool',
    title: t('Tool'),
    grow: true,
    sortBy: ({ tool }) => tool,
    cell: ({ tool, alias }) => <code className="block truncate font-mono text-xs">{alias ?? tool}</code>,
  },
  backendColumn(),
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
        <SearchInput label={t('Find a tool')} placeholder={t('Words, or /a pattern/')} value={q} onChange={setQ} />
        <span className="grow text-xs text-ink-3">
          {count > MOST_TOOLS
            ? t('{count} picked; at most {most} at once', { count, most: MOST_TOOLS })
            : t('{count} picked', { count })}
        </span>
        <Button
          disabled={count === 0 || count > MOST_TOOLS}
          onClick={() => onPick(selection.rows.map(({ client, tool }) => ({ client, tool })))}
        >
          {t('Preview changes')}
        </Button>
      </div>
      <Table
        className="max-h-72"
        label={t('Tools')}
        columns={[selection.column, ...TOOL_COLUMNS]}
        rows={shown}
        rowKey={({ client, tool }) => `${client}__${tool}`}
        {...queried(all)}
        empty={<p className="px-5 py-6 text-center text-sm text-ink-2">{t('No tool matches.')}</p>}
      />
    </div>
  )
}
