// PCG components on actors: add, read, set properties, generate, clean up, see what came out.
import {
  asText,
  COMPONENT_PROPERTIES,
  type ComponentProperty,
  GENERATED_ALREADY,
  graphValue,
  isGraphProperty,
  NO_COMPONENT,
  noComponent,
  obstacle,
  propertyNamed,
  RUNNING_ALREADY,
  scheduledNote,
} from '../editor/component.ts'
import { type ActorDoc, type ComponentDoc, newComponent } from '../editor/document.ts'
import type { ComponentToolName, GenerationToolName, Tools } from '../editor/editor.ts'
import { coerce } from '../editor/settings.ts'
import { boundsOf } from './bounds.ts'
import type { Generations } from './generations.ts'
import { actorAt, type EditorSession, editLevel, runnableAt } from './session.ts'

const FIELDS = {
  Seed: 'seed',
  bActivated: 'activated',
  bIsComponentPartitioned: 'isPartitioned',
  GenerationTrigger: 'generationTrigger',
  bRegenerateInEditor: 'regenerateInEditor',
  bGenerateOnDropWhenTriggerOnDemand: 'generateOnDrop',
  bParseActorComponents: 'parseActorComponents',
  InputType: 'inputType',
} as const satisfies Readonly<Record<ComponentProperty, keyof ComponentDoc>>

function componentAt(session: EditorSession, given: string): { actor: ActorDoc; component: ComponentDoc } {
  const actor = actorAt(session, given)
  if (!actor.component) throw noComponent(actor.name)
  return { actor, component: actor.component }
}

/** Sets one property of a copy; returns its name in the catalogue and the stored value. */
function setProperty(session: EditorSession, component: ComponentDoc, given: string, value: unknown) {
  if (isGraphProperty(given)) {
    const graph = graphValue(value)
    component.graph = graph === null ? null : runnableAt(session, graph).path
    return { name: 'Graph', stored: component.graph }
  }
  const [name, rule] = propertyNamed(COMPONENT_PROPERTIES, given)
  const stored = coerce(name, rule, value, undefined)
  Reflect.set(component, FIELDS[name as ComponentProperty], stored) // a key of COMPONENT_PROPERTIES
  return { name, stored }
}

/** Why a generation would yield nothing, known before it starts. */
export function obstacleOf(session: EditorSession, component: ComponentDoc): string | null {
  if (component.graph !== null && !graphOf(session, component))
    return `The graph ${component.graph} of the component is gone.`
  return obstacle({ ...component, trigger: component.generationTrigger })
}

function hasNoExtent(actor: ActorDoc): boolean {
  return boundsOf(actor).extent.some((size) => size <= 0)
}

export function componentTools(session: EditorSession, generations: Generations): Pick<Tools, ComponentToolName> {
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
  }
}

export function generationTools(session: EditorSession, generations: Generations): Pick<Tools, GenerationToolName> {
  return {
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
      if (generations.running(actor.name) !== null) return answer(false, RUNNING_ALREADY)
      const reason = obstacleOf(session, component)
      if (reason !== null) return answer(false, reason)
      if (before && !input.force) return answer(false, GENERATED_ALREADY)
      if (before) {
        generations.reuse(actor.name)
        return answer(
          true,
          'The cached result is used: edits since do not show. Call cleanup_pcg_component with remove_components=true, then generate.',
        )
      }
      const task = generations.start(actor, component)
      context.onProgress?.({ progress: 0, total: 1, message: `Scheduled as task ${task}` })
      return answer(true, scheduledNote({ empty: hasNoExtent(actor) }))
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
      const note = actor.component ? generations.note(actor.name) : NO_COMPONENT
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
export function graphOf(session: EditorSession, component: ComponentDoc) {
  if (component.graph === null) return undefined
  try {
    return runnableAt(session, component.graph).graph
  } catch {
    return undefined
  }
}
