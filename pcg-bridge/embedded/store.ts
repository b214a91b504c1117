// The project on disk: loads every asset, renames a file that it cannot read, writes each file whole or not at all.
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { z } from 'zod'
import { ASSET_SUFFIX, assetFile, assetKey, contentPath, contentPathOf, LEVEL_SUFFIX } from '../editor/content-path.ts'
import { AssetDoc, firstLevel, LevelDoc, ProjectDoc } from '../editor/document.ts'
import { writeWhole } from '../editor/whole-file.ts'
import { createSources } from './sources.ts'

export type Unreadable = { readonly file: string; readonly reason: string }
export type Asset = { readonly path: string; readonly doc: AssetDoc }

export type Store = {
  readonly directory: string
  readonly project: ProjectDoc
  /** By asset key. */
  readonly assets: Map<string, Asset>
  level: LevelDoc
  readonly levelPath: string
  readonly unreadable: Unreadable[]
  /** Tables and pictures that graphs name. */
  readonly sources: ReturnType<typeof createSources>
  saveAsset(asset: Asset): Promise<string | null>
  /** `after`: not before that. */
  saveLevel(after?: Promise<unknown>): Promise<string | null>
  /** Waits for the writes that have been asked for. */
  settle(): Promise<void>
}

async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    // A link could lead out of the project: neither followed nor read.
    if (entry.isDirectory()) found.push(...(await filesBelow(file)))
    else if (entry.isFile()) found.push(file)
  }
  return found.sort()
}

type Read<T> = { readonly doc: T } | { readonly reason: string }
async function read<S extends z.ZodType>(file: string, schema: S): Promise<Read<z.output<S>>> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(file, 'utf8')))
    if (parsed.success) return { doc: parsed.data }
    const issue = parsed.error.issues[0]
    return { reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not in the expected form'}` }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}

const UNREADABLE = /\.unreadable(-\d+)?$/

async function renameUnreadable(file: string, taken: readonly string[]): Promise<string> {
  let renamed = `${file}.unreadable`
  for (let n = 2; taken.includes(renamed); n++) renamed = `${file}.unreadable-${n}`
  await rename(file, renamed)
  return renamed
}

async function openProject(directory: string): Promise<ProjectDoc> {
  const file = path.join(directory, 'project.json')
  const found = await read(file, ProjectDoc)
  if ('doc' in found) return found.doc
  const fresh: ProjectDoc = { name: path.basename(directory), plugins: { PCG: true }, level: '/Game/Maps/Main' }
  try {
    await renameUnreadable(file, [])
  } catch {
    // There was none: a new project.
  }
  await writeWhole(file, JSON.stringify(fresh, null, 2))
  return fresh
}

export async function openStore(directory: string): Promise<Store> {
  await mkdir(path.join(directory, 'Content'), { recursive: true, mode: 0o700 })
  const project = await openProject(directory)
  const assets = new Map<string, Asset>()
  const unreadable: Unreadable[] = []
  const files = await filesBelow(path.join(directory, 'Content'))
  const shown = (file: string) => path.relative(directory, file)

  for (const file of files) {
    if (file.endsWith('.tmp')) await rm(file, { force: true })
    else if (UNREADABLE.test(file)) unreadable.push({ file: shown(file), reason: 'renamed at an earlier start' })
    else if (file.endsWith(ASSET_SUFFIX)) {
      const content = contentPathOf(directory, file)
      const found = content === undefined ? { reason: 'its name is no content path' } : await read(file, AssetDoc)
      const twin = content !== undefined && assets.has(assetKey(content))
      if (content !== undefined && 'doc' in found && !twin)
        assets.set(assetKey(content), { path: content, doc: found.doc })
      else
        unreadable.push({
          file: shown(await renameUnreadable(file, files)),
          reason: 'reason' in found ? found.reason : 'another asset has this name in other case',
        })
    }
  }

  const levelPath = contentPath(project.level)
  const levelFile = assetFile(directory, levelPath, LEVEL_SUFFIX)
  const found = await read(levelFile, LevelDoc)
  if ('reason' in found && files.includes(levelFile))
    unreadable.push({ file: shown(await renameUnreadable(levelFile, files)), reason: found.reason })

  let writes: Promise<unknown> = Promise.resolve()
  /** In the order asked for, so that an older state never lands on a newer one. */
  function save(file: string, doc: () => unknown, after?: Promise<unknown>): Promise<string | null> {
    const text = after ? null : JSON.stringify(doc(), null, 1)
    const done = writes.then(async () => {
      try {
        await after
        await writeWhole(file, text ?? JSON.stringify(doc(), null, 1))
        return null
      } catch (error) {
        return `The file could not be written: ${error instanceof Error ? error.message : String(error)}`
      }
    })
    writes = done
    return done
  }
  const store: Store = {
    directory,
    project,
    assets,
    level: 'doc' in found ? found.doc : firstLevel(),
    levelPath,
    unreadable,
    sources: createSources(directory),
    saveAsset: (asset) => save(assetFile(directory, asset.path), () => asset.doc),
    saveLevel: (after) => save(levelFile, () => store.level, after),
    settle: async () => {
      await writes
    },
  }
  if (!('doc' in found)) await store.saveLevel()
  return store
}
