// The output of a tool as a tree or, for a list of records, as a table.
import { useState } from 'react'
import { t } from '../../../language/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { isRecord } from '../../../ui/form/shape.ts'
import { JsonView } from '../../../ui/JsonView.tsx'
import { type Grid, gridOf } from './grid.ts'

const DRAWN = 200

export function AnswerValue({ value }: { readonly value: unknown }) {
  const [as, setAs] = useState<'tree' | 'table'>('tree')
  const grid = gridOf(value)
  if (!grid) return <JsonView value={value} label={t('response')} />
  return (
    <div className="flex flex-col gap-2">
      <div role="radiogroup" aria-label={t('Response as')} className="flex gap-1">
        {(['tree', 'table'] as const).map((each) => (
          <Button
            key={each}
            size="sm"
            role="radio"
            aria-checked={as === each}
            look={as === each ? 'plain' : 'quiet'}
            onClick={() => setAs(each)}
          >
            {each === 'tree' ? t('Tree') : t('Table of {count}', { count: grid.rows.length })}
          </Button>
        ))}
      </div>
      {as === 'tree' ? <JsonView value={value} label={t('response')} /> : <GridTable grid={grid} />}
    </div>
  )
}

function GridTable({ grid: { columns, rows } }: { readonly grid: Grid }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section aria-label={t('Response as a table')} tabIndex={0} className="card max-h-[32rem] overflow-auto">
      <table className="w-full border-separate border-spacing-0 text-left text-xs">
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className="sticky top-0 max-w-64 truncate border-b border-line bg-surface px-3 py-1.5 font-medium text-ink-2"
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, DRAWN).map((row, at) => (
            <tr key={`${at}`}>
              {columns.map((column) => (
                <td key={column} className="max-w-64 truncate border-b border-line px-3 py-1.5 font-mono">
                  {cellOf(row[column])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > DRAWN && (
        <p className="px-3 py-2 text-xs text-ink-3">{t('The first {DRAWN} are shown; the tree has all.', { DRAWN })}</p>
      )}
    </section>
  )
}

function cellOf(value: unknown): string {
  if (value === undefined) return ''
  return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)
}
