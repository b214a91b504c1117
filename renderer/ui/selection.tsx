// Rows ticked for one action on all of them; ticking all means all that the filter shows.
import { useState } from 'react'
import { t } from '../language/language.ts'
import { Checkbox } from './Checkbox.tsx'
import type { Column } from './Table.tsx'

export type Selection<T> = {
  readonly rows: readonly T[]
  readonly column: Column<T>
  readonly clear: () => void
}

/** All that is shown, or none of it; what the filter hides keeps its tick. Pure. */
export function tickedAll(
  ticked: ReadonlySet<string>,
  shown: readonly string[],
  checked: boolean,
): ReadonlySet<string> {
  const rows = new Set(shown)
  const hidden = [...ticked].filter((key) => !rows.has(key))
  return new Set(checked ? [...hidden, ...shown] : hidden)
}

export function useSelection<T>(shown: readonly T[], keyOf: (row: T) => string): Selection<T> {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  return {
    // What the filter hides is not acted on, though its tick is kept.
    rows: shown.filter((row) => ticked.has(keyOf(row))),
    clear: () => setTicked(new Set()),
    column: tickColumn(shown, keyOf, ticked, setTicked),
  }
}

/** The column of ticks, for a set that its page keeps. */
export function tickColumn<T>(
  shown: readonly T[],
  keyOf: (row: T) => string,
  ticked: ReadonlySet<string>,
  onTick: (ticked: ReadonlySet<string>) => void,
): Column<T> {
  const count = shown.filter((row) => ticked.has(keyOf(row))).length
  const all = count === shown.length && shown.length > 0
  return {
    key: 'tick',
    title: t('Select'),
    width: 'w-12',
    head: (
      <Checkbox
        label={t('Select all {count} shown', { count: shown.length })}
        hideLabel
        checked={all}
        mixed={!all && count > 0}
        onChange={(checked) => onTick(tickedAll(ticked, shown.map(keyOf), checked))}
      />
    ),
    cell: (row) => (
      // The row opens on a click; one on its tick must not reach it.
      <span className="flex" onClick={(event) => event.stopPropagation()}>
        <Checkbox
          label={t('Select {key}', { key: keyOf(row) })}
          hideLabel
          checked={ticked.has(keyOf(row))}
          onChange={(checked) => {
            const next = new Set(ticked)
            if (checked) next.add(keyOf(row))
            else next.delete(keyOf(row))
            onTick(next)
          }}
        />
      </span>
    ),
  }
}
