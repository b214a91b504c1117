// The texts that run inside an editor: two constants and base64 between them, so that no input can become code.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { PcgError } from '../editor/editor.ts'
import { isRecord, type Json, parseBounded } from './bounded-json.ts'

/** SHA-256 of the joined program. A test names the new value after an intended change. */
export const RUNTIME_SHA256 = '3a62e4f08e447dbb9a119f0ff8b3e2612d48627c863bc77bfe5d9b9a3ceca34a'

const PARTS = [
  new URL('./runtime/1_values.py', import.meta.url),
  new URL('./runtime/2_takes.py', import.meta.url),
  new URL('./runtime/3_graphs.py', import.meta.url),
  new URL('./runtime/3_transfer.py', import.meta.url),
  new URL('./runtime/4_world.py', import.meta.url),
  new URL('./runtime/4_level.py', import.meta.url),
  new URL('./runtime/5_parameters.py', import.meta.url),
  new URL('./runtime/5_picture.py', import.meta.url),
  new URL('./runtime/6_tools.py', import.meta.url),
  new URL('./runtime/6_turns.py', import.meta.url),
  new URL('./runtime/6_watch.py', import.meta.url),
  new URL('./runtime/7_door.py', import.meta.url),
] as const

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function runtimeText(): string {
  try {
    return PARTS.map((part) => readFileSync(part, 'utf8').replaceAll('\r\n', '\n')).join('\n')
  } catch {
    throw new PcgError('EDITOR_ERROR', 'The program for the editor is missing: install Gantry again')
  }
}

const MODULE = 'gantry_pcg'
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Base64 in quotes is the only place where something varies: its alphabet has no way out of a Python string. */
function quoted(text: string): string {
  const encoded = Buffer.from(text, 'utf8').toString('base64')
  if (!BASE64.test(encoded)) throw new PcgError('EDITOR_ERROR', 'The arguments could not be encoded')
  return `'${encoded}'`
}

/** Puts the program into the editor; the same text every time. Refuses to send one that is not as it was tested. */
export function loadProgram(text = runtimeText(), expected = RUNTIME_SHA256): string {
  if (sha256(text) !== expected)
    throw new PcgError('EDITOR_ERROR', 'The program for the editor was changed on disk: install Gantry again')
  return [
    'import base64, hashlib, sys, types',
    `source = base64.b64decode(${quoted(text)})`,
    `module = types.ModuleType('${MODULE}')`,
    'module.RUNTIME_HASH = hashlib.sha256(source).hexdigest()',
    `exec(compile(source, '${MODULE}', 'exec'), module.__dict__)`,
    `sys.modules['${MODULE}'] = module`,
    "print('@gantry loaded 1/1 ' + module.RUNTIME_HASH)",
  ].join('\n')
}

export type TurnOf = { readonly id: string; readonly title: string; readonly idle: number }
export type Request = {
  readonly id: string
  readonly session: string
  readonly op: string
  readonly args: Json
  /** Whose transaction in the editor's undo history it belongs to; null: its own. */
  readonly turn?: TurnOf | null
}

export function callProgram(request: Request): string {
  return [
    'import sys',
    `module = sys.modules.get('${MODULE}')`,
    `print('@gantry missing 1/1 -') if module is None else module.call(${quoted(JSON.stringify(request))})`,
  ].join('\n')
}

const PIECE = /@gantry (\w+) (\d{1,6})\/(\d{1,6}) (.*)$/
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly code: string; readonly message: string }
  | { readonly kind: 'failure'; readonly message: string }
  | { readonly kind: 'missing' }

/** The pieces of one id among the log lines of the editor, joined; nothing when they are not all there. */
function collect(lines: readonly string[], id: string): string | null {
  const pieces = new Map<number, string>()
  let total = 0
  for (const line of lines) {
    const [, owner, index, count, text] = PIECE.exec(line) ?? []
    if (owner !== id || text === undefined) continue
    if (pieces.has(Number(index)) || (total > 0 && total !== Number(count))) return null
    total = Number(count)
    pieces.set(Number(index), text)
  }
  if (total === 0 || pieces.size !== total) return null
  return Array.from({ length: total }, (_, at) => pieces.get(at + 1) ?? '').join('')
}

/** The hash the editor computed of what it loaded. */
export function readLoaded(lines: readonly string[]): string | null {
  return collect(lines, 'loaded')
}

export function readAnswer(lines: readonly string[], id: string): Answer {
  const text = collect(lines, id)
  if (text === null) {
    if (collect(lines, 'missing') !== null) return { kind: 'missing' }
    throw new PcgError(
      'EDITOR_ERROR',
      'The editor answered without the result of this call: read back before repeating it',
    )
  }
  const answer = parseBounded(text)
  if (!isRecord(answer) || answer['id'] !== id)
    throw new PcgError('EDITOR_ERROR', 'The editor answered another call: read back before repeating this one')
  if (isRecord(answer['refusal']))
    return {
      kind: 'refusal',
      code: String(answer['refusal']['code']),
      message: String(answer['refusal']['message']),
    }
  if (typeof answer['failure'] === 'string') return { kind: 'failure', message: answer['failure'] }
  return { kind: 'value', value: answer['value'] }
}
