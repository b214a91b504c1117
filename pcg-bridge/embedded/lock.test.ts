// Two processes and one project: the second receives the name of the first, and a killed one leaves nothing locked.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { openEmbeddedEditor } from './index.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'pcg-lock-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Another process that has the project open until it is killed. */
async function aHolder(): Promise<{ readonly pid: number; readonly kill: () => Promise<void> }> {
  const source = `
    import { openEmbeddedEditor } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
    await openEmbeddedEditor({ directory: ${JSON.stringify(directory)} })
    console.log('open')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return {
    pid: child.pid ?? 0,
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

it('a second process is refused with the owner of the project and what to do; the project is not changed', async () => {
  const { pid } = await aHolder()
  await expect(openEmbeddedEditor({ directory })).rejects.toMatchObject({
    code: 'EDITOR_UNAVAILABLE',
    message: expect.stringMatching(new RegExp(`open in process ${pid} since .*: close it there`)),
  })
})

it('kill -9 leaves no lock behind', async () => {
  const holder = await aHolder()
  await holder.kill()
  const editor = await openEmbeddedEditor({ directory })
  onTestFinished(() => editor.close())
  expect(editor.state().project).toBe(path.basename(directory))
})

it('the same process cannot open it twice either, and can again once it was closed', async () => {
  const first = await openEmbeddedEditor({ directory })
  await expect(openEmbeddedEditor({ directory })).rejects.toMatchObject({
    message: expect.stringContaining('this very process'),
  })
  await first.close()
  await (await openEmbeddedEditor({ directory })).close()
})
