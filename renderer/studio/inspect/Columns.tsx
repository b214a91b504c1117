// Column summaries: range, mean, histogram, change since the previous run. A click colours the points by the column.

import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { changeOf, type Sheet, type Summary, shortNumber } from './sheet.ts'

export function Columns({
  sheet,
  before,
  chosen,
  onChoose,
}: {
  readonly sheet: Sheet
  readonly before: readonly Summary[] | null
  readonly chosen: string | null
  readonly onChoose: (name: string) => void
}) {
  return (
    <ul aria-label={t('Columns')} className="flex shrink-0 gap-2 overflow-x-auto border-b border-line px-3 py-2">
      {sheet.summaries.map((summary) => {
        const change = changeOf(summary, before)
        const { name, type, min, max, mean, histogram } = summary
        return (
          <li key={name} className="shrink-0">
            <button
              type="button"
              aria-pressed={name === chosen}
              disabled={mean === null}
              title={t('{name}: {type}. Colour the points by it.', { name, type })}
              onClick={() => onChoose(name)}
              className={cx(
                'flex w-32 flex-col rounded-md border px-2 py-1 text-left text-2xs',
                name === chosen ? 'border-ring bg-pressed' : 'border-line hover:bg-hover',
              )}
            >
              <span className="truncate font-medium text-ink">{name}</span>
              <Bars counts={histogram} />
              {mean === null || min === null || max === null ? (
                <span className="text-ink-3">{type}</span>
              ) : (
                <>
                  <span className="truncate text-ink-2 tabular-nums">
                    {shortNumber(min)} … {shortNumber(max)}
                  </span>
                  <span className="truncate text-ink-3 tabular-nums">
                    {t('mean {shortNumber}', { shortNumber: shortNumber(mean) })}
                  </span>
                </>
              )}
              {change !== null && <span className="truncate text-info tabular-nums">{change}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function Bars({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(1, ...counts)
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${Math.max(1, counts.length)} 10`}
      preserveAspectRatio="none"
      className="my-0.5 h-5 w-full"
    >
      {counts.map((count, at) => (
        <rect
          key={`${at} ${counts.length}`}
          x={at + 0.1}
          width={0.8}
          y={10 - (count / most) * 10}
          height={(count / most) * 10}
          className="fill-info-solid"
        />
      ))}
    </svg>
  )
}
