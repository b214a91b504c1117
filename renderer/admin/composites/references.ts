// The references of a composite: the paths its templates read, the paths a step may read, and the graph of both. Pure.

import { t } from '../../language/language.ts'
import { isRecord } from '../../ui/form/shape.ts'
import { type CompositeDraft, jsonIn, NOTHING, type StepDraft, type Template } from './draft.ts'

const IN_TEXT = /\$?\$\{([^{}]{1,500})\}/g

/** `$${` is a plain `${`. */
const inText = (text: string, change: (path: string) => string): string =>
  text.replace(IN_TEXT, (whole, path: string) => (whole.startsWith('$$') ? whole : `\${${change(path)}}`))

function inJson(value: unknown, change: (path: string) => string): unknown {
  if (typeof value === 'string') return inText(value, change)
  if (Array.isArray(value)) return value.map((each) => inJson(each, change))
  if (!isRecord(value)) return value
  const reference = referenceIn(value)
  if (reference !== undefined) return { $ref: change(reference) }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inJson(each, change)]))
}

/** The path of `{ "$ref": path }`. */
export const referenceIn = (value: unknown): string | undefined =>
  isRecord(value) && Object.keys(value).length === 1 && typeof value.$ref === 'string' ? value.$ref : undefined

/** The template with each of its paths changed. */
function withPaths(template: Template, change: (path: string) => string): Template {
  const { source, text } = template
  if (source === 'path') return { source, text: change(text.trim()) }
  if (source === 'text') return { source, text: inText(text, change) }
  const parsed = source === 'json' ? jsonIn(text) : undefined
  return parsed ? { source, text: JSON.stringify(inJson(parsed.value, change), null, 2) } : template
}

function pathsIn(templates: readonly Template[]): readonly string[] {
  const found = new Set<string>()
  for (const template of templates)
    withPaths(template, (path) => {
      found.add(path)
      return path
    })
  found.delete('')
  return [...found]
}

const templatesOf = ({ args, when }: StepDraft): readonly Template[] => [...Object.values(args), when]

/** The draft with an input property renamed wherever it is read. */
export function withInputRenamed(draft: CompositeDraft, from: string, to: string): CompositeDraft {
  const [before, after] = [`input.${from}`, `input.${to}`]
  const change = (path: string): string =>
    path === before || path.startsWith(`${before}.`) ? after + path.slice(before.length) : path
  const renamed = (template: Template): Template =>
    pathsIn([template]).some((path) => change(path) !== path) ? withPaths(template, change) : template
  return {
    ...draft,
    steps: draft.steps.map((step) => ({
      ...step,
      when: renamed(step.when),
      args: Object.fromEntries(Object.entries(step.args).map(([name, template]) => [name, renamed(template)])),
    })),
    output: renamed(draft.output),
  }
}

export type GraphNode = {
  readonly key: string
  readonly title: string
  /** Its name for later steps; of the input, the names of its values. */
  readonly id?: string
  readonly reads: readonly string[]
  /** Paths that name no input and no earlier step. */
  readonly unknown: readonly string[]
  readonly conditional: boolean
}
/** From one position of `nodes` to a later one. */
export type GraphLink = { readonly from: number; readonly to: number; readonly paths: readonly string[] }
export type Graph = { readonly nodes: readonly GraphNode[]; readonly links: readonly GraphLink[] }

export const [INPUT, OUTPUT] = ['input', 'output'] as const

export function graphOf({ inputSchema, steps, output }: Omit<CompositeDraft, 'description'>): Graph {
  const inputs = propertiesOf(jsonIn(inputSchema)?.value).map(([name]) => name)
  const positions = new Map(steps.flatMap(({ id }, at) => [[`${at}`, at + 1] as const, [id, at + 1] as const]))
  const links: GraphLink[] = []
  const read = (paths: readonly string[], to: number): readonly string[] => {
    const byOrigin = Map.groupBy(paths, (path) => {
      const [root, which = ''] = path.split('.')
      const from = root === 'input' ? 0 : root === 'steps' ? positions.get(which) : undefined
      return from !== undefined && from < to ? from : -1
    })
    for (const [from, own] of byOrigin) if (from >= 0) links.push({ from, to, paths: own })
    return byOrigin.get(-1) ?? []
  }
  const node = (at: number, key: string, title: string, templates: readonly Template[], when = NOTHING): GraphNode => {
    const reads = pathsIn(templates)
    return { key, title, reads, unknown: read(reads, at), conditional: when.source !== 'none' }
  }
  const middle = steps.map((step, at) => ({
    ...node(
      at + 1,
      step.key,
      step.tool === '' ? t('No tool yet') : `${step.client} · ${step.tool}`,
      templatesOf(step),
      step.when,
    ),
    ...(step.id === '' ? {} : { id: step.id }),
  }))
  const last = node(steps.length + 1, OUTPUT, t('Output'), [output])
  // Without a template of its own the output is the result of the last step.
  if (output.source === 'none' && steps.length > 0) links.push({ from: steps.length, to: steps.length + 1, paths: [] })
  return { nodes: [{ ...node(0, INPUT, t('Input'), []), id: inputs.join(', ') }, ...middle, last], links }
}

export type Reference = { readonly path: string; readonly about?: string; readonly group: string }

const FACTS = [
  ['json', t('The result as data')],
  ['text', t('The result as text')],
  ['isError', t('Whether it failed')],
  ['skipped', t('Whether it was skipped')],
] as const

/** Type and description of a property. */
export const wordsOf = (schema: unknown): string => {
  const { type, description } = isRecord(schema) ? schema : {}
  const words = [Array.isArray(type) ? type.join(' or ') : type, description]
  return words.filter((word) => typeof word === 'string').join(': ')
}

export const propertiesOf = (schema: unknown): readonly (readonly [string, unknown])[] =>
  isRecord(schema) && isRecord(schema.properties) ? Object.entries(schema.properties) : []

/** The paths available after `count` steps, most likely first; `outputOf` is the output schema of a step's tool. */
export function referencesFor(
  { inputSchema, steps }: Pick<CompositeDraft, 'inputSchema' | 'steps'>,
  count: number,
  outputOf: (step: StepDraft) => unknown = () => undefined,
): readonly Reference[] {
  const inputs = propertiesOf(jsonIn(inputSchema)?.value).map(([name, schema]) => ({
    path: `input.${name}`,
    about: wordsOf(schema),
    group: t('Input'),
  }))
  const earlier = steps.slice(0, count).map((step, at) => {
    const [path, group] = [
      `steps.${step.id || at}`,
      t('Step {at}{tool}', { at: at + 1, tool: step.tool && `: ${step.tool}` }),
    ]
    const fields = propertiesOf(outputOf(step)).map(([name, schema]) => ({
      path: `${path}.json.${name}`,
      about: wordsOf(schema),
      group,
    }))
    return [...fields, ...FACTS.map(([fact, about]) => ({ path: `${path}.${fact}`, about, group }))]
  })
  return [...inputs, ...earlier.toReversed().flat()]
}
