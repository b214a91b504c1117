// All tools and composites on the left, the bundle on the right; changes are saved together.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import type { BundleDetail } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatCount } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'
import { SaveFooter } from '../../ui/SaveBar.tsx'
import { useSelection } from '../../ui/selection.tsx'
import { Table } from '../../ui/Table.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useAllTools } from '../tools/all-tools.ts'
import { chosenColumns } from './bundle-columns.tsx'
import {
  COMPOSITE,
  clashesOf,
  entriesOf,
  formatMembers,
  keyOf,
  type Member,
  membersOf,
  movedIn,
  movedOut,
  namedBy,
} from './membership.ts'
import { OtherTools } from './OtherTools.tsx'
import { useBundleChanges } from './use-bundle-changes.ts'

const ALL_COMPOSITES = { limit: '200' }

/** What the bundle may contain. */
function useEntries() {
  const tools = useAllTools()
  const composites = useQuery({
    queryKey: ['composites', 'pick'],
    queryFn: async () => (await api.composites.list({ query: ALL_COMPOSITES })).items,
  })
  const entries = useMemo(() => entriesOf(tools.data ?? [], composites.data ?? []), [tools.data, composites.data])
  return { tools, entries, complete: tools.isSuccess && composites.isSuccess }
}

/** The tokens of each member, as clients list the saved bundle. */
function useTokens(name: string) {
  const { data } = useQuery({
    queryKey: ['bundles', 'preview', name],
    queryFn: () => api.bundles.preview({ params: { name } }),
  })
  return {
    total: data?.estTokens,
    of: new Map(
      data?.tools.map(({ client, tool, estTokens }) => [keyOf({ client: client ?? COMPOSITE, tool }), estTokens]),
    ),
  }
}

export function BundleBuilder({ bundle, readOnly }: { readonly bundle: BundleDetail; readonly readOnly: boolean }) {
  const { update } = useBundleChanges()
  const { tools, entries, complete } = useEntries()
  const kept = useDraft(bundle, membersOf, { as: t('bundle {name}', { name: bundle.name }) })
  const { base, draft: members, setDraft: setMembers } = kept
  const before = new Set(membersOf(base).map(keyOf))
  const changed = members.length !== before.size || members.some((member) => !before.has(keyOf(member)))
  const save = useMutation({
    mutationFn: async () => {
      const changed = await kept.save(update(base, namedBy(members)))
      notifyDone(
        t('{name} has {members} now', { name: changed.name, members: formatMembers(membersOf(changed)) }),
        () => update(changed, namedBy(membersOf(base))),
      )
    },
  })
  return (
    <div className="flex h-full flex-col">
      <div
        className={cx(
          'grid min-h-0 grow divide-line',
          !readOnly &&
            'max-lg:grid-rows-[minmax(17rem,1fr)_minmax(14rem,1fr)] max-lg:divide-y max-lg:overflow-y-auto lg:grid-cols-2 lg:divide-x',
        )}
      >
        {!readOnly && (
          <OtherTools
            tools={tools}
            entries={entries}
            members={members}
            onAdd={(added) => setMembers(movedIn(members, added))}
          />
        )}
        <Chosen
          name={bundle.name}
          members={members}
          before={before}
          entries={entries}
          complete={complete}
          onRemove={readOnly ? undefined : (gone) => setMembers(movedOut(members, gone))}
        />
      </div>
      {changed && (
        <SaveFooter
          kept={kept}
          what={bundle.name}
          busy={save.isPending}
          error={save.error}
          save={t('Save {members}', { members: formatMembers(members) })}
          onSave={() => save.mutate()}
          onDiscard={() => setMembers(membersOf(base))}
        />
      )}
    </div>
  )
}

function Chosen({
  name,
  members,
  before,
  entries,
  complete,
  onRemove,
}: {
  readonly name: string
  readonly members: readonly Member[]
  readonly before: ReadonlySet<string>
  readonly entries: ReturnType<typeof entriesOf>
  readonly complete: boolean
  readonly onRemove: ((gone: readonly Member[]) => void) | undefined
}) {
  const tokens = useTokens(name)
  const known = useMemo(() => new Map(entries.map((entry) => [keyOf(entry), entry])), [entries])
  const selection = useSelection(members, keyOf)
  const clashes = clashesOf(members.map((member) => known.get(keyOf(member))).filter((entry) => entry !== undefined))
  return (
    <section aria-label={t('In the bundle')} className="flex min-h-0 flex-col">
      <header className="flex h-[calc(3.25rem+1px)] shrink-0 items-center gap-3 border-b border-line px-6">
        <span className="text-sm font-medium whitespace-nowrap">
          {t('{count} in the bundle', { count: members.length })}
        </span>
        {tokens.total !== undefined && (
          <span className="truncate text-xs text-ink-3" title={t('The list that clients receive, as it is saved')}>
            {t('{count} tokens', { count: formatCount(tokens.total) })}
          </span>
        )}
        {clashes.length > 0 && (
          <Badge tone="warn">
            {t('{count} listed by their full names: {value}', {
              count: clashes.length,
              value: clashes.join(', ').slice(0, 60),
            })}
          </Badge>
        )}
        <span className="grow" />
        {onRemove && selection.rows.length > 0 && (
          <Button
            size="sm"
            onClick={() => {
              onRemove(selection.rows)
              selection.clear()
            }}
          >
            {t('Remove {count} selected', { count: selection.rows.length })}
          </Button>
        )}
      </header>
      <Table
        className="min-h-0 grow"
        label={t('In the bundle')}
        columns={[
          ...(onRemove ? [selection.column] : []),
          ...chosenColumns({ known, before, complete, tokens: tokens.of, onRemove }),
        ]}
        rows={members}
        rowKey={keyOf}
        empty={
          <EmptyState
            icon={Plus}
            title={t('No tools yet')}
            about={t('Choose tools on the left. Clients see exactly these.')}
          />
        }
      />
    </section>
  )
}
