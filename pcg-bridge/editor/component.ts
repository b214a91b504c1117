// What every driver applies to a PCG component: its properties, what prevents a generation, the notes of the answers.
import { bool, choice, int } from '../catalog/node-type.ts'
import type { NodeProperty } from '../catalog/node-types.ts'
import { PcgError } from './editor.ts'
import { findProperty } from './settings.ts'

export const COMPONENT_PROPERTIES = {
  Seed: int(42),
  bActivated: bool(true),
  bIsComponentPartitioned: bool(),
  GenerationTrigger: choice('GenerateOnLoad|GenerateOnDemand|GenerateAtRuntime'),
  bRegenerateInEditor: bool(),
  bGenerateOnDropWhenTriggerOnDemand: bool(),
  bParseActorComponents: bool(true),
  InputType: choice('Actor|Landscape|Other'),
} as const satisfies Readonly<Record<string, NodeProperty>>
export type ComponentProperty = keyof typeof COMPONENT_PROPERTIES

export const RUNNING_ALREADY = 'A generation is running already: poll it.'
export const GENERATED_ALREADY = 'Generated already. The cached result stands: clean up first to see edits.'
export const NO_COMPONENT = 'The actor has no PCG component.'
const NO_EXTENT = ' The actor has no extent: nothing will be generated. Spawn the volume with `extent`.'

export function scheduledNote({ cached = '', empty }: { readonly cached?: string; readonly empty: boolean }): string {
  return `Scheduled. Poll get_pcg_component_info until is_generating is false.${cached}${empty ? NO_EXTENT : ''}`
}

export function noComponent(actor: string): PcgError {
  return new PcgError('COMPONENT_NOT_FOUND', `${actor} has no PCG component: add one with add_pcg_component`)
}

/** Why a generation would yield nothing, known before it starts. */
export function obstacle(component: {
  readonly graph: string | null
  readonly activated: boolean
  readonly trigger: unknown
}): string | null {
  if (component.graph === null)
    return 'No graph is assigned to the component: assign one with the component property Graph.'
  if (!component.activated) return 'The component is not activated: set bActivated to true.'
  if (component.trigger === 'GenerateAtRuntime')
    return 'The component generates at run time only: set GenerationTrigger to GenerateOnDemand.'
  return null
}

export function isGraphProperty(given: string): boolean {
  return ['graph', 'graphinstance'].includes(given.toLowerCase())
}

/** The content path of the property Graph, or null for none. */
export function graphValue(value: unknown): string | null {
  if (value !== null && typeof value !== 'string')
    throw new PcgError('TYPE_MISMATCH', 'Graph takes a content path, or null for none')
  return value === '' || value === 'None' ? null : value
}

export function propertyNamed(rules: Readonly<Record<string, NodeProperty>>, given: string): [string, NodeProperty] {
  const name = findProperty(rules, given)
  const rule = name === undefined ? undefined : rules[name]
  if (name !== undefined && rule) return [name, rule]
  const all = Object.keys(rules).join(', ')
  throw new PcgError('INVALID_ARGUMENT', `A PCG component has no property '${given}'. It has: Graph, ${all}`)
}

/** As the real editor prints a value. */
export function asText(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value ?? 'None')
}
