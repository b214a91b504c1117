// Programs of Python packages as they are on Windows, in a folder with its layout: the script runs in the Python of this machine.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { consoleScriptsIn, useConsoleScript } from './console-script.ts'

const ENTRY_POINTS =
  '[gui_scripts]\nwindow = notes.app:main\n\n[console_scripts]\nnotes-server = notes.app : Server.run [fast]\n'
const MODULE = 'import sys\nclass Server:\n    def run():\n        print("ran", sys.argv[1])\n        return 3\n'
const python = ['python3', 'python'].find((each) => spawnSync(each, ['--version']).status === 0)
const folders: string[] = []
afterAll(() => Promise.all(folders.map((each) => rm(each, { recursive: true, force: true }))))

/** As uv or pip leave it there. */
async function installed(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gantry-scripts-'))
  folders.push(folder)
  const files: Readonly<Record<string, string>> = {
    'venv/Lib/site-packages/notes/__init__.py': '',
    'venv/Lib/site-packages/notes/app.py': MODULE,
    'venv/Lib/site-packages/notes-1.0.dist-info/entry_points.txt': ENTRY_POINTS,
    'venv/Lib/site-packages/words-1.0.dist-info/METADATA': '',
    'venv/Lib/site-packages/bin/notes-server.exe': 'MZ of C:\\making-1',
    'venv/Scripts/notes-server.exe': 'MZ of C:\\making-1',
    'venv/Scripts/python.exe': 'MZ',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
  return folder
}

describe('the program of a Python package on Windows', () => {
  it(`is a script in place of the .exe file, and runs the same${python ? '' : ' (skipped: no Python)'}`, async () => {
    const folder = await installed()
    const file = await useConsoleScript(folder, 'notes-server', 'win32')
    expect(file).toBe('venv/Scripts/notes-server-script.py')
    expect((await readdir(path.join(folder, 'venv/Scripts'))).sort()).toEqual(['notes-server-script.py', 'python.exe'])
    expect(existsSync(path.join(folder, 'venv/Lib/site-packages/bin'))).toBe(false)
    if (python === undefined) return
    const env = { ...process.env, PYTHONPATH: path.join(folder, 'venv/Lib/site-packages') }
    const { status, stdout } = spawnSync(python, [path.join(folder, String(file)), 'here'], { env, encoding: 'utf8' })
    expect([status, stdout.trim()]).toEqual([3, 'ran here'])
  })

  it('with another name is refused with the names that it has, and nothing is removed', async () => {
    const folder = await installed()
    expect(await useConsoleScript(folder, 'window', 'win32')).toEqual(['notes-server'])
    expect(existsSync(path.join(folder, 'venv/Scripts/notes-server.exe'))).toBe(true)
  })

  it.each([
    ['code in place of a module', 'x = os; import evil:main'],
    ['code in place of an object', 'x = notes.app:main(); evil'],
    ['no object', 'x = notes.app'],
    ['no name', '= notes.app:main'],
  ])('is no entry with %s', (_what, line) => {
    expect(consoleScriptsIn(`[console_scripts]\n${line}\n`).size).toBe(0)
  })
})
