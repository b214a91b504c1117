// Structured logging: one record per line, secrets masked, never throws.

import { maskSecrets, namesSecret } from '../text/mask.ts'
import type { Clock } from './clock.ts'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, unknown>>

export type Log = {
  readonly debug: (msg: string, fields?: LogFields) => void
  readonly info: (msg: string, fields?: LogFields) => void
  readonly warn: (msg: string, fields?: LogFields) => void
  readonly error: (msg: string, fields?: LogFields) => void
  /** A log whose every record also carries these fields, such as `request_id`. */
  readonly child: (fields: LogFields) => Log
}

export type LogOptions = {
  readonly format: 'json' | 'text'
  readonly level: LogLevel
  readonly write: (line: string) => void
  readonly clock?: Clock
}

type Written = 'debug' | 'info' | 'warn' | 'error'
type Plain = Record<string, unknown>

const ORDER: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error']
const RESERVED = new Set(['time', 'level', 'msg'])
const MAX_DEPTH = 6
const MAX_ENTRIES = 64
const MAX_VALUES = 512
const MAX_TEXT = 8192

/** Depth and count of values; together they bound even cyclic ones. */
type Bounds = { readonly depth: number; readonly taken: { values: number } }

const inside = ({ depth, taken }: Bounds): Bounds => ({ depth: depth + 1, taken })

function plainText(text: string): string {
  const masked = maskSecrets(text)
  return masked.length > MAX_TEXT ? `${masked.slice(0, MAX_TEXT)}…` : masked
}

/** Only these: other properties of an error may contain the request. */
function plainError(error: Error, bounds: Bounds): Plain {
  const plain: Plain = { name: error.name, message: plainText(error.message) }
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')) plain['code'] = error.code
  if (typeof error.stack === 'string') plain['stack'] = plainText(error.stack)
  if (error.cause !== undefined) plain['cause'] = plainValue(error.cause, inside(bounds))
  return plain
}

function plainValue(value: unknown, bounds: Bounds): unknown {
  if (typeof value === 'string') return plainText(value)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'undefined') return undefined
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`
  if (bounds.depth > MAX_DEPTH || bounds.taken.values >= MAX_VALUES) return '[more]'
  bounds.taken.values += 1
  if (value instanceof Error) return plainError(value, bounds)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof URL) return plainText(value.href)
  if (value instanceof Map) return plainFields(Object.fromEntries(value), inside(bounds))
  if (value instanceof Set) return plainList([...value], inside(bounds))
  return Array.isArray(value) ? plainList(value, inside(bounds)) : plainFields(value, inside(bounds))
}

function plainList(values: readonly unknown[], bounds: Bounds): unknown[] {
  const plain = values.slice(0, MAX_ENTRIES).map((value) => plainValue(value, bounds))
  return values.length > MAX_ENTRIES ? [...plain, `… ${values.length - MAX_ENTRIES} more`] : plain
}

function plainFields(fields: object, bounds: Bounds): Plain {
  // Without a prototype, `__proto__` is an ordinary field.
  const plain: Plain = Object.create(null)
  for (const [name, value] of Object.entries(fields).slice(0, MAX_ENTRIES)) {
    const hide = namesSecret(name) && value !== null && !['boolean', 'number', 'undefined'].includes(typeof value)
    plain[name] = hide ? '***' : plainValue(value, bounds)
  }
  return plain
}

function bindable(fields: LogFields | undefined): Plain {
  if (fields === undefined) return {}
  try {
    return plainFields(fields, { depth: 0, taken: { values: 0 } })
  } catch {
    // A getter threw; log the message without the field.
    return { unloggable: true }
  }
}

const oneLine = (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')

function stackOf(value: unknown): string | null {
  return typeof value === 'object' && value !== null && 'stack' in value ? String(value.stack) : null
}

/** The text format: stacks are indented below their record, so that no line can pass for a record. */
function textLine(time: string, level: Written, msg: string, fields: Plain): string {
  let head = `${time} ${level.toUpperCase().padEnd(5)} ${oneLine(msg)}`
  let below = ''
  for (const [name, value] of Object.entries(fields)) {
    const stack = stackOf(value)
    if (stack === null) head += value === undefined ? '' : ` ${oneLine(name)}=${JSON.stringify(value)}`
    else
      below += stack
        .split('\n')
        .map((line) => `    ${oneLine(line)}\n`)
        .join('')
  }
  return `${head}\n${below}`
}

function jsonLine(time: string, level: Written, msg: string, fields: Plain): string {
  return `${JSON.stringify({ time, level, msg, ...fields })}\n`
}

/** `write` receives whole lines. */
export function createLog({ format, level, write, clock = Date }: LogOptions): Log {
  const least = ORDER.indexOf(level)
  const compose = format === 'json' ? jsonLine : textLine

  function logWith(bound: Plain): Log {
    const at = (written: Written) => {
      if (ORDER.indexOf(written) < least) return () => {}
      return (msg: string, fields?: LogFields) => {
        try {
          const record: Plain = { ...bound }
          for (const [name, value] of Object.entries(bindable(fields)))
            record[RESERVED.has(name) ? `field_${name}` : name] = value
          write(compose(new Date(clock.now()).toISOString(), written, plainText(msg), record))
        } catch {
          // A failing log must not fail the call.
        }
      }
    }
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => logWith({ ...bound, ...bindable(fields) }),
    }
  }
  return logWith({})
}
