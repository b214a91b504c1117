// All tools on the left, the bundle on the right; changes are saved together.
import { useMutation } from '@tanstack/react-query'
import { Minus, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { BundleDetail, ToolRow } from '#contract'
import { Badge } from '../../ui/Badge.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { backendColumn } from '../../ui/columns.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatCount, formatTools } from '../../ui/format.ts'
import { notifyDone } from '../../ui/notify.ts'
import { SaveFooter } from '../../ui/SaveBar.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useAllTools } from '../tools/all-tools.ts'
import { ToolMethod } from '../tools/ToolBadges.tsx'
import { filterOf, matcherOf } from '../tools/tool-filter.ts'
import { clashesOf, keyOf, type Member, movedIn, movedOut } from './membership.ts'
import { useBundleChanges } from './use-bundle-changes.ts'

const NONE: readonly ToolRow[] = []
const membersOf = ({ tools }: BundleDetail): readonly Member[] => tools

export function BundleBuilder({ bundle, readOnly }: { readonly bundle: BundleDetail; readonly readOnly: boolean }) {
  const { update } = useBundleChanges()
  const all = useAllTools()
  const tools = all.data ?? NONE
  const kept = useDraft(bundle, membersOf, { as: `bundle ${bundle.name}` })
  const { base, draft: members, setDraft: setMembers } = kept
  const known = useMemo(() => new Map(tools.map((tool) => [keyOf(tool), tool])), [tools])
  const before = new Set(base.tools.map(keyOf))
  const changed = members.length !== before.size || members.some((member) => !before.has(keyOf(member)))
  const clashes = clashesOf(members.map((member) => known.get(keyOf(member))).filter((tool) => tool !== undefined))
  const save = useMutation({
    mutationFn: async () => {
      const wanted = members.map(({ client, tool }) => ({ client, tool }))
      const changed = await kept.save(update(base, { tools: wanted }))
      const tools = base.tools.map(({ client, tool }) => ({ client, tool }))
      notifyDone(`${changed.name} has ${formatTools(changed.toolsCount)} now`, () => update(changed, { tools }))
    },
  })
  return (
    <div className="flex h-full flex-col">
      <div className={`grid min-h-0 grow ${readOnly ? '' : 'grid-cols-2 divide-x divide-line'}`}>
        {!readOnly && <OtherTools members={members} onAdd={(tools) => setMembers(movedIn(members, tools))} />}
        <section aria-label="In the bundle" className="flex min-h-0 flex-col">
          <header className="flex h-[calc(3.25rem+1px)] shrink-0 items-center gap-3 border-b border-line px-6">
            <span className="text-sm font-medium">{members.length} in the bundle</span>
            {clashes.length > 0 && (
              <Badge tone="warn">
                {clashes.length} listed by their full names: {clashes.join(', ').slice(0, 60)}
              </Badge>
            )}
          </header>
          <Table
            className="min-h-0 grow"
            label="In the bundle"
            columns={rightColumns(
              known,
              before,
              readOnly ? undefined : (member) => setMembers(movedOut(members, member)),
            )}
            rows={members}
            rowKey={keyOf}
            empty={
              <EmptyState
                icon={Plus}
                title="No tools yet"
                about="Choose tools on the left. Clients see exactly these."
              />
            }
          />
        </section>
      </div>
      {changed && (
        <SaveFooter
          kept={kept}
          what={bundle.name}
          busy={save.isPending}
          error={save.error}
          save={`Save ${formatTools(members.length)}`}
          onSave={() => save.mutate()}
          onDiscard={() => setMembers(base.tools)}
        />
      )}
    </div>
  )
}

function OtherTools({
  members,
  onAdd,
}: {
  readonly members: readonly Member[]
  readonly onAdd: (tools: readonly ToolRow[]) => void
}) {
  const all = useAllTools()
  const [q, setQ] = useState('')
  const chosen = new Set(members.map(keyOf))
  const { matches, problem } = matcherOf(filterOf({ q }))
  const left = (all.data ?? NONE).filter((tool) => !tool.missing && !chosen.has(keyOf(tool)) && matches(tool))
  return (
    <section aria-label="Other tools" className="flex min-h-0 flex-col">
      <header className="flex items-center gap-3 border-b border-line px-6 py-2.5">
        <SearchInput label="Find a tool" placeholder="Words, or /a pattern/" value={q} onChange={setQ} />
        <span className="grow truncate text-xs text-ink-3">{formatCount(left.length)} more</span>
        <Button size="sm" disabled={left.length === 0} onClick={() => onAdd(left)}>
          <Plus />
          Add all shown
        </Button>
      </header>
      <Table
        className="min-h-0 grow"
        label="Other tools"
        columns={leftColumns((tool) => onAdd([tool]))}
        rows={left}
        rowKey={keyOf}
        onOpen={(tool) => onAdd([tool])}
        loading={all.isPending}
        error={all.error}
        onRetry={() => void all.refetch()}
        empty={
          q === '' ? (
            <EmptyState icon={Plus} title="All tools are added" about="Every tool is already in the bundle." />
          ) : (
            <EmptyState
              icon={Plus}
              title={problem ? 'Not a pattern' : `No results for “${q}”`}
              about={problem ?? 'No other tool matches. Tools that are in the bundle are listed on the right.'}
            />
          )
        }
      />
    </section>
  )
}

function leftColumns(onAdd: (tool: ToolRow) => void): readonly Column<ToolRow>[] {
  return [
    {
      key: 'tool',
      title: 'Tool',
      grow: true,
      sortBy: ({ tool }) => tool,
      cell: ({ tool, alias, description }) => (
        <code className="block truncate font-mono text-xs font-medium" title={description}>
          {alias ?? tool}
        </code>
      ),
    },
    backendColumn(),
    { key: 'method', title: 'Method', width: 'w-20', cell: (tool) => <ToolMethod tool={tool} /> },
    {
      key: 'add',
      title: '',
      width: 'w-12',
      align: 'right',
      cell: (tool) => (
        <IconButton
          label={`Add ${tool.tool}`}
          size="sm"
          className="-my-1.5 align-middle"
          onClick={(event) => {
            event.stopPropagation()
            onAdd(tool)
          }}
        >
          <Plus />
        </IconButton>
      ),
    },
  ]
}

function rightColumns(
  known: ReadonlyMap<string, ToolRow>,
  before: ReadonlySet<string>,
  onRemove: ((member: Member) => void) | undefined,
): readonly Column<Member>[] {
  return [
    {
      key: 'tool',
      title: 'Tool',
      grow: true,
      sortBy: ({ tool }) => tool,
      cell: (member) => (
        <span className="flex min-w-0 items-center gap-2">
          <code className="truncate font-mono text-xs font-medium">
            {known.get(keyOf(member))?.alias ?? member.tool}
          </code>
          {(member.missing || (known.size > 0 && !known.has(keyOf(member)))) && <Badge tone="bad">missing</Badge>}
          {!before.has(keyOf(member)) && <Badge tone="ok">new</Badge>}
        </span>
      ),
    },
    backendColumn(),
    ...(onRemove
      ? [
          {
            key: 'remove',
            title: '',
            width: 'w-12',
            align: 'right' as const,
            cell: (member: Member) => (
              <IconButton
                label={`Remove ${member.tool}`}
                size="sm"
                className="-my-1.5 align-middle"
                onClick={() => onRemove(member)}
              >
                <Minus />
              </IconButton>
            ),
          },
        ]
      : []),
  ]
}
