// The store of installed servers beside the file of local servers: `servers/<hash>`, one folder for each lock, never changed once it is there.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdir, readdir, readlink, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { LocalServerEntry } from '../contract/local-servers.ts'
import { packageIn } from '../contract/package-command.ts'
import { renameWhole } from './rename-whole.ts'
import { placeFault } from './trusted-place.ts'
import { venvOn } from './venv.ts'

const AGAIN = 'Install it again: gantry servers pin, or gantry servers add --bundle'

export const storeOf = (file: string): string => path.join(path.dirname(file), 'servers')

async function fileHash(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Byte code that Python writes as it runs belongs to no package. */
const isCache = (name: string): boolean => name === '__pycache__'

/** As on every system. */
const linkText = (to: string): string => (path.sep === '\\' ? to.replaceAll('\\', '/') : to)

/** Over the names, kinds and contents of every file below a folder. */
export async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256')
  async function visit(below: string): Promise<void> {
    const names = (await readdir(path.join(folder, below))).filter((name) => !isCache(name)).sort()
    for (const name of names) {
      const at = path.posix.join(below, name)
      const full = path.join(folder, at)
      const stats = await lstat(full)
      if (stats.isDirectory()) await visit(at)
      else if (stats.isSymbolicLink()) hash.update(JSON.stringify([at, 'link', linkText(await readlink(full))]))
      else if (stats.isFile())
        hash.update(JSON.stringify([at, (stats.mode & 0o111) === 0 ? 'file' : 'program', await fileHash(full)]))
    }
  }
  await visit('')
  return hash.digest('hex')
}

/** What an entry with an installed package runs: one process of node or Python. Undefined for one that runs as the file has it; a sentence where it cannot run. */
export function packedProgram(
  store: string,
  { pin, command, args }: Pick<LocalServerEntry, 'pin' | 'command' | 'args'>,
): { readonly command: string; readonly args: readonly string[] } | string | undefined {
  if (pin === undefined) return undefined
  const wanted = packageIn({ command, args })
  if (typeof wanted !== 'object') return wanted ?? 'it has no package'
  const at = path.join(store, pin.folder)
  const interpreter = wanted.from === 'npm' ? 'node' : path.join(at, venvOn(process.platform).python)
  return { command: interpreter, args: [path.join(at, pin.program), ...wanted.args] }
}

/** Why an installed server may not run, or nothing. */
export async function storeFault(
  store: string,
  { folder, digest }: { readonly folder: string; readonly digest: string },
): Promise<string | undefined> {
  const at = path.join(store, folder)
  for (const each of [store, at]) {
    const stats = await lstat(each).catch(() => undefined)
    if (!stats?.isDirectory()) return `its package is not installed in ${at}. ${AGAIN}`
    const fault = placeFault(each, stats)
    if (fault !== undefined) return `${each}: ${fault}`
  }
  return (await digestOf(at)) === digest ? undefined : `the installed package in ${at} was changed since. ${AGAIN}`
}

/** Moves what `install` made into the store; the folder is named by its result. A folder that is there already is replaced: it may be damaged. */
export async function putInStore<T extends { readonly folder: string }>(
  store: string,
  install: (folder: string) => Promise<T>,
): Promise<T & { readonly digest: string }> {
  await mkdir(store, { recursive: true, mode: 0o700 })
  const making = path.join(store, `.making-${process.pid}-${Date.now()}`)
  await mkdir(making, { mode: 0o700 })
  try {
    const made = await install(making)
    const digest = await digestOf(making)
    const at = path.join(store, made.folder)
    if ((await storeFault(store, { folder: made.folder, digest })) !== undefined) {
      await rm(at, { recursive: true, force: true })
      await renameWhole(making, at)
    }
    return { ...made, digest }
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}
