// The tools and composites that a bundle does not contain: found by words and backend, added one by one or together.
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { useSelection } from '../../ui/selection.tsx'
import { queried, Table } from '../../ui/Table.tsx'
import type { useAllTools } from '../tools/all-tools.ts'
import { textMatcherOf } from '../tools/tool-filter.ts'
import { otherColumns } from './bundle-columns.tsx'
import { COMPOSITE, type Entry, keyOf, type Member } from './membership.ts'

const ANY = 'any'
const COMPOSITES = 'composites'

/** Every backend with tools left; composites only where there are some. */
function backendOptions(entries: readonly Entry[]) {
  const names = [...new Set(entries.map(({ client }) => client))].toSorted((a, b) => a.localeCompare(b))
  return [
    { value: ANY, label: t('Any backend') },
    ...names.map((name) =>
      name === COMPOSITE ? { value: COMPOSITES, label: t('Composites') } : { value: `of ${name}`, label: name },
    ),
  ]
}

const clientOf = (value: string): string | undefined =>
  value === ANY ? undefined : value === COMPOSITES ? COMPOSITE : value.slice('of '.length)

function NoTools({ all, problem }: { readonly all: boolean; readonly problem: string | undefined }) {
  if (all)
    return <EmptyState icon={Plus} title={t('All tools are added')} about={t('Every tool is already in the bundle.')} />
  return (
    <EmptyState
      icon={Plus}
      title={problem ? t('Not a pattern') : t('No results')}
      about={problem ?? t('No other tool matches. Tools that are in the bundle are listed on the right.')}
    />
  )
}

export function OtherTools({
  tools,
  entries,
  members,
  onAdd,
}: {
  readonly tools: ReturnType<typeof useAllTools>
  readonly entries: readonly Entry[]
  readonly members: readonly Member[]
  readonly onAdd: (entries: readonly Entry[]) => void
}) {
  const [q, setQ] = useState('')
  const [backend, setBackend] = useState(ANY)
  const chosen = new Set(members.map(keyOf))
  const { matches, problem } = textMatcherOf(q)
  const client = clientOf(backend)
  const left = entries.filter(
    (entry) =>
      !entry.row?.missing &&
      !chosen.has(keyOf(entry)) &&
      (client === undefined || entry.client === client) &&
      matches(entry),
  )
  const selection = useSelection(left, keyOf)
  const ticked = selection.rows.length > 0
  const add = (): void => {
    onAdd(ticked ? selection.rows : left)
    selection.clear()
  }
  return (
    <section aria-label={t('Other tools')} className="flex min-h-0 flex-col">
      <header className="flex items-center gap-3 border-b border-line px-6 py-2.5">
        <SearchInput
          label={t('Find a tool')}
          placeholder={t('Words, or /a pattern/')}
          value={q}
          onChange={setQ}
          width="w-full"
        />
        <Select
          label={t('Backend')}
          hideLabel
          className="w-36 shrink-0"
          value={backend}
          options={backendOptions(entries)}
          onChange={setBackend}
        />
        <Button
          size="sm"
          className="shrink-0"
          title={t('{count} more', { count: left.length })}
          disabled={left.length === 0}
          onClick={add}
        >
          <Plus />
          {ticked ? t('Add {count} selected', { count: selection.rows.length }) : t('Add all shown')}
        </Button>
      </header>
      <Table
        className="min-h-0 grow"
        label={t('Other tools')}
        columns={[selection.column, ...otherColumns((entry) => onAdd([entry]))]}
        rows={left}
        rowKey={keyOf}
        onOpen={(entry) => onAdd([entry])}
        {...queried(tools)}
        empty={<NoTools all={q === '' && client === undefined} problem={problem} />}
      />
    </section>
  )
}
