import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { zipOf } from './zip.ts'

it('makes a file that others unpack', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-zip-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = [
    { path: '.env.example', text: 'A=\n' },
    { path: 'gantry.yaml', text: 'name: "größe 猫"\n'.repeat(500) },
    { path: 'empty', text: '' },
  ]
  const zip = zipOf(files.map(({ path: name, text }) => ({ path: `gantry/${name}`, text })))
  const file = path.join(folder, 'a.zip')
  writeFileSync(file, zip)
  // Python reads names, sizes and checksums strictly.
  const script =
    'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])'
  execFileSync('python3', ['-c', script, file, folder])
  for (const { path: name, text } of files) expect(readFileSync(path.join(folder, 'gantry', name), 'utf8')).toBe(text)
})
