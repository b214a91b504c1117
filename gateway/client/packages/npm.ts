// Installs one npm package with its dependencies, without running any script, from the registry that the person's npm uses.
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { type PackageCommand, packageName } from '../../contract/package-command.ts'
import type { Installed, Installing } from './install.ts'
import { runTool } from './run-tool.ts'

const Locked = z.object({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  hasInstallScript: z.boolean().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
})
const Lock = z.object({ packages: z.record(z.string(), Locked) })
const Manifest = z.object({
  version: z.string(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
})
const STRONG = /^sha512-/
const LOCK = 'package-lock.json'

const json = async <T>(schema: z.ZodType<T>, file: string): Promise<T> =>
  schema.parse(JSON.parse(await readFile(file, 'utf8')))

/** The program that npx would run. */
function programOf(name: string, bin: z.infer<typeof Manifest>['bin'], asked: string | null): string {
  const own = name.split('/').at(-1) ?? name
  const programs = new Map(typeof bin === 'string' ? [[own, bin]] : Object.entries(bin ?? {}))
  const [first] = programs.size === 1 ? programs.values() : []
  const file = asked === null ? (programs.get(own) ?? first) : programs.get(asked)
  if (file !== undefined) return path.posix.join('node_modules', name, file)
  const list = [...programs.keys()].join(', ') || 'none'
  throw new Error(`${name} has no program ${asked ?? own}. It has: ${list}. Name one with npx -p ${name} <program>`)
}

/** Each package comes from a registry with a strong hash, which npm has compared. */
function requireIntegrity(packages: ReadonlyMap<string, z.infer<typeof Locked>>): void {
  // A bundled package is inside the tarball of its parent.
  for (const [at, { integrity, link, inBundle }] of packages)
    if (link || (!inBundle && !STRONG.test(integrity ?? '')))
      throw new Error(`${at} has no sha512 integrity: it does not come from a registry, or from a very old one`)
}

export async function installNpm(wanted: PackageCommand, { folder, env, signal }: Installing): Promise<Installed> {
  const name = packageName(wanted.spec)
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n')
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  await runTool({
    file: 'npm',
    args: [...args, '--install-strategy=hoisted', '--', wanted.spec],
    cwd: folder,
    env,
    signal,
  })
  const { packages } = await json(Lock, path.join(folder, LOCK))
  // They name this folder and, with a full cache, no registry: one lock would be another tree each time, and its first entry refused.
  for (const file of [LOCK, path.join('node_modules', '.package-lock.json')])
    await rm(path.join(folder, file), { force: true })
  const all = new Map(Object.entries(packages).filter(([at]) => at !== ''))
  const main = all.get(`node_modules/${name}`)
  if (main?.integrity === undefined) throw new Error(`npm did not install ${name}`)
  requireIntegrity(all)
  const { version, bin } = await json(Manifest, path.join(folder, 'node_modules', name, 'package.json'))
  const lines = [...all.keys()].sort().map((at) => [at, all.get(at)?.version, all.get(at)?.integrity])
  return {
    name,
    version,
    integrity: main.integrity,
    folder: createHash('sha256')
      .update(JSON.stringify(['npm', lines]))
      .digest('hex'),
    program: programOf(name, bin, wanted.program),
    packages: new Map([...all].map(([at, each]) => [at.replace(/^.*node_modules\//, ''), each.version ?? ''])),
    scripts: [...all].flatMap(([at, each]) => (each.hasInstallScript ? [at.replace(/^.*node_modules\//, '')] : [])),
  }
}
