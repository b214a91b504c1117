// Installs one Python package with its dependencies from wheels, with the hashes that uv or pip resolved: no build script runs.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type PackageCommand, packageName } from '../../contract/package-command.ts'
import { venvOn } from '../../instance/venv.ts'
import { foundIn } from './environment.ts'
import type { Installed, Installing } from './install.ts'
import { installWithPip, normal, programOf, requirementOf } from './pypi-pip.ts'
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
  const { env, folder } = installing
  if ((await foundIn('uv', env, folder)) !== undefined) return installWithUv(wanted, installing)
  return installWithPip(wanted, installing)
}

async function installWithUv(wanted: PackageCommand, { folder, env, signal }: Installing): Promise<Installed> {
  const uv = (...args: readonly string[]) =>
    runTool({ file: 'uv', args: [...args, '--quiet', '--no-config'], cwd: folder, env, signal })
  const name = packageName(wanted.spec)
  const lock = path.join(folder, 'requirements.txt')
  await writeFile(path.join(folder, 'wanted.in'), `${requirementOf(wanted.spec)}\n`)
  await uv('venv', '--relocatable', '--no-project', path.join(folder, 'venv'))
  const python = path.join(folder, venvOn(process.platform).python)
  const only = ['--only-binary', ':all:', '--python', python]
  const text = await uv('pip', 'compile', ...only, '--generate-hashes', '--no-header', '--no-annotate', 'wanted.in')
  await writeFile(lock, text)
  await uv('pip', 'install', ...only, '--require-hashes', '--no-deps', '--link-mode', 'copy', '-r', lock)
  const all = lockedIn(text)
  const main = all.find((each) => each.name === normal(name))
  const hash = main?.hashes[0]
  if (main === undefined || hash === undefined) throw new Error(`uv did not install ${name}`)
  return {
    name,
    version: main.version,
    // Of all its wheels: which one fits is known to uv, which compares it.
    integrity: `sha256-${createHash('sha256').update(main.hashes.join()).digest('base64')}`,
    folder: createHash('sha256')
      .update(JSON.stringify(['pypi', all]))
      .digest('hex'),
    program: await programOf(wanted, folder, venvOn(process.platform).programs),
    packages: new Map(all.map((each) => [each.name, each.version])),
    scripts: [],
  }
}
