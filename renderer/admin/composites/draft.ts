// Converts a composite to an editor draft and back. Pure.
import type { CompositeDetail, CompositeInput, Step } from '#contract'
import { t } from '../../language/language.ts'
import { isRecord } from '../../ui/form/shape.ts'

/** The kinds of a value: none, path, text with paths, literal JSON. */
export type Source = 'none' | 'path' | 'text' | 'json'
export type Template = { readonly source: Source; readonly text: string }
export const NOTHING: Template = { source: 'none', text: '' }

export type StepDraft = {
  /** Identifies a step when it is moved. */
  readonly key: string
  readonly id: string
  readonly client: string
  readonly tool: string
  readonly args: Readonly<Record<string, Template>>
  readonly when: Template
  readonly onError: 'stop' | 'continue'
}

export type CompositeDraft = {
  readonly description: string
  readonly inputSchema: string
  readonly steps: readonly StepDraft[]
  readonly output: Template
  /** The text of its script; null for a composite of steps. */
  readonly script: string | null
  /** JSON; null where its result is not checked. */
  readonly outputSchema: string | null
}

const DOUBLE_BRACES = /\{\{\s*([\w.[\]-]{1,200})\s*\}\}/g

/** A text with `{{ path }}` written as `${path}`; undefined without any. Double braces are sent as they stand. */
export function withDollars({ source, text }: Template): Template | undefined {
  const changed = text.replace(DOUBLE_BRACES, '${$1}')
  return (source === 'text' || source === 'json') && changed !== text ? { source, text: changed } : undefined
}

type Definition = Pick<CompositeInput, 'description' | 'inputSchema' | 'steps' | 'output' | 'script'>
/** Problems by path. */
export type Problems = ReadonlyMap<string, string>

export function templateOf(value: unknown): Template {
  if (value === undefined || value === null) return NOTHING
  if (typeof value === 'string') return { source: 'text', text: value }
  if (isRecord(value) && Object.keys(value).length === 1 && typeof value.$ref === 'string')
    return { source: 'path', text: value.$ref }
  return { source: 'json', text: JSON.stringify(value, null, 2) }
}

const stepOf = (
  { id = '', targetClient, targetTool, argsTemplate = {}, when, onError }: Step,
  key: string,
): StepDraft => ({
  key,
  id,
  client: targetClient,
  tool: targetTool,
  args: Object.fromEntries(
    Object.entries(argsTemplate).map(([name, value]) => [
      name,
      // A null argument is present, unlike an omitted one.
      value === null ? { source: 'json', text: 'null' } : templateOf(value),
    ]),
  ),
  when: templateOf(when),
  onError: onError ?? 'stop',
})

export const draftOf = ({ description, inputSchema, steps, output, script }: CompositeDetail): CompositeDraft => ({
  description: description ?? '',
  inputSchema: JSON.stringify(inputSchema, null, 2),
  steps: steps.map((step, at) => stepOf(step, `${at}`)),
  output: templateOf(output),
  script: script?.source ?? null,
  outputSchema: script?.outputSchema ? JSON.stringify(script.outputSchema, null, 2) : null,
})

export const newStep = (key: string): StepDraft => stepOf({ targetClient: '', targetTool: '' }, key)

/** A step with a key of its own, also beside steps of a draft that outlived a reload. */
export function addedTo(steps: readonly StepDraft[]): StepDraft {
  let number = steps.length
  while (steps.some(({ key }) => key === `added-${number}`)) number += 1
  return newStep(`added-${number}`)
}

export function jsonIn(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** Converts the draft to the contract's form, with invalid JSON as problems. */
export function definitionOf({ description, inputSchema, steps, output, script, outputSchema }: CompositeDraft): {
  readonly definition: { readonly [K in keyof Definition]: unknown }
  readonly problems: Problems
} {
  const problems = new Map<string, string>()
  const parse = (text: string, path: string): unknown => {
    const found = jsonIn(text)
    if (!found) problems.set(path, text.trim() === '' ? t('Enter a value') : t('This is not JSON yet'))
    return found?.value
  }
  const valueOf = ({ source, text }: Template, path: string): unknown => {
    if (source === 'path') return { $ref: text.trim() }
    return source === 'json' ? parse(text, path) : text
  }
  // The tools of a script are the steps that name one.
  const used = script === null ? steps : steps.filter(({ tool }) => tool !== '')
  const definition = {
    description: description.trim() || null,
    inputSchema: parse(inputSchema, 'inputSchema'),
    steps: used.map(({ id, client, tool, args, when, onError }, at) => {
      if (tool === '') problems.set(`steps.${at}.targetTool`, t('Choose the tool for this step'))
      const given = Object.entries(args).filter(([, template]) => template.source !== 'none')
      return {
        ...(id === '' ? {} : { id }),
        targetClient: client,
        targetTool: tool,
        argsTemplate: Object.fromEntries(
          given.map(([name, template]) => [name, valueOf(template, `steps.${at}.argsTemplate.${name}`)]),
        ),
        ...(when.source === 'none' ? {} : { when: valueOf(when, `steps.${at}.when`) }),
        ...(onError === 'continue' ? { onError } : {}),
      }
    }),
    output: output.source === 'none' ? null : valueOf(output, 'output'),
    script:
      script === null
        ? null
        : { source: script, outputSchema: outputSchema === null ? null : parse(outputSchema, 'script.outputSchema') },
  }
  return { definition, problems }
}

/** Moves by one, within the list. */
export function moved<T>(list: readonly T[], from: number, by: -1 | 1): readonly T[] {
  const to = from + by
  const [one, other] = [list[from], list[to]]
  if (one === undefined || other === undefined) return list
  return list.map((each, at) => (at === from ? other : at === to ? one : each))
}
