// PCG components on actors: add, read, set properties, generate, clean up, see what came out.
import { bool, choice, int } from '../catalog/node-type.ts'
import type { NodeProperty } from '../catalog/node-types.ts'
import { PcgError, type Tools } from '../editor/editor.ts'
import { boundsOf } from './bounds.ts'
import { type ActorDoc, type ComponentDoc, newComponent } from './document.ts'
import type { Generations } from './generations.ts'
import { actorAt, editLevel, runnableAt, type Session } from './session.ts'
import { coerce, findProperty } from './settings.ts'

const PROPERTIES = {
  Seed: { field: 'seed', is: int(42) },
  bActivated: { field: 'activated', is: bool(true) },
  bIsComponentPartitioned: { field: 'isPartitioned', is: bool() },
  GenerationTrigger: {
    field: 'generationTrigger',
    is: choice('GenerateOnLoad', 'GenerateOnLoad', 'GenerateOnDemand', 'GenerateAtRuntime'),
  },
  bRegenerateInEditor: { field: 'regenerateInEditor', is: bool() },
  bGenerateOnDropWhenTriggerOnDemand: { field: 'generateOnDrop', is: bool() },
  bParseActorComponents: { field: 'parseActorComponents', is: bool(true) },
  InputType: { field: 'inputType', is: choice('Actor', 'Actor', 'Landscape', 'Other') },
} as const satisfies Readonly<Record<string, { field: keyof ComponentDoc; is: NodeProperty }>>
type PropertyName = keyof typeof PROPERTIES
const KINDS = Object.fromEntries(Object.entries(PROPERTIES).map(([name, row]) => [name, row.is]))

function asText(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value ?? 'None')
}

function componentAt(session: Session, given: string): { actor: ActorDoc; component: ComponentDoc } {
  const actor = actorAt(session, given)
  if (!actor.component)
    throw new PcgError('COMPONENT_NOT_FOUND', `${actor.name} has no PCG component: add one with add_pcg_component`)
  return { actor, component: actor.component }
}

/** One property of a copy; answers its name as the catalogue spells it and the stored value. */
function setProperty(session: Session, component: ComponentDoc, given: string, value: unknown) {
  if (['graph', 'graphinstance'].includes(given.toLowerCase())) {
    if (value !== null && typeof value !== 'string')
      throw new PcgError('TYPE_MISMATCH', 'Graph takes a content path, or null for none')
    component.graph = value === null || value === '' || value === 'None' ? null : runnableAt(session, value).path
    return { name: 'Graph', stored: component.graph }
  }
  const name = findProperty(KINDS, given)
  if (name === undefined)
    throw new PcgError(
      'INVALID_ARGUMENT',
      `A PCG component has no property '${given}'. It has: Graph, ${Object.keys(KINDS).join(', ')}`,
    )
  const row = PROPERTIES[name as PropertyName] // findProperty answers a key of KINDS
  const stored = coerce(name, row.is, value, undefined)
  Reflect.set(component, row.field, stored)
  return { name, stored }
}

/** Why generation would give nothing, known before it starts; nothing when it may start. */
export function obstacle(session: Session, component: ComponentDoc): string | null {
  if (component.graph === null)
    return 'No graph is assigned to the component: assign one with the component property Graph.'
  try {
    runnableAt(session, component.graph)
  } catch {
    return `The graph ${component.graph} of the component is gone.`
  }
  if (!component.activated) return 'The component is not activated: set bActivated to true.'
  if (component.generationTrigger === 'GenerateAtRuntime')
    return 'The component generates at run time only: set GenerationTrigger to GenerateOnDemand.'
  return null
}

function hasNoExtent(actor: ActorDoc): boolean {
  return boundsOf(actor).extent.some((size) => size <= 0)
}

type ComponentToolName =
  | 'add_pcg_component'
  | 'get_pcg_component_info'
  | 'set_pcg_component_properties'
  | 'generate_pcg_component'
  | 'cleanup_pcg_component'
  | 'get_pcg_generated_data'

export function componentTools(session: Session, generations: Generations): Pick<Tools, ComponentToolName> {
  return {
    async add_pcg_component(input, context) {
      const found = actorAt(session, input.actor_name)
      const wanted = input.pcg_graph_path === undefined ? null : runnableAt(session, input.pcg_graph_path).path
      const existing = found.component
      const component = existing ?? newComponent('PCGComponent', wanted)
      // An existing graph is never replaced by an additive tool; an empty place is filled.
      const graph = component.graph ?? wanted
      await editLevel(session, { tool: 'add_pcg_component', args: input, context }, (level) => {
        const actor = level.actors.find((item) => item.name === found.name)
        if (actor) actor.component = { ...component, graph }
      })
      return {
        actor_name: found.name,
        component_name: component.name,
        already_existed: existing !== undefined,
        graph_path: graph,
        graph_assigned: wanted !== null && graph === wanted,
      }
    },

    async get_pcg_component_info(input) {
      const actor = actorAt(session, input.actor_name)
      const { component } = actor
      return {
        actor_name: actor.name,
        has_component: component !== undefined,
        graph_path: component?.graph ?? null,
        is_generating: generations.running(actor.name) !== null,
        generated: component !== undefined && generations.generated(actor.name).generated,
        seed: component?.seed ?? null,
        activated: component?.activated ?? false,
        is_partitioned: component?.isPartitioned ?? false,
        generation_trigger: component?.generationTrigger ?? null,
      }
    },

    async set_pcg_component_properties(input, context) {
      const { actor, component } = componentAt(session, input.actor_name)
      const copy = { ...component }
      const names: string[] = []
      const applied: Record<string, string> = {}
      const failed: { name: string; error: string }[] = []
      for (const [given, value] of Object.entries(input.properties))
        try {
          const { name, stored } = setProperty(session, copy, given, value)
          names.push(name)
          applied[name] = asText(stored)
        } catch (error) {
          failed.push({ name: given, error: error instanceof Error ? error.message : String(error) })
        }
      await editLevel(session, { tool: 'set_pcg_component_properties', args: input, context }, (level) => {
        const target = level.actors.find((item) => item.name === actor.name)
        if (target) target.component = copy
      })
      return { actor_name: actor.name, set: names, failed, applied }
    },

    async generate_pcg_component(input, context) {
      const { actor, component } = componentAt(session, input.actor_name)
      const before = generations.generated(actor.name).generated
      const answer = (scheduled: boolean, note: string) => ({
        actor_name: actor.name,
        scheduled,
        task_id: generations.running(actor.name),
        is_generating: generations.running(actor.name) !== null,
        generated: before,
        note,
      })
      if (generations.running(actor.name) !== null) return answer(false, 'A generation is running already: poll it.')
      const reason = obstacle(session, component)
      if (reason !== null) return answer(false, reason)
      if (before && !input.force)
        return answer(false, 'Generated already. The cached result stands: clean up first to see edits.')
      if (before) {
        generations.reuse(actor.name)
        return answer(
          true,
          'The cached result is used: edits since do not show. Call cleanup_pcg_component with remove_components=true, then generate.',
        )
      }
      const task = generations.start(actor, component)
      context.onProgress?.({ progress: 0, total: 1, message: `Scheduled as task ${task}` })
      const empty = hasNoExtent(actor)
        ? ' The actor has no extent: nothing will be generated. Spawn the volume with `extent`.'
        : ''
      return answer(true, `Scheduled. Poll get_pcg_component_info until is_generating is false.${empty}`)
    },

    async cleanup_pcg_component(input) {
      const { actor } = componentAt(session, input.actor_name)
      await generations.clean(actor.name, input.remove_components)
      return { actor_name: actor.name, cleaned: true, generated: generations.generated(actor.name).generated }
    },

    async get_pcg_generated_data(input) {
      const actor = actorAt(session, input.actor_name)
      const made = generations.generated(actor.name)
      const output = actor.component ? made.output : []
      const note = actor.component ? generations.note(actor.name) : 'The actor has no PCG component.'
      return {
        actor_name: actor.name,
        has_component: actor.component !== undefined,
        output_data_count: output.length,
        data: output.map((item, index) => ({ index, pin: item.pin, data_class: item.dataClass, tags: item.tags })),
        ...(note === '' ? {} : { note }),
      }
    },
  }
}

/** The graph a component runs by its own path, for those who explain it. */
export function graphOf(session: Session, component: ComponentDoc) {
  if (component.graph === null) return undefined
  try {
    return runnableAt(session, component.graph).graph
  } catch {
    return undefined
  }
}
