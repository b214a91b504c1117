// Which edits of an agent are one turn.
import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

function turns() {
  const clock = { ms: 0 }
  const { batchOf } = createTurns(() => clock.ms)
  let id = 0
  const edit = (actor: string, more: Partial<Parameters<typeof batchOf>[0]> = {}) => {
    id += 1
    return batchOf({ actor, source: 'mcp', ...more }, id)
  }
  return { clock, edit }
}

it('a long pause ends a turn, a short one does not, and others between do not either', () => {
  const { clock, edit } = turns()
  expect(edit('a')).toBe('turn-1')
  clock.ms += 100_000
  expect(edit('b')).toBe('turn-2')
  expect(edit('a')).toBe('turn-1')
  clock.ms += 100_000
  expect(edit('a')).toBe('turn-1')
  clock.ms += 121_000
  expect(edit('a')).toBe('turn-5')
})

it('a session is a caller of its own, a batch that is given stands, and a person’s gesture is no turn', () => {
  const { edit } = turns()
  expect(edit('a', { session: 'x' })).toBe('turn-1')
  expect(edit('a', { session: 'y' })).toBe('turn-2')
  expect(edit('a', { session: 'x', batchId: 'mine' })).toBe('mine')
  expect(edit('a', { session: 'x' })).toBe('turn-1')
  expect(edit('a', { source: 'ui' })).toBeNull()
})

it('two client programs with one key have turns of their own', () => {
  const { edit } = turns()
  expect(edit('a', { program: 'claude-code' })).toBe('turn-1')
  expect(edit('a', { program: 'cursor' })).toBe('turn-2')
  expect(edit('a', { program: 'claude-code' })).toBe('turn-1')
})

it('many callers are not remembered for ever', () => {
  const { edit } = turns()
  expect(edit('first')).toBe('turn-1')
  for (let n = 0; n < 1000; n++) edit(`caller-${n}`)
  expect(edit('first')).toBe('turn-1002')
})
