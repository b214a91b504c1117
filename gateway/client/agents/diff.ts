// What a change does to a file, line by line, with a little of what is around it. Secrets on the lines are not shown.
import type { DiffLine } from '../../contract/agent-records.ts'
import { lineDiff } from '../../contract/line-diff.ts'

const AROUND = 3
const MOST_COLUMNS = 240

function masked(line: string): string {
  const shown = line
    .replaceAll(/\b(Bearer\s+)[^\s"'<]+/gi, '$1••••••')
    .replaceAll(
      /(?<![\w-])(?=[\w-]*(?:key|token|secret|password|authorization))([\w-]+["']?\s*[:=]\s*["'])(?!Bearer )[^"']+/gi,
      '$1••••••',
    )
  return shown.length > MOST_COLUMNS ? `${shown.slice(0, MOST_COLUMNS)} …` : shown
}

/** Line ends and the last of them are no difference. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n').replace(/\n$/, '')

export function diffOf(before: string, after: string): readonly DiffLine[] {
  const lines = lineDiff(plain(before), plain(after))
  const first = lines.findIndex(({ kind }) => kind !== 'same')
  const last = lines.findLastIndex(({ kind }) => kind !== 'same')
  const shown = first === -1 ? [] : lines.slice(Math.max(0, first - AROUND), last + 1 + AROUND)
  return shown.map(({ kind, text }) => ({ kind, text: masked(text) }))
}
