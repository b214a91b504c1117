// What a caller may ask for instead of the synthesized selection: read strictly, bounded, and printed again, so that only a selection is sent.
import type { GraphqlCall } from './tool.ts'

/** GraphQL keeps names that begin with two underscores for itself, so no field has an argument of this name. */
export const SELECT = '__select'

/** What no selection may lead back into: from the root every other operation is in reach, past its own guards. */
export type Roots = NonNullable<GraphqlCall['select']>['roots']

export type Selection = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string }

const MOST_CHARACTERS = 16 * 1024
const MOST_FIELDS = 500
const MOST_DEPTH = 10
const MOST_NESTING = 32

const TOKEN =
  /[\s,\ufeff]*(?:#[^\n\r]*(?:[\n\r]|$)[\s,\ufeff]*)*(?:(?<mark>\.\.\.|[!$&()[\]{}:=@|])|(?<name>[A-Za-z_]\w*)|(?<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|(?<text>"""(?:[^"\\]|\\"""|\\(?!""")|"(?!""))*"""|"(?!"")(?:[^"\\\n\r]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*")|(?<end>$))/y

type Token = { readonly kind: 'mark' | 'name' | 'number' | 'text' | 'end' | 'unknown'; readonly text: string }

class Refused extends Error {}

const refuse = (message: string): never => {
  throw new Refused(message)
}

function tokens(text: string): readonly Token[] {
  const found: Token[] = []
  TOKEN.lastIndex = 0
  for (;;) {
    const at = TOKEN.lastIndex
    const groups = TOKEN.exec(text)?.groups
    const [kind, value] = Object.entries(groups ?? {}).find(([, group]) => group !== undefined) ?? ['unknown', '']
    if (kind === 'unknown') return refuse(`is not GraphQL at character ${at + 1}`)
    // The groups of the pattern are named after the kinds.
    found.push({ kind: kind as Token['kind'], text: value })
    if (kind === 'end') return found
  }
}

class Reader {
  private at = 0
  private fields = 0
  private readonly list: readonly Token[]
  private readonly roots: Roots

  constructor(list: readonly Token[], roots: Roots) {
    this.list = list
    this.roots = roots
  }

  private get next(): Token {
    return this.list[this.at] ?? END
  }

  private take(text: string): boolean {
    if (this.next.kind !== 'mark' || this.next.text !== text) return false
    this.at += 1
    return true
  }

  private need(text: string): void {
    if (!this.take(text)) refuse(`needs "${text}" ${this.here()}`)
  }

  private name(): string {
    const { kind, text } = this.next
    if (kind !== 'name') return refuse(`needs a name ${this.here()}`)
    this.at += 1
    return text
  }

  private here(): string {
    const { kind, text } = this.next
    return kind === 'end' ? 'at its end' : `where it has ${JSON.stringify(text.slice(0, 32))}`
  }

  whole(): string {
    const text = this.set(1)
    if (this.next.kind !== 'end') refuse(`must be one selection set and nothing after it, but goes on ${this.here()}`)
    return text
  }

  private set(depth: number): string {
    if (depth > MOST_DEPTH) refuse(`must not be nested more than ${MOST_DEPTH} deep`)
    this.need('{')
    const parts: string[] = []
    while (!this.take('}')) parts.push(this.selection(depth))
    if (parts.length === 0) refuse('must name a field between its braces')
    return `{ ${parts.join(' ')} }`
  }

  private selection(depth: number): string {
    this.noMore()
    return this.take('...') ? this.fragment(depth) : this.field(depth)
  }

  private noMore(): void {
    this.fields += 1
    if (this.fields > MOST_FIELDS) refuse(`must not name more than ${MOST_FIELDS} fields`)
  }

  private fragment(depth: number): string {
    if (this.next.kind === 'mark' && this.next.text === '{') return `... ${this.set(depth + 1)}`
    this.noDirective()
    if (this.name() !== 'on') refuse('must write its fragments out, as "... on Type { field }"')
    const type = this.name()
    if (this.roots.types.includes(type)) refuse(`must not go back to ${type}: call its operations as tools`)
    this.noDirective()
    return `... on ${type} ${this.set(depth + 1)}`
  }

  private field(depth: number): string {
    const first = this.name()
    const name = this.take(':') ? this.name() : undefined
    const asked = name ?? first
    if (asked.startsWith('__') && asked !== '__typename') refuse(`must not ask for ${asked.slice(0, 64)}`)
    if (this.roots.fields.includes(asked))
      refuse(`must not go back to the root by "${asked}": call its operations as tools`)
    const given = this.take('(') ? this.given() : ''
    this.noDirective()
    const inner = this.next.kind === 'mark' && this.next.text === '{' ? ` ${this.set(depth + 1)}` : ''
    return `${name === undefined ? '' : `${first}: `}${asked}${given}${inner}`
  }

  private noDirective(): void {
    if (this.next.kind === 'mark' && this.next.text === '@') refuse('must not have directives')
  }

  private given(): string {
    const parts: string[] = []
    while (!this.take(')')) {
      const name = this.name()
      this.need(':')
      parts.push(`${name}: ${this.value(0)}`)
    }
    if (parts.length === 0) refuse('has empty parentheses')
    return `(${parts.join(', ')})`
  }

  private value(depth: number): string {
    if (depth > MOST_NESTING) refuse(`has a value nested more than ${MOST_NESTING} deep`)
    const { kind, text } = this.next
    if (kind === 'name' || kind === 'number' || kind === 'text') {
      this.at += 1
      return text
    }
    if (this.take('$')) refuse('must have values where it has variables')
    const parts: string[] = []
    if (this.take('[')) {
      while (!this.take(']')) parts.push(this.value(depth + 1))
      return `[${parts.join(', ')}]`
    }
    this.need('{')
    while (!this.take('}')) {
      const name = this.name()
      this.need(':')
      parts.push(`${name}: ${this.value(depth + 1)}`)
    }
    return `{${parts.join(', ')}}`
  }
}

const END: Token = { kind: 'end', text: '' }

/** The selection as it goes into the document, or what is wrong with it. Braces around it may be left out. */
export function readSelection(given: unknown, roots: Roots): Selection {
  if (typeof given !== 'string') return { ok: false, message: 'must be text, such as "{ id name }"' }
  if (given.length > MOST_CHARACTERS)
    return { ok: false, message: `must not be longer than ${MOST_CHARACTERS} characters` }
  try {
    const list = tokens(given)
    const bare = list[0]?.text !== '{'
    const braced = bare ? [{ kind: 'mark', text: '{' } as const, ...list.slice(0, -1), CLOSE, END] : list
    return { ok: true, text: new Reader(braced, roots).whole() }
  } catch (error) {
    if (error instanceof Refused) return { ok: false, message: error.message }
    throw error
  }
}

const CLOSE: Token = { kind: 'mark', text: '}' }

/** The document of a call that asks for something else: all but the selection is the tool's own. */
export function withSelection({ document, select }: GraphqlCall, selection: string): string {
  return select === undefined ? document : `${document.slice(0, select.at)}${selection} }`
}
