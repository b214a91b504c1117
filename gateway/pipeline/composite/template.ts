// Templates of composites: JSON in which a reference becomes the value it names, compiled once, resolved per call. Contract 10.8.

export type StepFacts = {
  /** The parsed text, else the structured content; read on demand. */
  readonly json: () => unknown
  readonly text: string
  readonly isError: boolean
  readonly skipped: boolean
}
export type Scope = {
  readonly input: Readonly<Record<string, unknown>>
  /** The steps so far; `undefined` where a step was not run, only imagined. */
  readonly steps: readonly (StepFacts | undefined)[]
  /** Takes from what may still be written; throws when nothing is left. */
  readonly spend: (length: number) => void
}
/** `undefined` is absent. */
export type Template = (scope: Scope) => unknown

/** Which steps may be named: those before this one, by position or id. */
export type Earlier = { readonly count: number; readonly ids: ReadonlyMap<string, number> }

export class TemplateProblem extends Error {
  readonly path: string
  constructor(path: string, message: string) {
    super(message)
    this.name = 'TemplateProblem'
    this.path = path
  }
}

const FACTS = ['json', 'text', 'isError', 'skipped'] as const
const INDEX = /^(?:0|[1-9]\d{0,8})$/

/** Own properties and positions only: a prototype holds no data of the call. */
function inside(value: unknown, segments: readonly string[]): unknown {
  let found = value
  for (const segment of segments) {
    if (typeof found !== 'object' || found === null) return undefined
    if (Array.isArray(found)) found = INDEX.test(segment) ? found[Number(segment)] : undefined
    else found = Object.getOwnPropertyDescriptor(found, segment)?.value
  }
  return found
}

function reference(text: string, earlier: Earlier, at: string): (scope: Scope) => unknown {
  const segments = text.split('.')
  const [root, which = '', fact = '', ...rest] = segments
  if (segments.includes('')) throw new TemplateProblem(at, `"${text}" has an empty segment`)
  if (root === 'input') return ({ input }) => inside(input, segments.slice(1))
  if (root !== 'steps') throw new TemplateProblem(at, `"${text}" must begin with input or steps`)
  const position = INDEX.test(which) ? Number(which) : earlier.ids.get(which)
  if (position === undefined || position >= earlier.count)
    throw new TemplateProblem(at, `"${text}" names no earlier step`)
  const kind = FACTS.find((known) => known === fact)
  if (kind === undefined || (kind !== 'json' && rest.length > 0))
    throw new TemplateProblem(at, `"${text}" must end in .json, .text, .isError or .skipped`)
  return ({ steps }) => {
    const step = steps[position]
    if (step === undefined) return null
    return kind === 'json' ? inside(step.json(), rest) : step[kind]
  }
}

function asText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Text with `${path}` in it; `$${` is a plain `${`. */
function interpolation(text: string, earlier: Earlier, at: string): Template {
  const parts: (string | ((scope: Scope) => unknown))[] = []
  let from = 0
  for (;;) {
    const open = text.indexOf('${', from)
    if (open === -1) break
    if (text[open - 1] === '$' && open > from) {
      parts.push(`${text.slice(from, open - 1)}\${`)
      from = open + 2
      continue
    }
    const close = text.indexOf('}', open)
    if (close === -1) throw new TemplateProblem(at, 'has a "${" without its "}"; write "$${" for a plain one')
    parts.push(text.slice(from, open), reference(text.slice(open + 2, close), earlier, at))
    from = close + 1
  }
  if (parts.length === 0) return () => text
  parts.push(text.slice(from))
  return (scope) =>
    parts
      .map((part) => {
        if (typeof part === 'string') return part
        const filled = asText(part(scope))
        scope.spend(filled.length)
        return filled
      })
      .join('')
}

/** Throws `TemplateProblem` with the path of what cannot be used. */
export function compileTemplate(value: unknown, earlier: Earlier, at: string): Template {
  if (typeof value === 'string') return interpolation(value, earlier, at)
  if (typeof value !== 'object' || value === null) return () => value
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => compileTemplate(item, earlier, `${at}.${index}`))
    return (scope) => items.map((item) => item(scope) ?? null)
  }
  const entries = Object.entries(value)
  const [only] = entries
  if (entries.length === 1 && only?.[0] === '$ref') {
    if (typeof only[1] !== 'string') throw new TemplateProblem(`${at}.$ref`, 'must be a path')
    const read = reference(only[1], earlier, `${at}.$ref`)
    return (scope) => {
      const found = read(scope)
      if (typeof found === 'string' || typeof found === 'object') scope.spend(asText(found).length)
      return found
    }
  }
  const properties = entries.map(([name, inner]) => [name, compileTemplate(inner, earlier, `${at}.${name}`)] as const)
  return (scope) =>
    Object.fromEntries(
      properties.flatMap(([name, inner]) => {
        const found = inner(scope)
        return found === undefined ? [] : [[name, found]]
      }),
    )
}
