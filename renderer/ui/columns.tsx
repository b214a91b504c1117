// Columns that many tables have: a name with what it is for, a number, a time, a person.
import type { ReactNode } from 'react'
import { t } from '../language/language.ts'
import { Badge, type Tone } from './Badge.tsx'
import { Button } from './Button.tsx'
import { formatActor, formatCount } from './format.ts'
import { RelativeTime } from './RelativeTime.tsx'
import type { Column } from './Table.tsx'

/** A name, and as much of its description as the column holds. */
export function Named({ name, about }: { readonly name: ReactNode; readonly about?: ReactNode }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <span className="truncate font-medium">{name}</span>
      {about && <span className="min-w-0 grow basis-0 truncate text-xs text-ink-3">{about}</span>}
    </span>
  )
}

/** The column that names a row, by which it is sorted, and that takes the room the others leave. */
export const nameColumn = <T,>(
  title: string,
  nameOf: (row: T) => string,
  aboutOf?: (row: T) => ReactNode,
): Column<T> => ({
  key: 'name',
  title,
  grow: true,
  sortBy: nameOf,
  cell: (row) => <Named name={nameOf(row)} about={aboutOf?.(row)} />,
})

export const countColumn = <T,>(key: string, title: string, of: (row: T) => number, width = 'w-24'): Column<T> => ({
  key,
  title,
  width,
  align: 'right',
  sortBy: of,
  cell: (row) => formatCount(of(row)),
})

/** A number that may be missing: what stands there then is sorted last. */
export const limitColumn = <T,>(
  key: string,
  title: string,
  of: (row: T) => number | null,
  { none, format = formatCount, width = 'w-44' }: LimitWords,
): Column<T> => ({
  key,
  title,
  width,
  align: 'right',
  sortBy: (row) => of(row) ?? Number.POSITIVE_INFINITY,
  cell: (row) => {
    const value = of(row)
    return value === null ? <span className="text-ink-3">{none}</span> : format(value)
  },
})

type LimitWords = { readonly none: string; readonly format?: (value: number) => string; readonly width?: string }

/** How long ago; "Never" is sorted first. */
export const timeColumn = <T,>(
  key: string,
  title: string,
  of: (row: T) => string | null,
  width = 'w-32',
): Column<T> => ({
  key,
  title,
  width,
  sortBy: (row) => of(row) ?? '',
  cell: (row) => {
    const at = of(row)
    return at === null ? (
      <span className="text-ink-3">{t('Never')}</span>
    ) : (
      <RelativeTime at={at} className="text-ink-2" />
    )
  },
})

export const makerColumn = <T extends { readonly createdBy: string | null }>(): Column<T> => ({
  key: 'by',
  title: t('Created by'),
  width: 'w-44',
  sortBy: ({ createdBy }) => createdBy ?? '',
  cell: ({ createdBy }) => (
    <span className="block max-w-40 truncate text-ink-2">{createdBy === null ? '–' : formatActor(createdBy)}</span>
  ),
})

/** The column of a sentence or two: it takes the room the others leave. */
export const aboutColumn = <T,>(of: (row: T) => ReactNode): Column<T> => ({
  key: 'about',
  title: t('Description'),
  grow: true,
  cell: (row) => <span className="block truncate text-ink-2">{of(row)}</span>,
})

/** How the name of a tool is written in a list beside its description. */
export const TOOL_NAME = 'block max-w-64 truncate font-mono text-xs 2xl:max-w-md'

export const backendColumn = <T extends { readonly client: string }>(): Column<T> => ({
  key: 'client',
  title: t('Backend'),
  width: 'w-36',
  sortBy: ({ client }) => client,
  cell: ({ client }) => <span className="block max-w-36 truncate">{client}</span>,
})

/** A state in a word, coloured by what it means. */
export const stateColumn = <T,>(
  of: (row: T) => readonly [Tone, string],
  { title = t('State'), width = 'w-32' } = {},
): Column<T> => ({
  key: title.toLowerCase(),
  title,
  width,
  sortBy: (row) => of(row)[1],
  cell: (row) => {
    const [tone, text] = of(row)
    return (
      <Badge tone={tone} dot>
        {text}
      </Badge>
    )
  },
})

/** What one can do to a row, at its right end. */
export const actionColumn = <T,>(width: string, cell: (row: T) => ReactNode): Column<T> => ({
  key: 'actions',
  title: '',
  width,
  align: 'right',
  cell,
})

export const menuColumn = <T,>(cell: (row: T) => ReactNode): Column<T> => actionColumn('w-14', cell)

/** `label` names the button of a row for those who do not see the row. */
export function buttonColumn<T>({
  text,
  label,
  onClick,
  isShown = () => true,
  look = 'quiet-danger',
  width = 'w-24',
}: {
  readonly text: (row: T) => string
  readonly label?: (row: T) => string
  readonly onClick: (row: T) => void
  readonly isShown?: (row: T) => boolean
  readonly look?: 'quiet' | 'quiet-danger'
  readonly width?: string
}): Column<T> {
  return actionColumn(
    width,
    (row) =>
      isShown(row) && (
        <Button size="sm" look={look} className="-my-1.5" aria-label={label?.(row)} onClick={() => onClick(row)}>
          {text(row)}
        </Button>
      ),
  )
}
