// Constructors of settings rows: type, range, default and meaning in one value that parses its text.
import { isIP } from 'node:net'

/** An unusable value stops the start, regardless of `STRICT_CONFIG`. */
export type Refusal = 'outside development' | 'always'

/** A `doubt` is a warning about a value that is still used. */
export type Parsed<T> =
  | { readonly value: T; readonly doubt?: string }
  | { readonly wrong: string; readonly refuse?: Refusal }

export type Row<T> = {
  readonly section: string
  /** The type in the reference: `milliseconds`, `true or false`, `list of origins`. */
  readonly type: string
  readonly unit: 'ms' | 's' | 'bytes' | null
  /** The permitted values as text: `100..600000`. */
  readonly range: string
  readonly default: T
  /** The default in the reference. */
  readonly shownDefault: string
  readonly meaning: string
  /** Never shown; also accepted from a file named by `<NAME>_FILE`. */
  readonly secret: boolean
  /** Replaces an unusable value instead of the default: closed if the default is open. */
  readonly fallback: T
  /** The effect of an unusable value, if more than using the fallback. */
  readonly onMistake?: string
  readonly parse: (text: string) => Parsed<T>
}

export type Bounds = readonly [min: number, max: number]

const UNSET = 'unset'

type RowFields<T> = Pick<Row<T>, 'type' | 'range' | 'meaning' | 'parse'> &
  Partial<Pick<Row<T>, 'unit' | 'secret' | 'shownDefault'>>

/** An optional row: null if unset. */
function optional<T>(row: RowFields<T>): Row<T | null> {
  return { section: '', unit: null, default: null, fallback: null, shownDefault: UNSET, secret: false, ...row }
}

function withDefault<T>(value: T, shown: string, row: RowFields<T> & { readonly fallback?: T }): Row<T> {
  return { section: '', unit: null, default: value, fallback: value, shownDefault: shown, secret: false, ...row }
}

function integer(type: string, unit: Row<number>['unit']) {
  return (value: number, [min, max]: Bounds, meaning: string): Row<number> =>
    withDefault<number>(value, String(value), {
      type,
      unit,
      range: `${min}..${max}`,
      meaning,
      parse: (text) => {
        if (!/^-?\d+$/.test(text)) return { wrong: 'is not a whole number' }
        const number = Number(text)
        return number >= min && number <= max ? { value: number } : { wrong: 'is out of range' }
      },
    })
}

export const ms = integer('milliseconds', 'ms')
export const seconds = integer('seconds', 's')
export const bytes = integer('bytes', 'bytes')
export const count = integer('whole number', null)

/** `fallback` is the closed value if the default is open. */
export function flag(value: boolean, meaning: string, fallback = value): Row<boolean> {
  return withDefault<boolean>(value, String(value), {
    type: 'true or false',
    range: 'true, false',
    meaning,
    fallback,
    parse: (text) => {
      if (text === 'true' || text === 'false') return { value: text === 'true' }
      return { wrong: 'is neither true nor false' }
    },
  })
}

type ChoiceOptions = { readonly refuse?: Refusal }

function chooser<const C extends string>(choices: readonly C[], refuse?: Refusal): (text: string) => Parsed<C> {
  return (text) => {
    const value = choices.find((choice) => choice === text)
    return value === undefined ? { wrong: 'is not one of the choices', ...(refuse && { refuse }) } : { value }
  }
}

export function choice<const C extends string>(
  value: NoInfer<C>,
  choices: readonly C[],
  meaning: string,
  options: ChoiceOptions = {},
): Row<C> {
  const parse = chooser(choices, options.refuse)
  return withDefault<C>(value, value, { type: 'choice', range: choices.join(', '), meaning, parse })
}

export function optionalChoice<const C extends string>(choices: readonly C[], meaning: string): Row<C | null> {
  return optional<C>({ type: 'choice', range: choices.join(', '), meaning, parse: chooser(choices) })
}

function lengthProblem(text: string, [min, max]: Bounds): string | null {
  if (text.length < min) return `is shorter than ${min} characters`
  if (text.length > max) return `is longer than ${max} characters`
  return null
}

function textParser(bounds: Bounds): (text: string) => Parsed<string> {
  return (text) => {
    const wrong = lengthProblem(text, bounds)
    return wrong === null ? { value: text } : { wrong }
  }
}

const TEXT: Bounds = [1, 1024]

export function text(value: string, meaning: string): Row<string> {
  return withDefault<string>(value, value, {
    type: 'text',
    range: '1..1024 characters',
    meaning,
    parse: textParser(TEXT),
  })
}

export function optionalText(meaning: string): Row<string | null> {
  return optional<string>({ type: 'text', range: '1..1024 characters', meaning, parse: textParser(TEXT) })
}

/** A path with a default that `load.ts` derives from the environment. */
export function path(shownDefault: string, meaning: string): Row<string | null> {
  return optional<string>({
    type: 'path',
    range: 'a file system path',
    meaning,
    shownDefault,
    parse: textParser([1, 4096]),
  })
}

type SecretOptions = {
  readonly min?: number
  readonly refuse?: Refusal
  /** A shorter value is used, with a warning. */
  readonly weakBelow?: number
}

export function secret(meaning: string, options: SecretOptions = {}): Row<string | null> {
  const { min = 1, refuse, weakBelow = 0 } = options
  return optional<string>({
    type: 'secret',
    range: min > 1 ? `at least ${min} characters` : 'any text',
    meaning,
    secret: true,
    parse: (text) => {
      const wrong = lengthProblem(text, [min, 65_536])
      if (wrong !== null) return { wrong, ...(refuse && { refuse }) }
      return text.length < weakBelow
        ? { value: text, doubt: `is shorter than ${weakBelow} characters and can be guessed` }
        : { value: text }
    },
  })
}

type UrlOptions = {
  readonly schemes?: readonly string[]
  /** The URL contains a credential: it is masked, and may come from a file. */
  readonly secret?: boolean
  readonly refuse?: Refusal
}

/** Keeps the text as written, to preserve a path prefix or a missing slash. */
export function url(meaning: string, options: UrlOptions = {}): Row<string | null> {
  const { schemes = ['http', 'https'], secret = false, refuse } = options
  const wrong = (problem: string): Parsed<never> => ({ wrong: problem, ...(refuse && { refuse }) })
  return optional<string>({
    type: 'URL',
    range: schemes.map((scheme) => `${scheme}://…`).join(', '),
    meaning,
    secret,
    parse: (text) => {
      if (/\s/.test(text) || !URL.canParse(text)) return wrong('is not a URL')
      const parsed = new URL(text)
      if (!schemes.includes(parsed.protocol.slice(0, -1))) return wrong('has a scheme that is not allowed')
      if (!secret && (parsed.username !== '' || parsed.password !== '')) return wrong('carries a user name or password')
      return { value: text }
    },
  })
}

export function address(value: string, meaning: string): Row<string> {
  return withDefault<string>(value, value, {
    type: 'IP address',
    range: 'IPv4 or IPv6 address',
    meaning,
    parse: (text) => (isIP(text) === 0 ? { wrong: 'is not an IP address' } : { value: text }),
  })
}

/** Comma-separated entries, trimmed; empty ones are dropped. */
export function entriesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Checks an entry; returns its stored form, or null. */
type Entry = (entry: string) => string | null

type ListOptions = {
  readonly of: string
  readonly entry?: Entry
  readonly secret?: boolean
  readonly weakBelow?: number
}

export function list(meaning: string, options: ListOptions): Row<readonly string[]> {
  const { of, entry = (text) => text, secret = false, weakBelow = 0 } = options
  return withDefault<readonly string[]>([], UNSET, {
    type: `list of ${of}`,
    range: 'comma-separated',
    meaning,
    secret,
    parse: (text) => {
      const kept: string[] = []
      for (const [index, given] of entriesOf(text).entries()) {
        const value = entry(given)
        if (value === null) return { wrong: `holds an entry (number ${index + 1}) that cannot be used` }
        if (!kept.includes(value)) kept.push(value)
      }
      const weak = kept.filter((value) => value.length < weakBelow).length
      if (weak === 0) return { value: kept }
      return { value: kept, doubt: `holds ${weak} entries shorter than ${weakBelow} characters, which can be guessed` }
    },
  })
}

type PairsOptions<V extends string> = {
  readonly of: string
  readonly values?: readonly V[]
  readonly secret?: boolean
}

/** `key=value,…`; the value starts after the first `=`. */
export function pairs<V extends string = string>(
  meaning: string,
  options: PairsOptions<V>,
): Row<Readonly<Record<string, V>>> {
  const { of, values, secret = false } = options
  return withDefault<Readonly<Record<string, V>>>({}, UNSET, {
    type: of,
    range: values === undefined ? 'comma-separated' : `comma-separated; values ${values.join(', ')}`,
    meaning,
    secret,
    parse: (text) => {
      const kept = new Map<string, V>()
      for (const [index, given] of entriesOf(text).entries()) {
        const at = given.indexOf('=')
        const name = given.slice(0, Math.max(at, 0)).trim()
        const written = given.slice(at + 1).trim()
        // Without a list of values every string is valid, and V is string.
        const value = values === undefined ? (written as V) : values.find((one) => one === written)
        if (name === '' || value === undefined) return { wrong: `holds an entry (number ${index + 1}) that is no pair` }
        kept.set(name, value)
      }
      return { value: Object.fromEntries(kept) }
    },
  })
}

function portRange(entry: string): readonly number[] | null {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(entry)
  if (match === null) return null
  const from = Number(match[1])
  const to = Number(match[2] ?? match[1])
  if (from < 1 || to > 65_535 || to < from || to - from >= 1024) return null
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function parsePorts(text: string): Parsed<readonly number[]> {
  const ports = new Set<number>()
  for (const entry of entriesOf(text)) {
    const range = portRange(entry)
    if (range === null) return { wrong: 'holds an entry that is neither a port nor a range of at most 1024 ports' }
    for (const port of range) ports.add(port)
  }
  return { value: [...ports] }
}

/** A list of ports and ranges, such as `8000-8015,30010`; the table's test checks the default. */
export function ports(value: string, meaning: string): Row<readonly number[]> {
  const parsed = parsePorts(value)
  return withDefault('value' in parsed ? parsed.value : [], value, {
    type: 'list of ports',
    range: 'ports 1..65535 and ranges a-b, comma-separated',
    meaning,
    parse: parsePorts,
  })
}

/** A row with a custom type. */
export function custom<T>(value: T, row: RowFields<T> & Pick<Row<T>, 'shownDefault'>): Row<T> {
  return withDefault(value, row.shownDefault, row)
}
