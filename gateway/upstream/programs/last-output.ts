// The last lines that a program wrote beside its messages: bounded, and without the secrets it was given.
import { foreignText } from '../../text/foreign-text.ts'

export type LastOutput = {
  add(line: string): void
  lines(): readonly string[]
  clear(): void
}

const MOST_LINES = 200
const MOST_LINE = 1_000
/** A flood costs no more than this many lines a second. */
const MOST_A_SECOND = 500

export function createLastOutput(secrets: () => readonly string[], monotonic: () => number): LastOutput {
  const kept: string[] = []
  let since = monotonic()
  let taken = 0
  let left = 0

  function put(line: string): void {
    kept.push(line)
    if (kept.length > MOST_LINES) kept.shift()
  }

  return {
    add(line) {
      if (monotonic() - since >= 1_000) {
        if (left > 0) put(`(${left} lines were left out)`)
        since = monotonic()
        taken = 0
        left = 0
      }
      taken += 1
      if (taken > MOST_A_SECOND) left += 1
      else if (line.trim() !== '') put(foreignText(line, { secrets: secrets() }, MOST_LINE))
    },
    lines: () => [...kept],
    clear() {
      kept.length = 0
    },
  }
}
