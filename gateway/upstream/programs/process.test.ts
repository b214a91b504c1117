// One process and its pipes: the faster side waits, in both directions.
import { expect, it, vi } from 'vitest'
import { later } from '../upstream.fixture.ts'
import { createGroups } from './groups.ts'
import { type ProgramProcess, startProcess } from './process.ts'

const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const MAX = 100_000

async function started(
  code: string,
  onMessage: (line: Buffer) => Promise<unknown> | undefined,
): Promise<ProgramProcess> {
  const patience = { inputMs: 100, termMs: 1_000 }
  const trees = await createGroups({ patience, cgroup: async () => undefined })
  later(() => trees.close())
  const running = await startProcess(
    { file: process.execPath, args: ['-e', code], env: {}, cwd: '/' },
    {
      maxLineBytes: MAX,
      onMessage,
      onTooLong: () => undefined,
      onText: () => undefined,
      onSpawned: () => undefined,
    },
    { tree: trees.create(1, 2 ** 40), patience },
  )
  later(async () => {
    running.kill()
    await running.exited
  })
  return running
}

it('a program that writes faster than its lines are read waits, and none of them is lost', async () => {
  const LINES = 60
  let [got, open, most] = [0, 0, 0]
  // 6 MB: far more than a pipe and the buffers of a stream hold.
  const code = `for (let n = 0; n < ${LINES}; n++) process.stdout.write('{' + 'x'.repeat(${MAX - 10}) + '}\\n')`
  await started(code, async () => {
    got += 1
    open += 1
    most = Math.max(most, open)
    await new Promise((resolve) => setTimeout(resolve, 5))
    open -= 1
  })
  await soon(() => expect(got).toBe(LINES))
  // The second is over the limit; a third may have come in the same piece.
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThan(5)
})

it('a program that does not read is sent no more than 64 MiB, and the rest is refused', async () => {
  const running = await started('setInterval(() => undefined, 1000)', () => undefined)
  const text = 'x'.repeat(1_048_575)
  let sent = 0
  while (sent < 100 && running.send(text)) sent += 1
  expect(sent).toBeGreaterThanOrEqual(64)
  expect(sent).toBeLessThan(70)
})
