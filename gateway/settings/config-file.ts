// GANTRY_CONFIG_FILE: flat JSON or YAML, read as the text of environment variables.
import { isMap, isScalar, isSeq, type Node, parseDocument, Scalar } from 'yaml'

export type ConfigFile = { readonly values: ReadonlyMap<string, string>; readonly problems: readonly string[] }

const UNSET = Symbol('unset')
const NESTED = Symbol('nested')
type Text = string | typeof UNSET | typeof NESTED

function scalarText(node: unknown): Text {
  if (node === null) return UNSET
  if (!isScalar(node)) return NESTED
  const text = String(node.value)
  // A quoted `null` is text.
  return node.type === Scalar.PLAIN && /^(null|~|)$/.test(text) ? UNSET : text
}

function joined(entries: readonly Text[]): Text {
  return entries.includes(NESTED) ? NESTED : entries.filter((entry) => typeof entry === 'string').join(',')
}

function textOf(node: unknown): Text {
  if (isSeq(node)) return joined(node.items.map(scalarText))
  if (!isMap(node)) return scalarText(node)
  return joined(
    node.items.map((pair) => {
      const value = scalarText(pair.value)
      return isScalar(pair.key) && typeof value === 'string' ? `${String(pair.key.value)}=${value}` : NESTED
    }),
  )
}

/** JSON is YAML; the failsafe schema keeps scalars as written, so that `0123` stays text. */
export function parseConfigFile(text: string): ConfigFile {
  const document = parseDocument<Node>(text, { schema: 'failsafe', logLevel: 'error' })
  const fault = document.errors[0]
  const values = new Map<string, string>()
  // The parser's message quotes the file, which contains secrets; its code and line do not.
  if (fault !== undefined)
    return { values, problems: [`cannot be read: ${fault.code} at line ${fault.linePos?.[0].line ?? 1}`] }
  if (document.contents === null || scalarText(document.contents) === UNSET) return { values, problems: [] }
  if (!isMap(document.contents)) return { values, problems: ['is not a flat list of names and values'] }
  const problems: string[] = []
  for (const pair of document.contents.items) {
    const name = isScalar(pair.key) ? String(pair.key.value) : 'a key that is no name'
    const value = textOf(pair.value)
    if (value === NESTED || !isScalar(pair.key)) problems.push(`holds a nested value at ${name}`)
    else if (value !== UNSET) values.set(name, value)
  }
  return { values, problems }
}
