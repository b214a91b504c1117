// One process and its pipes: the faster side waits, in both directions.
import { expect, it, vi } from 'vitest'
import { later } from '../upstream.fixture.ts'
import { createGroups } from './groups.ts'
import { type ProgramProcess, startProcess } from './process.ts'
import type { Tree } from './tree.ts'

const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const MAX = 100_000

const output = {
  maxLineBytes: MAX,
  onMessage: (): undefined => undefined,
  onTooLong: () => undefined,
  onText: () => undefined,
  onSpawned: () => undefined,
}
const node = (code: string) => ({ file: process.execPath, args: ['-e', code], env: {}, cwd: '/' })
const patience = { inputMs: 100, termMs: 1_000 }

async function started(
  code: string,
  onMessage: (line: Buffer) => Promise<unknown> | undefined,
): Promise<ProgramProcess> {
  const trees = await createGroups({ patience, cgroup: async () => undefined })
  later(() => trees.close())
  const tree = trees.create(1, 2 ** 40)
  const running = await startProcess(node(code), { ...output, onMessage }, { tree, patience })
  later(async () => {
    running.kill()
    await running.exited
  })
  return running
}

it('a program that cannot be held together is ended, and its start fails', async () => {
  const ended: number[] = []
  let pid = 0
  // A double: what Windows refuses is refused by no other system.
  const tree: Tree = {
    detached: false,
    env: {},
    hold(held) {
      pid = held
      throw new Error('error 5')
    },
    ask: () => false,
    kill: () => undefined,
    end: async () => void ended.push(pid),
    watch: () => () => undefined,
  }
  const start = startProcess(node('setInterval(() => undefined, 1000)'), output, { tree, patience })
  await expect(start).rejects.toThrow('error 5')
  expect(ended).toEqual([pid])
  await soon(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
})

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
