// Reads one pasted command into words as a shell would, running nothing: what needs a shell is refused by name.
import { discoveryError } from './failure.ts'

export type ShellWords = {
  readonly words: readonly string[]
  /** Shell variables; in the words they stand as `${NAME}`. */
  readonly variables: readonly string[]
  readonly warnings: readonly string[]
}

const MAX_LENGTH = 64 * 1024

export function shellWords(input: string): ShellWords {
  if (input.length > MAX_LENGTH) throw refused('is longer than 64 KiB')
  if (input.includes('\0')) throw refused('contains a NUL character')
  const text = input
    .replaceAll('\r\n', '\n')
    .replace(/^\s*```[a-z]*\n|\n```\s*$/g, '')
    .replace(/^(?:\s*#[^\n]*\n)*\s*(?:[$%>]\s+)?/, '')
  // `^` at the end of a line or before a quote is what a browser writes for the Windows command line.
  return /\^\s*\n|\^"/.test(text) ? windowsWords(text) : bashWords(text)
}

function refused(reason: string) {
  return discoveryError('parse', `The command ${reason}. Paste one plain curl command.`)
}

type Reader = {
  readonly text: string
  readonly words: string[]
  readonly variables: Set<string>
  readonly warnings: string[]
  at: number
  word: string | undefined
}

function bashWords(text: string): ShellWords {
  const reader: Reader = { text, words: [], variables: new Set(), warnings: [], at: 0, word: undefined }
  while (reader.at < text.length && readBash(reader)) {
    // Each step consumes at least one character.
  }
  endWord(reader)
  return { words: reader.words, variables: [...reader.variables], warnings: reader.warnings }
}

function endWord(reader: Reader): void {
  if (reader.word !== undefined) reader.words.push(reader.word)
  reader.word = undefined
}

function add(reader: Reader, text: string, length: number): true {
  reader.word = (reader.word ?? '') + text
  reader.at += length
  return true
}

/** One step outside quotes; false at the end of the command. */
function readBash(reader: Reader): boolean {
  const { text, at } = reader
  const c = text[at] ?? ''
  if (c === "'") return singleQuoted(reader)
  if (c === '"') return doubleQuoted(reader, at + 1)
  if (c === '\\') return escaped(reader)
  if (c === '$') return dollar(reader)
  if (c === '`') throw refused('runs another command in backticks')
  if (c === '#' && reader.word === undefined) {
    const end = text.indexOf('\n', at)
    reader.at = end < 0 ? text.length : end
    return true
  }
  if (c === '\n') return lineEnd(reader)
  if (c === ' ' || c === '\t') {
    endWord(reader)
    reader.at += 1
    return true
  }
  if (c === '&') return ampersand(reader)
  if (c === '|') throw refused('is piped into another one')
  if (c === '<' || c === '>') throw refused('redirects its input or output')
  if (c === ';') return semicolon(reader)
  if (c === '(' || c === ')') throw refused('contains a subshell')
  return add(reader, c, 1)
}

function singleQuoted(reader: Reader): true {
  const end = reader.text.indexOf("'", reader.at + 1)
  if (end < 0) throw refused('has a quote that is never closed')
  return add(reader, reader.text.slice(reader.at + 1, end), end + 1 - reader.at)
}

function doubleQuoted(reader: Reader, from: number): true {
  const { text } = reader
  let out = ''
  for (let at = from; at < text.length; at += 1) {
    const c = text[at] ?? ''
    const next = text[at + 1] ?? ''
    if (c === '"') return add(reader, out, at + 1 - reader.at)
    if (c === '`') throw refused('runs another command in backticks')
    if (c === '\\' && '$`"\\\n'.includes(next) && next !== '') {
      out += next === '\n' ? '' : next
      at += 1
    } else if (c === '$') {
      const variable = variableAt(reader, at)
      out += variable.text
      at += variable.length - 1
    } else out += c
  }
  throw refused('has a quote that is never closed')
}

function escaped(reader: Reader): true {
  // A blank after the continuation mark is an old slip of copy and paste.
  const continuation = /^\\[ \t]*\n/.exec(reader.text.slice(reader.at, reader.at + 80))
  if (continuation !== null) {
    reader.at += continuation[0].length
    return true
  }
  return add(reader, reader.text[reader.at + 1] ?? '', 2)
}

function dollar(reader: Reader): true {
  const next = reader.text[reader.at + 1]
  if (next === "'") return ansiQuoted(reader)
  if (next === '"') return doubleQuoted(reader, reader.at + 2)
  const variable = variableAt(reader, reader.at)
  return add(reader, variable.text, variable.length)
}

function variableAt(reader: Reader, at: number): { readonly text: string; readonly length: number } {
  const rest = reader.text.slice(at, at + 128)
  if (rest.startsWith('$(')) throw refused('runs another command in $(…)')
  const match = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(rest)
  if (match === null) {
    if (rest.startsWith('${')) throw refused('computes a value in ${…}')
    return { text: '$', length: 1 }
  }
  const name = match[1] ?? match[2] ?? ''
  reader.variables.add(name)
  return { text: `\${${name}}`, length: match[0].length }
}

const ANSI_ESCAPE = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c([^])|([^]))/g
const ANSI_NAMED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}

function ansiQuoted(reader: Reader): true {
  const match = /^\$'((?:[^'\\]|\\[^])*)'/.exec(reader.text.slice(reader.at))
  if (match === null) throw refused('has a quote that is never closed')
  return add(reader, unescapeAnsi(match[1] ?? ''), match[0].length)
}

function unescapeAnsi(text: string): string {
  return text.replace(
    ANSI_ESCAPE,
    (_, x: string, u: string, U: string, octal: string, control: string, named: string) => {
      const hex = x ?? u ?? U
      if (hex !== undefined) return codePoint(Number.parseInt(hex, 16))
      if (octal !== undefined) return codePoint(Number.parseInt(octal, 8) & 0xff)
      if (control !== undefined) return codePoint(control.charCodeAt(0) & 0x1f)
      return ANSI_NAMED[named] ?? named
    },
  )
}

function codePoint(value: number): string {
  return value <= 0x10ffff ? String.fromCodePoint(value) : '\ufffd'
}

function lineEnd(reader: Reader): boolean {
  endWord(reader)
  const rest = reader.text
    .slice(reader.at)
    .replace(/^(?:\s*(?:#[^\n]*)?(?:\n|$))+/, '')
    .trimStart()
  if (rest === '') return false
  if (reader.words.length > 0 && !rest.startsWith('-')) throw refused('is followed by another one')
  if (reader.words.length > 0) reader.warnings.push('A line break without "\\" was read as a continuation.')
  reader.at = reader.text.length - rest.length
  return true
}

/** Ends the command; another one after it is refused. */
function semicolon(reader: Reader): false {
  endWord(reader)
  const rest = reader.text.slice(reader.at + 1).replace(/#[^\n]*/g, '')
  if (rest.trim() !== '') throw refused('is followed by another one')
  return false
}

// An address pasted without quotes: the shell ends the command at its first `&`, and so does this.
function ampersand(reader: Reader): boolean {
  endWord(reader)
  const rest = reader.text.slice(reader.at + 1).trim()
  if (rest !== '' && !/^[\w.%=&+~[\]-]+$/.test(rest)) throw refused('is followed by another one')
  if (rest !== '') {
    reader.warnings.push(
      `A shell ends the command at the "&" before ${rest.slice(0, 80)}. Quote the address to keep the rest of it.`,
    )
  }
  return false
}

function windowsWords(text: string): ShellWords {
  const words: string[] = []
  const line = withoutCarets(text)
  let word: string | undefined
  let quoted = false
  for (let at = 0; at < line.length; at += 1) {
    const c = line[at] ?? ''
    const slashes = /^\\+(?=")/.exec(line.slice(at, at + 64))?.[0].length ?? 0
    if (slashes > 0) {
      word = `${word ?? ''}${'\\'.repeat(slashes >> 1)}${slashes % 2 === 1 ? '"' : ''}`
      at += slashes - (slashes % 2 === 1 ? 0 : 1)
    } else if (c === '"' && quoted && line[at + 1] === '"') {
      word = `${word ?? ''}"`
      at += 1
    } else if (c === '"') {
      quoted = !quoted
      word ??= ''
    } else if (!quoted && /\s/.test(c)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      if (!quoted && /[|<>]/.test(c)) throw refused('is piped or redirected')
      word = (word ?? '') + c
    }
  }
  if (quoted) throw refused('has a quote that is never closed')
  if (word !== undefined) words.push(word)
  return { words, variables: [], warnings: [] }
}

// The command line's own pass: inside its quotes a caret is only a caret, and `^` before two line ends is one of them.
function withoutCarets(text: string): string {
  let out = ''
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at] ?? ''
    if (c === '^' && !quoted) {
      const continuation = /^\^[ \t]*\n(\n?)/.exec(text.slice(at, at + 16))
      if (continuation === null) out += text[at + 1] ?? ''
      else out += continuation[1] ?? ''
      at += continuation === null ? 1 : continuation[0].length - 1
      continue
    }
    if (c === '"') quoted = !quoted
    if (c === '&' && !quoted) throw refused('is followed by another one')
    out += c
  }
  return out
}
