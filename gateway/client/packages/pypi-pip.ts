// Installs a Python package with pip, where uv is missing: pip resolves, and installs exactly those wheels by their hashes.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { type PackageCommand, packageName } from '../../contract/package-command.ts'
import { venvOn } from '../../instance/venv.ts'
import { useConsoleScript } from './console-script.ts'
import { foundIn } from './environment.ts'
import type { Installed, Installing } from './install.ts'
import { runTool } from './run-tool.ts'

/** Names that differ in case and separators are one. */
export const normal = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-')
/** As pip and uv read it. */
export const requirementOf = (spec: string): string => spec.replace('@', '==').replace(/==latest$/, '')

const Report = z.object({
  install: z.array(
    z.object({
      metadata: z.object({ name: z.string(), version: z.string() }),
      download_info: z.object({
        url: z.string(),
        archive_info: z
          .object({ hash: z.string().optional(), hashes: z.record(z.string(), z.string()).optional() })
          .optional(),
      }),
    }),
  ),
})

const SHA256 = /^[0-9a-f]{64}$/
/** Since this one it has the report and installs for another Python. */
const LEAST = [22, 3] as const
const WHEELS = 'Only wheels are installed, because other archives run a script of their own when they are built'
const QUIET = ['--disable-pip-version-check', '--no-input', '--quiet']
/** The person's own pip decides on the index; its habits of where to install are not for this folder. */
const OWN = {
  PIP_USER: '0',
  PIP_TARGET: undefined,
  PIP_PREFIX: undefined,
  PIP_REQUIRE_VIRTUALENV: '0',
  PIP_BREAK_SYSTEM_PACKAGES: '1',
  PYTHONDONTWRITEBYTECODE: '1',
} as const

type Locked = { readonly name: string; readonly version: string; readonly hash: string }

/** Exported for its test: what pip resolved. */
export function lockedOf(report: unknown): readonly Locked[] {
  return Report.parse(report).install.map(
    ({ metadata: { name, version }, download_info: { url, archive_info: from } }) => {
      const hash = from?.hashes?.['sha256'] ?? from?.hash?.replace(/^sha256=/, '') ?? ''
      if (!SHA256.test(hash)) throw new Error(`${name} has no sha256 in its index`)
      if (!new URL(url).pathname.endsWith('.whl')) throw new Error(`${name} is no wheel. ${WHEELS}`)
      return { name: normal(name), version, hash }
    },
  )
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1])
}

/** As a list of words: the launcher first on Windows, where `python` may be a file that only opens a shop. */
const pythonsOn = (platform: NodeJS.Platform): readonly (readonly string[])[] =>
  platform === 'win32' ? [['py', '-3'], ['python'], ['python3']] : [['python3']]
const ABOUT = "import sys; import pip; print(pip.__version__, '%d.%d' % sys.version_info[:2])"

type Run = (...args: readonly string[]) => Promise<string>

/** The first that is installed and has pip. */
async function pythonOf({ folder, env, signal }: Installing): Promise<{ python: Run; pip: string; minor: string }> {
  let isThere = false
  for (const [command = '', ...first] of pythonsOn(process.platform)) {
    const file = await foundIn(command, env, folder)
    if (file === undefined) continue
    isThere = true
    const python: Run = (...args) =>
      runTool({ file, args: [...first, ...args], cwd: folder, env: { ...env, ...OWN }, signal })
    const [pip, minor] = (await python('-c', ABOUT).catch(() => '')).trim().split(' ')
    if (pip && minor) return { python, pip, minor }
  }
  throw new Error(
    isThere
      ? 'uv is not installed, and python3 has no pip: a Python package is pinned with one of them'
      : 'neither uv nor python3 is installed: a Python package is pinned with one of them',
  )
}

/** The program of a package, below its folder. `from`: where it is on POSIX. */
export async function programOf(wanted: PackageCommand, folder: string, from: string): Promise<string> {
  const name = packageName(wanted.spec)
  const program = wanted.program ?? name
  const isWindows = process.platform === 'win32'
  const found = isWindows
    ? await useConsoleScript(folder, program, process.platform)
    : await readdir(path.join(folder, from)).catch((): string[] => [])
  if (typeof found === 'string') return found
  if (found.includes(program)) return path.posix.join(from, program)
  const list = found.filter((each) => !OF_VENV.test(each)).join(', ') || 'none'
  throw new Error(`${name} has no program ${program}. It has: ${list}. Name one with uvx --from ${name} <program>`)
}
const OF_VENV = /^(?:python|pip|activate|Activate|deactivate|pydoc)/

export async function installWithPip(wanted: PackageCommand, installing: Installing): Promise<Installed> {
  const { folder } = installing
  const { python, pip, minor } = await pythonOf(installing)
  if (isOld(pip)) throw new Error(`pip ${pip} is too old to pin a package: it needs ${LEAST.join('.')}, or uv`)
  const name = packageName(wanted.spec)
  const only = ['-m', 'pip', 'install', ...QUIET, '--only-binary', ':all:']
  const report = path.join(folder, 'report.json')
  await python(...only, '--dry-run', '--ignore-installed', '--report', report, requirementOf(wanted.spec)).catch(
    (error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : String(error)}. ${WHEELS}`, { cause: error })
    },
  )
  const all = lockedOf(JSON.parse(await readFile(report, 'utf8'))).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  await rm(report)
  const main = all.find((each) => each.name === normal(name))
  if (main === undefined) throw new Error(`pip did not resolve ${name}`)
  await writeFile(
    path.join(folder, 'requirements.txt'),
    all.map((each) => `${each.name}==${each.version} --hash=sha256:${each.hash}\n`).join(''),
  )
  const venv = path.join(folder, 'venv')
  await python('-m', 'venv', '--without-pip', venv)
  const site = venvOn(process.platform).site(minor)
  const exact = ['--require-hashes', '--no-deps', '--no-compile', '-r', 'requirements.txt']
  await mkdir(path.join(folder, site), { recursive: true })
  await python(...only, ...exact, '--target', path.join(folder, site))
  await withoutPlaces(folder)
  return {
    name,
    version: main.version,
    integrity: `sha256-${Buffer.from(main.hash, 'hex').toString('base64')}`,
    // Wheels are of one minor version of Python.
    folder: createHash('sha256')
      .update(JSON.stringify(['pip', minor, all]))
      .digest('hex'),
    program: await programOf(wanted, folder, path.posix.join(site, 'bin')),
    packages: new Map(all.map((each) => [each.name, each.version])),
    scripts: [],
  }
}

/** Removes what names the folder that it is made in: it is moved, and two installations of one lock are the same. */
async function withoutPlaces(folder: string): Promise<void> {
  const config = path.join(folder, 'venv', 'pyvenv.cfg')
  const lines = (await readFile(config, 'utf8')).split('\n').filter((line) => !line.startsWith('command ='))
  await writeFile(config, lines.join('\n'))
  const bin = path.join(folder, venvOn(process.platform).programs)
  for (const name of await readdir(bin)) if (/^(?:de)?activate/i.test(name)) await rm(path.join(bin, name))
}
