// Access lists as Wine makes them from the modes of Linux: read by the functions of Windows, and judged by what reads the file of local servers.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inWine, runInWine, windowsPath } from './wine.fixture.ts'

describe.skipIf(inWine !== '')(`the file of local servers on Windows${inWine}`, () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'gantry-acl-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is read where this user alone may write it and its folder, and refused with a command elsewhere', async () => {
    const asked = [
      ['own', 0o700, 0o600],
      ['readable', 0o755, 0o644],
      ['open', 0o700, 0o666],
      ['folder', 0o777, 0o600],
    ] as const
    for (const [name, mode, fileMode] of asked) {
      await mkdir(path.join(folder, name))
      await writeFile(path.join(folder, name, 'servers.json'), `{"mcpServers":{}}`)
      await chmod(path.join(folder, name, 'servers.json'), fileMode)
      await chmod(path.join(folder, name), mode)
    }
    const program = path.join(folder, 'read.ts')
    const module = path.join(import.meta.dirname, '../instance/local-servers-file.ts')
    await writeFile(
      program,
      `import { readServersFile } from ${JSON.stringify(`file:///${windowsPath(module).replaceAll('\\', '/')}`)}
for (const file of process.argv.slice(2))
  console.log(JSON.stringify(await readServersFile(file).catch((error) => error.message) ?? null))`,
    )
    const files = [...asked.map(([name]) => name), 'none'].map((name) => path.join(folder, name, 'servers.json'))
    const lines = (await runInWine(program, files.map(windowsPath))).trim().split(/\r?\n/)
    const answers = lines.flatMap((line) => (line.startsWith('"') || line === 'null' ? [JSON.parse(line)] : []))
    expect(answers).toEqual([
      '{"mcpServers":{}}',
      '{"mcpServers":{}}',
      expect.stringMatching(
        /^others may write it \(Everyone\)\. Run: icacls "Z:.*\\open\\servers\.json" \/inheritance:r /,
      ),
      expect.stringMatching(
        /^its folder: others may write it \(Everyone\)\. Run: icacls "Z:.*\\folder" .*\(OI\)\(CI\)F/,
      ),
      null,
    ])
  }, 180_000)
})
