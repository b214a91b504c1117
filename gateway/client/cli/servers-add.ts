// Adds and removes a local server, after its whole command was shown.
import { readFileSync } from 'node:fs'
import { packageIn } from '../../contract/package-command.ts'
import type { Context } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit.ts'
import { entryOfCatalog } from './servers-catalog.ts'
import { documentIn, fileOf, judged, putEntry, shown } from './servers-file.ts'
import { installed } from './servers-pin.ts'

function entryIn(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('@') ? readFileSync(text === '@-' ? 0 : text.slice(1), 'utf8') : text)
  } catch {
    throw new UsageError('--entry must be a JSON object, or @file')
  }
}

/** Of the words after `--`, of `--entry`, or of the catalogue. */
async function given(context: Context): Promise<unknown> {
  const { maybe, text } = context
  const words: string[] = []
  for (let at = 1; ; at += 1) {
    const word = maybe(at)
    if (word === undefined) break
    words.push(word)
  }
  const entry = text('entry')
  const listed = text('catalog')
  if (listed !== undefined) {
    if (entry !== undefined) throw new UsageError('give --entry or --catalog, not both')
    return entryOfCatalog(context, listed, words)
  }
  if (words.length > 0 && entry !== undefined) throw new UsageError('give --entry or a command, not both')
  if (entry !== undefined) return entryIn(entry)
  if (words.length === 0) throw new UsageError('the command is missing: -- command…, or --entry {"command": "…"}')
  return { command: words[0], args: words.slice(1) }
}

/** Shows it, asks, installs its package, and writes it. False where the person does not agree. */
export async function addEntry(context: Context, file: string, name: string, value: object): Promise<boolean> {
  const { warn, flag, ask } = context
  const entry = judged(name, value)
  if (typeof entry === 'string') throw new UsageError(`${name}: ${entry}`)
  const { mcpServers } = await documentIn(file)
  warn(`${name in mcpServers ? 'Replaces' : 'Adds'} the local server ${name} in ${file}:`)
  warn(shown(entry))
  if (!(await ask('Run this program on this computer? [y/N] '))) return false
  const wanted = flag('no-pin') || entry.pin !== undefined ? undefined : packageIn(entry)
  if (typeof wanted === 'string') throw new UsageError(`${wanted}. Nothing was changed; --no-pin runs it as it is`)
  const pin = wanted && (await installed(context, file, wanted))
  await putEntry(file, name, pin ? { ...value, pin } : value)
  return true
}

export async function add(context: Context): Promise<ExitCode | undefined> {
  const { arg, tell } = context
  const name = arg(0)
  const file = fileOf(context)
  const value = await given(context)
  if (typeof value !== 'object' || value === null) throw new UsageError('--entry must be a JSON object, or @file')
  if (!(await addEntry(context, file, name, value))) {
    tell({ added: null }, 'nothing was changed')
    return EXIT.failed
  }
  tell({ added: name, file }, `${name} is in ${file}; a running gateway has it within a second`)
  return undefined
}

export async function remove(context: Context): Promise<ExitCode | undefined> {
  const { arg, tell } = context
  const name = arg(0)
  const file = fileOf(context)
  const { mcpServers } = await documentIn(file)
  if (!Object.hasOwn(mcpServers, name)) {
    tell({ removed: null }, `there is no local server ${name} in ${file}`)
    return EXIT.failed
  }
  await putEntry(file, name, undefined)
  tell({ removed: name, file }, `${name} is removed from ${file}; its processes end within seconds`)
  return undefined
}
