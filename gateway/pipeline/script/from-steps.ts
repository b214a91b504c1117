// The steps of a composite as a script that does the same: one call after another, with the values that its templates name.
import type { Composite } from '../../registry/curated.ts'

const HELPERS = `
/** A value inside another, by own properties only. */
function at(value: any, ...path: string[]): any {
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value)) value = /^\\d+$/.test(part) ? value[Number(part)] : undefined
    else value = Object.getOwnPropertyDescriptor(value, part)?.value
  }
  return value
}

/** A value inside a text. */
const shown = (value: any): string => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))
`
const SKIPPED = "{ isError: false, text: '', json: undefined, skipped: true }"

const quoted = (text: string): string => JSON.stringify(text)
const indexOf = (part: string): number => (/^\d+$/.test(part) ? Number(part) : -1)

type Names = ReadonlyMap<string, string>

/** The names were checked when the steps were stored. */
function reference(path: string, names: Names): string {
  const [root, which = '', fact = '', ...rest] = path.split('.')
  if (root === 'input') return inside('input', path.split('.').slice(1))
  const step = names.get(which) ?? 'undefined'
  if (fact === 'skipped') return `(${step}.skipped ?? false)`
  return fact === 'json' ? inside(`${step}.json`, rest) : `${step}.${fact}`
}

const inside = (value: string, path: readonly string[]): string =>
  path.length === 0 ? value : `at(${[value, ...path.map(quoted)].join(', ')})`

function interpolated(text: string, names: Names): string {
  const parts: string[] = []
  let plain = ''
  for (let from = 0; from < text.length; ) {
    const open = text.indexOf('${', from)
    const close = text.indexOf('}', open)
    if (open === -1 || close === -1) {
      plain += text.slice(from)
      break
    }
    if (open > from && text[open - 1] === '$') {
      plain += `${text.slice(from, open - 1)}\${`
      from = open + 2
      continue
    }
    plain += text.slice(from, open)
    if (plain !== '') parts.push(quoted(plain))
    plain = ''
    parts.push(`shown(${reference(text.slice(open + 2, close), names)})`)
    from = close + 1
  }
  if (plain !== '' || parts.length === 0) parts.push(quoted(plain))
  // Text, even of one value.
  return parts.join(' + ')
}

function expression(template: unknown, names: Names): string {
  if (typeof template === 'string') return interpolated(template, names)
  if (typeof template !== 'object' || template === null) return JSON.stringify(template) ?? 'undefined'
  if (Array.isArray(template)) return `[${template.map((each: unknown) => expression(each, names)).join(', ')}]`
  const entries = Object.entries(template)
  const [only] = entries
  if (entries.length === 1 && only?.[0] === '$ref' && typeof only[1] === 'string') return reference(only[1], names)
  if (entries.length === 0) return '{}'
  // A computed name: "__proto__" is a property like any other.
  return `{ ${entries.map(([name, each]) => `[${quoted(name)}]: ${expression(each, names)}`).join(', ')} }`
}

export function scriptFromSteps({ name, steps, output }: Pick<Composite, 'name' | 'steps' | 'output'>): string {
  const names = new Map<string, string>()
  const lines: string[] = []
  for (const [index, { id, targetClient, targetTool, argsTemplate = {}, when, onError }] of steps.entries()) {
    const variable = `step${index}`
    const made = `await tryCall(${quoted(`${targetClient}__${targetTool}`)}, ${expression(argsTemplate, names)})`
    const value = when === undefined ? made : `${expression(when, names)} ? ${made} : ${SKIPPED}`
    lines.push(`  const ${variable}: any = ${value}`)
    if (onError !== 'continue') lines.push(`  if (${variable}.isError) return ${variable}`)
    if (output === null) lines.push(`  if (!${variable}.skipped) last = ${variable}`)
    names.set(String(index), variable)
    if (id !== undefined && indexOf(id) === -1) names.set(id, variable)
  }
  const end = output === null ? 'last' : expression(output, names)
  return [
    `// Converted from the steps of ${quoted(name)}.`,
    'export default async function (input: Input): Promise<any> {',
    ...(output === null ? ["  let last: any = 'Every step was skipped.'"] : []),
    ...lines,
    `  return ${end}`,
    '}',
    ...(lines.concat(end).some((line) => /\b(?:at|shown)\(/.test(line)) ? [HELPERS.trimEnd()] : []),
    '',
  ].join('\n')
}
