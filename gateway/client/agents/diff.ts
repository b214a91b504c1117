// What a change does to a file, line by line, with a little of what is around it. Secrets on the lines are not shown.
import type { DiffLine } from '../../contract/agent-records.ts'

const AROUND = 3
const MOST_COLUMNS = 240
/** Beyond this many pairs of lines the middle is shown as taken out and put in. */
const MOST_PAIRS = 250_000

function masked(line: string): string {
  const shown = line
    .replaceAll(/\b(Bearer\s+)[^\s"'<]+/gi, '$1••••••')
    .replaceAll(
      /(?<![\w-])(?=[\w-]*(?:key|token|secret|password|authorization))([\w-]+["']?\s*[:=]\s*["'])(?!Bearer )[^"']+/gi,
      '$1••••••',
    )
  return shown.length > MOST_COLUMNS ? `${shown.slice(0, MOST_COLUMNS)} …` : shown
}

/** The lines in common, by dynamic programming; both sides are short because ends that agree are cut off before. */
function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const added = after.map((text): DiffLine => ({ kind: 'added', text }))
  if (before.length * after.length > MOST_PAIRS)
    return [...before.map((text): DiffLine => ({ kind: 'removed', text })), ...added]
  const width = after.length + 1
  const table = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number): number => table[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      table[row * width + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const lines: DiffLine[] = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    const [old, next] = [before[row], after[column]]
    if (old !== undefined && old === next) {
      lines.push({ kind: 'same', text: old })
      row += 1
      column += 1
    } else if (old !== undefined && (next === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: 'removed', text: old })
      row += 1
    } else {
      lines.push({ kind: 'added', text: next ?? '' })
      column += 1
    }
  }
  return lines
}

const linesOf = (text: string): string[] => {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

export function diffOf(before: string, after: string): readonly DiffLine[] {
  const [old, next] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(old.length, next.length)
  let head = 0
  while (head < shorter && old[head] === next[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail += 1
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }))
  return [
    ...same(old.slice(Math.max(0, head - AROUND), head)),
    ...middle(old.slice(head, old.length - tail), next.slice(head, next.length - tail)),
    ...same(old.slice(old.length - tail, old.length - tail + AROUND)),
  ].map(({ kind, text }) => ({ kind, text: masked(text) }))
}
