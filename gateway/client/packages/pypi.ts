// Installs one Python package with its dependencies from wheels, with the hashes that uv or pip resolved: no build script runs.
import { createHash } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type PackageCommand, packageName } from '../../contract/package-command.ts'
import { fileOf } from '../../instance/program-file.ts'
import type { Installed, Installing } from './install.ts'
import { installWithPip, normal, requirementOf } from './pypi-pip.ts'
import { runTool } from './run-tool.ts'

/** `name==1.2.3` with a list of hashes, as uv writes it. */
const LINE = /^([\w.-]+)(?:\[[^\]]*\])?==([^\s\\;]+)/
const HASH = /--hash=sha256:([0-9a-f]{64})/g

type Locked = { readonly name: string; readonly version: string; readonly hashes: readonly string[] }

/** Exported for its test: what uv resolved. */
export function lockedIn(text: string): readonly Locked[] {
  return text
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [, name, version] = LINE.exec(line) ?? []
      if (name === undefined || version === undefined) return []
      return [{ name: normal(name), version, hashes: [...line.matchAll(HASH)].map(([, hash = '']) => hash).sort() }]
    })
}

export async function installPypi(wanted: PackageCommand, installing: Installing): Promise<Installed> {
  const searched = installing.env['PATH'] ?? ''
  const has = async (tool: string): Promise<boolean> => (await fileOf(tool, searched, installing.folder)) !== undefined
  if (await has('uv')) return installWithUv(wanted, installing)
  if (await has('python3')) return installWithPip(wanted, installing)
  throw new Error('neither uv nor python3 is installed: a Python package is pinned with one of them')
}

async function installWithUv(wanted: PackageCommand, { folder, env, signal }: Installing): Promise<Installed> {
  const uv = (...args: readonly string[]) =>
    runTool({ file: 'uv', args: [...args, '--quiet', '--no-config'], cwd: folder, env, signal })
  const name = packageName(wanted.spec)
  const lock = path.join(folder, 'requirements.txt')
  await writeFile(path.join(folder, 'wanted.in'), `${requirementOf(wanted.spec)}\n`)
  await uv('venv', '--relocatable', '--no-project', path.join(folder, 'venv'))
  const python = path.join(folder, 'venv', 'bin', 'python')
  const only = ['--only-binary', ':all:', '--python', python]
  const text = await uv('pip', 'compile', ...only, '--generate-hashes', '--no-header', '--no-annotate', 'wanted.in')
  await writeFile(lock, text)
  await uv('pip', 'install', ...only, '--require-hashes', '--no-deps', '--link-mode', 'copy', '-r', lock)
  const all = lockedIn(text)
  const main = all.find((each) => each.name === normal(name))
  const hash = main?.hashes[0]
  if (main === undefined || hash === undefined) throw new Error(`uv did not install ${name}`)
  const program = wanted.program ?? name
  const programs = await readdir(path.join(folder, 'venv', 'bin'))
  if (!programs.includes(program))
    throw new Error(`${name} has no program ${program}. Name one with uvx --from ${name} <program>`)
  return {
    name,
    version: main.version,
    // Of all its wheels: which one fits is known to uv, which compares it.
    integrity: `sha256-${createHash('sha256').update(main.hashes.join()).digest('base64')}`,
    folder: createHash('sha256')
      .update(JSON.stringify(['pypi', all]))
      .digest('hex'),
    program: `venv/bin/${program}`,
    packages: new Map(all.map((each) => [each.name, each.version])),
    scripts: [],
  }
}
