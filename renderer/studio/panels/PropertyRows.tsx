// Property rows: name, modified mark, control, the value the editor stored instead, and reset.
import { ChevronRight, Pin, RotateCcw, SlidersVertical } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { useOverlay } from '../canvas/overlay.ts'
import type { NodeView } from '../model/graph.ts'
import { parameterTypeOf } from '../model/promote.ts'
import { type PropertyRow, resetOf } from '../model/properties.ts'
import { isMeshes, PropertyControl } from './controls/PropertyControl.tsx'

export type Driven = ReadonlyMap<string, Pick<NodeView, 'name' | 'title'>>

export type PropertyRowsProps = {
  readonly rows: readonly PropertyRow[]
  /** Sets a property of all shown nodes; `from` is what the control showed before. */
  readonly onSet: (row: PropertyRow, value: unknown, from?: unknown) => Promise<unknown>
  /** Shows what a value would make, while it is dragged. */
  readonly onPreview?: (row: PropertyRow, value: unknown) => void
  /** Values that the editor stored instead, by path. */
  readonly kept?: ReadonlyMap<string, string>
  /** Promotes a value to a parameter of the graph, where a parameter can hold it. */
  readonly onPromote?: (row: PropertyRow) => void
  /** The nodes that drive a property by a connected override pin, by its path. */
  readonly driven?: Driven
  readonly pinned?: ReadonlySet<string>
  readonly onPin?: (path: string) => void
}

/** Controls that need the full width. */
const WIDE: ReadonlySet<string> = new Set(['vector', 'transform', 'list', 'map'])
const isWide = ({ path, property, value }: PropertyRow): boolean =>
  WIDE.has(property.kind) ||
  isMeshes({ path, value }) ||
  (property.kind === 'object' && typeof value === 'object' && value !== null)

export function PropertyRows(props: PropertyRowsProps) {
  return (
    <ul className="flex flex-col">
      {props.rows.map((row) => (
        <li key={row.path} className="group/row border-b border-line/60 py-1 last:border-0">
          {row.property.kind === 'struct' ? <Struct {...props} row={row} /> : <Line {...props} row={row} />}
        </li>
      ))}
    </ul>
  )
}

type RowProps = PropertyRowsProps & { readonly row: PropertyRow }

function Line(props: RowProps) {
  const { row, onSet, onPreview, kept, driven } = props
  const wide = isWide(row)
  const note = kept?.get(row.path)
  const driver = driven?.get(row.path.toLowerCase())
  return (
    <>
      <div
        className={cx('grid items-center gap-x-2', wide ? 'grid-cols-1' : 'grid-cols-[minmax(0,5fr)_minmax(0,6fr)]')}
      >
        <Name {...props} />
        <div className="min-w-0">
          {driver ? (
            <DrivenBy {...driver} />
          ) : (
            <PropertyControl
              row={row}
              onCommit={(value, from) => onSet(row, value, from)}
              onPreview={onPreview && ((value) => onPreview(row, value))}
            />
          )}
        </div>
      </div>
      {note !== undefined && (
        <p role="status" className="pt-0.5 text-right text-2xs text-warn">
          {note}
        </p>
      )}
    </>
  )
}

function DrivenBy({ name, title }: { readonly name: string; readonly title: string }) {
  const focus = useOverlay((state) => state.focus)
  return (
    <p className="flex h-7 min-w-0 items-center gap-1 text-xs text-ink-3">
      {t('driven by')}
      <button type="button" className="min-w-0 truncate text-link hover:underline" onClick={() => focus(name)}>
        {title}
      </button>
    </p>
  )
}

function Name({ row, onSet, onPromote, pinned, onPin }: RowProps) {
  const isPinned = pinned?.has(row.path) === true
  return (
    <span className="flex min-h-7 min-w-0 items-center gap-1.5 text-xs text-ink-2">
      <span
        aria-hidden
        className={cx('size-1.5 shrink-0 rounded-full', row.modified ? 'bg-info-solid' : 'bg-transparent')}
      />
      <span className={cx('line-clamp-2 leading-tight', row.modified && 'font-medium text-ink')} title={row.path}>
        {row.label}
      </span>
      {row.modified && (
        <IconButton
          label={t('Reset {label}', { label: row.label })}
          title={t('Reset to default')}
          size="sm"
          className="size-5! shrink-0 [&_svg]:size-3!"
          onClick={() => void onSet(row, resetOf(row))}
        >
          <RotateCcw />
        </IconButton>
      )}
      {onPromote && !row.path.includes('.') && parameterTypeOf(row.property) !== undefined && !row.mixed && (
        <IconButton
          label={t('Promote {label} to a parameter', { label: row.label })}
          title={t('Promote to a parameter')}
          size="sm"
          className="ml-auto hidden! size-5! shrink-0 group-focus-within/row:inline-flex! group-hover/row:inline-flex! [&_svg]:size-3!"
          onClick={() => onPromote(row)}
        >
          <SlidersVertical />
        </IconButton>
      )}
      {onPin && (
        <IconButton
          label={isPinned ? t('Unpin {label}', { label: row.label }) : t('Pin {label}', { label: row.label })}
          title={isPinned ? t('Unpin') : t('Pin to the top')}
          aria-pressed={isPinned}
          size="sm"
          className={cx(
            'ml-auto size-5! shrink-0 [&_svg]:size-3!',
            isPinned ? 'text-brand!' : 'hidden! group-focus-within/row:inline-flex! group-hover/row:inline-flex!',
          )}
          onClick={() => onPin(row.path)}
        >
          <Pin />
        </IconButton>
      )}
    </span>
  )
}

function Struct(props: RowProps) {
  const { row } = props
  const [open, setOpen] = useState(row.modified)
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        className="-ml-1 flex h-7 w-full items-center gap-1 rounded px-0.5 text-left text-xs hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <ChevronRight aria-hidden className={cx('size-3.5 text-ink-3 transition-transform', open && 'rotate-90')} />
        <span className={row.modified ? 'font-medium text-ink' : 'text-ink-2'}>{row.label}</span>
      </button>
      {open && (
        <div className="ml-2 border-l border-line pl-2">
          <PropertyRows {...props} rows={row.fields} />
        </div>
      )}
    </div>
  )
}
