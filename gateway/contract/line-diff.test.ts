// The lines of a diff rebuild both texts.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
const without = (lines: ReturnType<typeof lineDiff>, kind: 'added' | 'removed'): string =>
  lines
    .filter((line) => line.kind !== kind)
    .map((line) => line.text)
    .join('\n')

it('holds each line of both texts, and no change for equal ones', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after)
      expect([without(lines, 'added'), without(lines, 'removed')]).toEqual([before, after])
      expect(lineDiff(before, before).every(({ kind }) => kind === 'same')).toBe(true)
    }),
    { numRuns: 200 },
  )
})
