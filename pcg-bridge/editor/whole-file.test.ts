// A process killed while it saves, over and over: the file is the old or the new text, whole.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { writeWhole } from './whole-file.ts'

const isLong = process.env.GANTRY_FUZZ_RUNS !== undefined || process.env.GANTRY_FUZZ_MINUTES !== undefined
const KILLS = isLong ? 50 : 12
/** Large enough that most kills fall into a write. */
const LETTERS = 400_000

it(`a kill during a save leaves the old or the new text, ${KILLS} times (security case PC-22; in the long mode: 50)`, {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-whole-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'asset.json')
  await writeWhole(file, `0${'x'.repeat(LETTERS)}0`)
  const script = `
    const { writeWhole } = await import(${JSON.stringify(path.join(import.meta.dirname, 'whole-file.ts'))})
    for (let at = 1; ; at++) {
      await writeWhole(${JSON.stringify(file)}, at + 'x'.repeat(${LETTERS}) + at)
      if (at === 1) process.stdout.write('saving')
    }`
  let newest = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    await new Promise((resolve) => setTimeout(resolve, kill % 10))
    child.kill('SIGKILL')
    await once(child, 'exit')
    const [, before, after] = /^(\d+)x+(\d+)$/.exec(readFileSync(file, 'utf8')) ?? []
    expect([before, readFileSync(file, 'utf8').length]).toEqual([after, LETTERS + 2 * String(before).length])
    newest = Math.max(newest, Number(before))
  }
  expect(newest).toBeGreaterThan(0)
})
