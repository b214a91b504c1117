import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { changedFiles, listed, startedWith } from './changed.ts'

const root = path.resolve(import.meta.dirname, '..')

it.each([
  ['renderer/ui/button.tsx', ['e2e/desktop/', 'e2e/ui/']],
  ['vite.renderer.config.ts', ['e2e/ui/']],
  ['main/tray-menu.ts', ['e2e/desktop/']],
  ['preload/index.ts', ['e2e/desktop/']],
  ['gateway/serve.ts', ['e2e/scenarios/']],
  ['gateway/gantry.ts', ['e2e/scenarios/', 'gateway/client/cli/']],
  ['gateway/storage/upkeep-worker.ts', ['gateway/storage/']],
  ['pcg-bridge/embedded/generation/run-worker.ts', ['pcg-bridge/embedded/']],
  ['pcg-bridge/unreal/runtime/run.py', ['pcg-bridge/unreal/']],
  // Imported by the tests that it can reach.
  ['gateway/http/server.ts', []],
  ['renderer/ui/format.test.ts', []],
  ['README.md', []],
])('a change of %s reaches %j beyond imports', (file, tests) => {
  expect(startedWith([file])).toEqual(tests)
})

it('every folder that a change reaches beyond imports exists, each once', () => {
  const folders = startedWith(['renderer/pages.ts', 'renderer/app.tsx', 'main/index.ts', 'gateway/gantry.ts'])
  expect(folders).toEqual(['e2e/desktop/', 'e2e/scenarios/', 'e2e/ui/', 'gateway/client/cli/'])
  for (const folder of folders) expect(existsSync(path.join(root, folder)), folder).toBe(true)
})

it('files that are changed, staged, new, or came after a commit are found; ignored ones are not', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-changed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x.test', ...args], { cwd: folder })
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
  const commit = (message: string) => git('commit', '-qm', message)
  git('init', '-q')
  for (const name of ['committed', 'changed', 'staged']) write(name, '1')
  write('.gitignore', 'ignored\n')
  git('add', '.')
  commit('first')
  write('committed', '2')
  git('add', '.')
  commit('second')
  write('changed', '2')
  write('staged', '2')
  git('add', 'staged')
  write('new', '1')
  write('ignored', '1')
  expect(changedFiles(folder, undefined)).toEqual(['changed', 'staged', 'new'])
  expect(changedFiles(folder, 'HEAD~1')).toEqual(['changed', 'committed', 'staged', 'new'])
})

it('the tests of a folder are listed as files of the project', () => {
  const files = listed(root, ['e2e/ui/', 'main/'])
  expect(files).toContain('e2e/ui/tools.test.ts')
  expect(files).toContain('main/tray-menu.test.ts')
  expect(files.filter((file) => !/^(?:e2e\/ui|main)\/.*\.test\.ts$/.test(file))).toEqual([])
})
