// The columns of both lists of a bundle: name with description, backend, tokens, add or remove.

import { Minus, Plus } from 'lucide-react'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { actionColumn } from '../../ui/columns.tsx'
import { formatCount } from '../../ui/format.ts'
import type { Column } from '../../ui/Table.tsx'
import { ToolMethod } from '../tools/ToolBadges.tsx'
import { COMPOSITE, type Entry, keyOf, type Member } from './membership.ts'

function Described({ name, about }: { readonly name: string; readonly about: string | undefined }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2" title={about}>
      <code className="truncate font-mono text-xs font-medium">{name}</code>
      <span className="min-w-0 grow basis-0 truncate text-xs text-ink-3">{about}</span>
    </span>
  )
}

const sourceColumn = <T extends { readonly client: string }>(): Column<T> => ({
  key: 'client',
  title: t('Backend'),
  width: 'w-32',
  sortBy: ({ client }) => client,
  cell: ({ client }) =>
    client === COMPOSITE ? (
      <Badge tone="info">{t('composite')}</Badge>
    ) : (
      <span className="block max-w-32 truncate">{client}</span>
    ),
})

export const otherColumns = (onAdd: (entry: Entry) => void): readonly Column<Entry>[] => [
  {
    key: 'tool',
    title: t('Tool'),
    grow: true,
    sortBy: ({ tool }) => tool,
    cell: ({ tool, alias, description }) => <Described name={alias ?? tool} about={description} />,
  },
  sourceColumn(),
  { key: 'method', title: t('Method'), width: 'w-20', cell: ({ row }) => row && <ToolMethod tool={row} /> },
  actionColumn('w-12', (entry) => (
    <IconButton
      label={t('Add {tool}', { tool: entry.tool })}
      size="sm"
      className="-my-1.5 align-middle"
      onClick={(event) => {
        event.stopPropagation()
        onAdd(entry)
      }}
    >
      <Plus />
    </IconButton>
  )),
]

export function chosenColumns({
  known,
  before,
  complete,
  tokens,
  onRemove,
}: {
  readonly known: ReadonlyMap<string, Entry>
  /** Saved members. */
  readonly before: ReadonlySet<string>
  /** All tools and composites are loaded: what is not known is missing. */
  readonly complete: boolean
  readonly tokens: ReadonlyMap<string, number>
  readonly onRemove: ((gone: readonly Member[]) => void) | undefined
}): readonly Column<Member>[] {
  return [
    {
      key: 'tool',
      title: t('Tool'),
      grow: true,
      sortBy: ({ tool }) => tool,
      cell: (member) => {
        const entry = known.get(keyOf(member))
        return (
          <span className="flex min-w-0 items-center gap-2">
            <span className="min-w-0 grow">
              <Described name={entry?.alias ?? member.tool} about={entry?.description} />
            </span>
            {(member.missing || (complete && !entry)) && <Badge tone="bad">{t('missing')}</Badge>}
            {!before.has(keyOf(member)) && <Badge tone="ok">{t('new')}</Badge>}
          </span>
        )
      },
    },
    sourceColumn(),
    {
      key: 'tokens',
      title: t('Tokens'),
      width: 'w-20',
      align: 'right',
      sortBy: (member) => tokens.get(keyOf(member)) ?? -1,
      cell: (member) => {
        const count = tokens.get(keyOf(member))
        return count === undefined ? <span className="text-ink-3">–</span> : formatCount(count)
      },
    },
    ...(onRemove
      ? [
          actionColumn<Member>('w-12', (member) => (
            <IconButton
              label={t('Remove {tool}', { tool: member.tool })}
              size="sm"
              className="-my-1.5 align-middle"
              onClick={() => onRemove([member])}
            >
              <Minus />
            </IconButton>
          )),
        ]
      : []),
  ]
}
