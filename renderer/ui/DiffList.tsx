// The differences of two records, by path.

import { t } from '../language/language.ts'
import { Badge, type Tone } from './Badge.tsx'

export type DiffEntry = {
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before?: unknown
  readonly after?: unknown
}

const TONES: Readonly<Record<DiffEntry['kind'], Tone>> = { added: 'ok', removed: 'bad', changed: 'info' }

/** The limit of shown differences; the rest is counted. */
const MOST_SHOWN = 300
const MOST_TEXT = 160

function short(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text
}

export function DiffList({
  label,
  entries,
  whole = false,
}: {
  readonly label: string
  readonly entries: readonly DiffEntry[]
  /** Also shows added and removed values. */
  readonly whole?: boolean
}) {
  return (
    <>
      {entries.length > 0 && (
        <ul aria-label={label} className="divide-y divide-line rounded-md border border-line">
          {entries.slice(0, MOST_SHOWN).map((entry) => (
            <Difference key={entry.path} entry={entry} whole={whole} />
          ))}
        </ul>
      )}
      {entries.length > MOST_SHOWN && (
        <p className="text-xs text-ink-3">{t('And {count} more changes.', { count: entries.length - MOST_SHOWN })}</p>
      )}
    </>
  )
}

function Difference({
  entry: { path, kind, before, after },
  whole,
}: {
  readonly entry: DiffEntry
  readonly whole: boolean
}) {
  return (
    <li className="px-3 py-2">
      <p className="flex items-start gap-2">
        <Badge tone={TONES[kind]}>{kind}</Badge>
        <code className="min-w-0 font-mono text-xs leading-5 break-all">{path}</code>
      </p>
      {(whole || kind === 'changed') && (
        <p className="mt-1 font-mono text-2xs break-all text-ink-2">
          {kind !== 'added' && <del className="text-bad no-underline">{short(before)}</del>}
          {kind === 'changed' && ' → '}
          {kind !== 'removed' && <ins className="text-ok no-underline">{short(after)}</ins>}
        </p>
      )}
    </li>
  )
}
