// Renders the templates of a Helm chart that use the few constructs which docs/deploy/helm uses, and refuses every other.
import { parseAllDocuments, stringify } from 'yaml'

export type Values = Readonly<Record<string, unknown>>
type Scope = { readonly Values: Values; readonly Release: Values }

const ACTION = /\{\{-? ?([^{}]+?) ?-?\}\}/g
const IF = /^\{\{- if (not )?(\.[A-Za-z.]+) \}\}$/

function at(scope: Scope, path: string): unknown {
  let value: unknown = scope
  for (const name of path.slice(1).split('.')) {
    if (typeof value !== 'object' || value === null) throw new Error(`${path} is not in the values`)
    value = (value as Values)[name]
  }
  return value
}

function expression(scope: Scope, text: string): string {
  const [source = '', ...pipes] = text.split(' | ')
  const [name, argument = ''] = source.startsWith('toYaml ') ? source.split(' ') : [undefined, source]
  const value = at(scope, argument)
  if (value === undefined) throw new Error(`${argument} is not in the values`)
  let result = name === 'toYaml' ? stringify(value).trimEnd() : String(value)
  for (const pipe of pipes) {
    const indent = /^nindent (\d+)$/.exec(pipe)?.[1]
    if (pipe === 'quote') result = JSON.stringify(result)
    else if (indent) result = result.replaceAll(/^/gm, ' '.repeat(Number(indent))).trimStart()
    else throw new Error(`${pipe} is not rendered here`)
  }
  if (result.includes('\n') && !text.includes('nindent')) throw new Error(`${text} needs nindent`)
  return result
}

/** The documents of one template; none where its condition does not hold. */
export function render(template: string, scope: Scope): readonly Record<string, unknown>[] {
  const lines: string[] = []
  const open: boolean[] = []
  for (const line of template.split('\n')) {
    const [, negated, path] = IF.exec(line) ?? []
    if (path !== undefined) open.push(Boolean(at(scope, path)) !== (negated !== undefined))
    else if (line === '{{- end }}') open.pop()
    else if (open.every(Boolean)) lines.push(line.replaceAll(ACTION, (_all, text: string) => expression(scope, text)))
  }
  if (open.length > 0) throw new Error('An if has no end')
  return parseAllDocuments(lines.join('\n')).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(String(document.errors[0]))
    const value = document.toJS() as Record<string, unknown> | null // Kubernetes has objects only
    return value === null ? [] : [value]
  })
}
