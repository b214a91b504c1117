// Lines of TypeScript in colours. A line is drawn again only when its text changes.
import { memo } from 'react'
import { startsOf, type TokenKind, tokensOf, type Within } from './code-tokens.ts'
import { cx } from './cx.ts'

const LOOKS: Readonly<Record<TokenKind, string | undefined>> = {
  plain: undefined,
  comment: 'text-ink-3',
  text: 'text-ok',
  number: 'text-ok',
  keyword: 'text-info',
  type: 'text-warn',
  call: 'text-link',
}

const Line = memo(function Line({
  text,
  within,
  mark,
}: {
  readonly text: string
  readonly within: Within
  readonly mark: 'error' | 'warning' | undefined
}) {
  return (
    <div className={cx('min-h-5', mark === 'error' && 'bg-bad-soft', mark === 'warning' && 'bg-warn-soft')}>
      {tokensOf(text, within).tokens.map((part) => (
        <span key={part.at} className={LOOKS[part.kind]}>
          {part.text}
        </span>
      ))}
    </div>
  )
})

export function CodeLines({
  text,
  marks,
}: {
  readonly text: string
  /** By the number of a line, from 1. */
  readonly marks?: ReadonlyMap<number, 'error' | 'warning'>
}) {
  const lines = text.split('\n').map((line, at) => ({ line, number: at + 1 }))
  const starts = startsOf(lines.map(({ line }) => line))
  return lines.map(({ line, number }) => (
    <Line key={number} text={line} within={starts[number - 1] ?? 'code'} mark={marks?.get(number)} />
  ))
}
