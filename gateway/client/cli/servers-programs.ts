// What the desktop window does with the programs of its computer: a bundle is added or made, a package updated or returned, a server removed. Main shows each in dialogs of its own.
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { BundleSetting, ChosenBundle, ProgramAnswer, ProgramAsk } from '../../contract/admin/server-programs.ts'
import { localName } from '../../contract/catalog-program.ts'
import type { LocalServerEntry } from '../../contract/local-servers.ts'
import { announcementsIn } from '../../instance/announcement.ts'
import { storeOf } from '../../instance/server-store.ts'
import { cleanMetadata } from '../../text/clean.ts'
import type { Bundle } from '../packages/bundle.ts'
import { withPath } from '../packages/environment.ts'
import { homeOf } from './command.ts'
import { aboutBundle, offerOfRead } from './servers-bundle.ts'
import { documentIn, dropUnused, entryNamed, judged, putEntry, shown } from './servers-file.ts'
import { proposedUpdate, rolledBack } from './servers-pin.ts'
import { type Around, dryStart, toolLines } from './servers-tools.ts'

export type Question = {
  /** To run it from now on, after its tools were seen, to fetch a newer version, to use that, or to remove it. */
  readonly purpose: 'import' | 'tools' | 'update' | 'use' | 'remove'
  readonly name: string
  readonly lines: string
}

export type ProgramParts = {
  /** The file of local servers of this desktop. */
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where commands are looked for. */
  readonly searched: () => Promise<string>
  readonly confirm: (question: Question) => Promise<boolean>
  /** Dialogs for a file; undefined where the person closes one. */
  readonly openFile: () => Promise<string | undefined>
  readonly saveFile: (proposed: string) => Promise<string | undefined>
}

const MOST_FILES = 2_000
const WITHIN_MS = 600_000
const DECLINED = { answer: 'declined' } as const

const clean = (text: string, most = 500): string => cleanMetadata(text.trim(), most)

function settingOf([key, setting]: [string, Bundle['manifest']['user_config'][string]]): BundleSetting {
  const { type, title, description, required, multiple, sensitive, default: usual } = setting
  return {
    key,
    type,
    title: clean(title ?? key),
    description: clean(typeof description === 'string' ? description : ''),
    required,
    multiple,
    sensitive,
    usual: usual === undefined || sensitive ? null : clean([usual].flat().join(', ')),
  }
}

function chosen(file: string, { manifest, members, sha256, signature }: Bundle): ChosenBundle {
  const { name, version, author, description, tools, user_config: settings } = manifest
  return {
    file,
    name: localName(name),
    title: clean(name),
    version: clean(version),
    author: clean(author.name),
    description: clean(description, 2_000),
    sha256,
    signature,
    settings: Object.entries(settings).map(settingOf),
    tools: tools.slice(0, MOST_FILES).map((tool) => clean(tool.name, 128)),
    files: members.slice(0, MOST_FILES).map(({ path: at, bytes }) => ({ path: at, bytes })),
    fileCount: members.length,
    bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

async function around({ env, searched }: ProgramParts, lines: string[]): Promise<Around> {
  return {
    env: withPath(env, await searched()),
    announcements: announcementsIn(homeOf(env)),
    signal: AbortSignal.timeout(WITHIN_MS),
    warn: (line) => void lines.push(line),
  }
}

function whole(name: string, value: object): LocalServerEntry {
  const entry = judged(name, value)
  if (typeof entry === 'string') throw new Error(`${name}: ${entry}`)
  return entry
}

async function make({ file, saveFile }: ProgramParts, name: string): Promise<ProgramAnswer> {
  const entry = entryNamed(await documentIn(file), name)
  const to = await saveFile(`${name}.mcpb`)
  if (to === undefined) return DECLINED
  const { bundleOf } = await import('../packages/bundle.ts')
  // The dialog has asked whether a file that exists is replaced.
  const part = path.join(path.dirname(to), `.${path.basename(to)}.${process.pid}.part`)
  try {
    await bundleOf(entry, storeOf(file), part)
    await rename(part, to)
  } finally {
    await rm(part, { force: true })
  }
  return { answer: 'done', name, text: to }
}

async function update(parts: ProgramParts, name: string): Promise<ProgramAnswer> {
  const { file, confirm } = parts
  const entry = entryNamed(await documentIn(file), name)
  if (!(await confirm({ purpose: 'update', name, lines: shown(entry) }))) return DECLINED
  const lines: string[] = []
  const { next, isSame, use, drop } = await proposedUpdate(await around(parts, lines), file, name)
  if (isSame) return { answer: 'same', text: next.version }
  if (!(await confirm({ purpose: 'use', name, lines: lines.join('\n') }))) {
    await drop()
    return DECLINED
  }
  await use()
  return { answer: 'done', name, text: next.version }
}

async function remove({ file, confirm }: ProgramParts, name: string): Promise<ProgramAnswer> {
  const entry = entryNamed(await documentIn(file), name)
  if (!(await confirm({ purpose: 'remove', name, lines: shown(entry) }))) return DECLINED
  await putEntry(file, name, undefined)
  return { answer: 'done', name, text: '' }
}

export function createPrograms(parts: ProgramParts) {
  const { file, env, confirm, openFile } = parts
  /** The one that the person chose last. It is added as it was read then, also after its file changed. */
  let held: Bundle | undefined

  async function choose(): Promise<ProgramAnswer> {
    const from = await openFile()
    if (from === undefined) return DECLINED
    const { readBundle } = await import('../packages/bundle.ts')
    held = await readBundle(from)
    return { answer: 'chosen', bundle: chosen(from, held) }
  }

  async function add({ sha256, name, ...given }: Extract<ProgramAsk, { ask: 'import' }>): Promise<ProgramAnswer> {
    const bundle = held
    if (bundle?.sha256 !== sha256) throw new Error('Choose the bundle again')
    if (Object.hasOwn((await documentIn(file)).mcpServers, name))
      throw new Error(`There is a local server ${name} already: remove it first, or choose another name`)
    const own = { store: storeOf(file), home: homeOf(env), extra: [] }
    const { value, notes, install } = await offerOfRead({ bundle, ...own, ...given })
    const noted = notes.map((note) => `  note      ${note}`)
    const lines = [...aboutBundle(bundle), shown(whole(name, value)), ...noted].join('\n')
    if (install === undefined || !(await confirm({ purpose: 'import', name, lines }))) return DECLINED
    const made = await install()
    const entry = { ...value, ...made }
    const tools = toolLines(await dryStart(await around(parts, []), file, whole(name, entry))).join('\n')
    if (!(await confirm({ purpose: 'tools', name, lines: tools }))) {
      await dropUnused(file, made.bundle.folder)
      return DECLINED
    }
    await putEntry(file, name, entry)
    held = undefined
    return { answer: 'done', name, text: bundle.manifest.version }
  }

  return async function answer(asked: ProgramAsk): Promise<ProgramAnswer> {
    switch (asked.ask) {
      case 'choose':
        return choose()
      case 'import':
        return add(asked)
      case 'export':
        return make(parts, asked.name)
      case 'update':
        return update(parts, asked.name)
      case 'rollback':
        return { answer: 'done', name: asked.name, text: (await rolledBack(file, asked.name)).version }
      case 'remove':
        return remove(parts, asked.name)
    }
  }
}
