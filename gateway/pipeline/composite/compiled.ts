// A composite made ready to run: its templates and its schema read once for as long as the record lives.
import type { Composite, CompositeStep } from '../../registry/curated.ts'
import { schemaValidator, type Validator } from '../0-admission/validator.ts'
import { compileTemplate, type Earlier, type Template, TemplateProblem } from './template.ts'

export type CompiledStep = {
  readonly client: string
  readonly tool: string
  readonly args: Template
  /** Undefined when the step is always run. */
  readonly when: Template | undefined
  readonly goesOn: boolean
}
export type Compiled = {
  readonly validate: Validator
  readonly steps: readonly CompiledStep[]
  readonly output: Template | undefined
}

function idsOf(steps: readonly CompositeStep[]): ReadonlyMap<string, number> {
  const ids = new Map<string, number>()
  for (const [index, { id }] of steps.entries()) {
    if (id === undefined) continue
    if (ids.has(id)) throw new TemplateProblem(`steps.${index}.id`, `"${id}" is the id of another step`)
    ids.set(id, index)
  }
  return ids
}

/** Throws `TemplateProblem` for steps that cannot be run as they stand. */
export function compileSteps({ steps, output }: Pick<Composite, 'steps' | 'output'>): Omit<Compiled, 'validate'> {
  const ids = idsOf(steps)
  const upTo = (count: number): Earlier => ({ count, ids })
  return {
    steps: steps.map(({ targetClient, targetTool, argsTemplate = {}, when, onError }, index) => ({
      client: targetClient,
      tool: targetTool,
      args: compileTemplate(argsTemplate, upTo(index), `steps.${index}.argsTemplate`),
      when: when === undefined ? undefined : compileTemplate(when, upTo(index), `steps.${index}.when`),
      goesOn: onError === 'continue',
    })),
    output: output === null ? undefined : compileTemplate(output, upTo(steps.length), 'output'),
  }
}

const kept = new WeakMap<Composite, Compiled>()

export function compiledOf(composite: Composite): Compiled {
  const known = kept.get(composite)
  if (known) return known
  const compiled = { validate: schemaValidator(composite.inputSchema, false), ...compileSteps(composite) }
  kept.set(composite, compiled)
  return compiled
}
