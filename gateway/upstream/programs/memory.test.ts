// Which processes belong to a local server, by the rows of /proc.
import { expect, it } from 'vitest'
import { belonging, type Seen, seenIn } from './memory.ts'

const seen = (pid: number, parent: number, group: number, session: number): Seen => ({
  pid,
  parent,
  group,
  session,
  pages: 1,
})

it('a row of /proc is read behind a name that may contain anything', () => {
  const numbers = Array.from({ length: 30 }, (_, at) => String(at + 5))
  expect(seenIn(9, `9 (a) S 1 2) R 7 8 6 ${numbers.join(' ')}`)).toEqual({
    pid: 9,
    parent: 7,
    group: 8,
    session: 6,
    pages: 22,
  })
  expect(seenIn(9, '')).toBeUndefined()
  expect(seenIn(9, '9 (a) S 1')).toBeUndefined()
})

it('those of its session, what left the session, and a sandbox that has another one below it', () => {
  const all = [
    seen(5, 10, 5, 5),
    seen(10, 1, 10, 10),
    seen(11, 10, 10, 10),
    // A session of its own, and what it started.
    seen(12, 11, 12, 12),
    seen(13, 12, 12, 12),
    // Left alone by its parent, in the group.
    seen(14, 1, 10, 10),
    // Of others: the parent of the server, and its other server.
    seen(1, 0, 1, 1),
    seen(20, 1, 20, 20),
    seen(21, 20, 20, 20),
  ]
  expect(
    belonging(all, 10)
      .map(({ pid }) => pid)
      .sort((a, b) => a - b),
  ).toEqual([5, 10, 11, 12, 13, 14])
})
