// Components and generation of a real editor. Generation runs in the editor's own frames: start, return, poll.
import { z } from 'zod'
import { bool, choice, int } from '../catalog/node-type.ts'
import { PcgError, type Tools } from '../editor/editor.ts'
import { coerce, findProperty } from '../embedded/settings.ts'
import { graphPath, type Session } from './session.ts'
import { Shapes, viewOf } from './shapes.ts'

export const Component = z.object({
  name: z.string(),
  graph: z.string().nullable(),
  generated: z.boolean(),
  running: z.boolean(),
  properties: Shapes,
})
type Component = z.output<typeof Component>
const ActorRead = z.object({ actor: z.string(), component: Component.nullable() })
const WithComponent = z.object({ actor: z.string(), component: Component })
const Added = WithComponent.extend({ existed: z.boolean(), assigned: z.boolean() })
const Written = WithComponent.extend({ failed: z.record(z.string(), z.string()) })
const Generated = WithComponent.extend({ task: z.number(), empty: z.boolean() })
const Spawned = z.array(z.object({ component: z.string(), asset: z.string(), instances: z.number() }))
const Output = ActorRead.extend({
  items: z.array(z.object({ pin: z.string(), class: z.string(), tags: z.array(z.string()) })),
  spawned: Spawned,
})
/** By the names of the catalogue; the editor says what kind each is. */
const PROPERTIES = {
  Seed: int(42),
  bActivated: bool(true),
  bIsComponentPartitioned: bool(),
  GenerationTrigger: choice('GenerateOnLoad', 'GenerateOnLoad', 'GenerateOnDemand', 'GenerateAtRuntime'),
  bRegenerateInEditor: bool(),
  bGenerateOnDropWhenTriggerOnDemand: bool(),
  bParseActorComponents: bool(true),
  InputType: choice('Actor', 'Actor', 'Landscape', 'Other'),
} as const

const CLEAN_MS = 10_000
const CLEAN_STEP_MS = 50

function view(component: Component) {
  return viewOf(component.properties, PROPERTIES)
}

function asText(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value ?? 'None')
}

/** Why generation would give nothing, known before it starts. */
function obstacle(component: Component): string | null {
  const { values } = view(component)
  if (component.graph === null)
    return 'No graph is assigned to the component: assign one with the component property Graph.'
  if (values['bActivated'] === false) return 'The component is not activated: set bActivated to true.'
  if (values['GenerationTrigger'] === 'GenerateAtRuntime')
    return 'The component generates at run time only: set GenerationTrigger to GenerateOnDemand.'
  return null
}

type ComponentToolName =
  | 'add_pcg_component'
  | 'get_pcg_component_info'
  | 'set_pcg_component_properties'
  | 'generate_pcg_component'
  | 'cleanup_pcg_component'
  | 'get_pcg_generated_data'

export function componentTools(session: Session): Pick<Tools, ComponentToolName> {
  /** Tasks that were started here and not yet seen to end. */
  const running = new Map<string, number>()

  function observe(actorName: string, component: Component | null): void {
    const taskId = running.get(actorName)
    if (taskId === undefined || component?.running) return
    running.delete(actorName)
    const done = component?.generated === true
    session.emit({
      type: 'generation',
      actorName,
      phase: done ? 'verified' : 'failed',
      taskId,
      message: done ? 'Generated' : 'The editor ended the generation without a result: see its log',
    })
  }

  async function component(actor: string, signal?: AbortSignal) {
    const found = await session.ask('read_actor', { actor }, ActorRead, signal)
    observe(found.actor, found.component)
    if (found.component) return { actor: found.actor, component: found.component }
    throw new PcgError('COMPONENT_NOT_FOUND', `${found.actor} has no PCG component: add one with add_pcg_component`)
  }

  return {
    async add_pcg_component(input, context) {
      const graph = input.pcg_graph_path === undefined ? null : graphPath(input.pcg_graph_path)
      const added = await session.ask('add_component', { actor: input.actor_name, graph }, Added, context.signal)
      if (!added.existed || added.assigned) session.record('add_pcg_component', input, context, 'level')
      return {
        actor_name: added.actor,
        component_name: added.component.name,
        already_existed: added.existed,
        graph_path: added.component.graph,
        graph_assigned: added.assigned,
      }
    },

    async get_pcg_component_info(input, context) {
      const { actor, component: found } = await session.ask(
        'read_actor',
        { actor: input.actor_name },
        ActorRead,
        context.signal,
      )
      observe(actor, found)
      const values = found ? view(found).values : {}
      return {
        actor_name: actor,
        has_component: found !== null,
        graph_path: found?.graph ?? null,
        is_generating: found?.running ?? false,
        generated: found?.generated ?? false,
        seed: typeof values['Seed'] === 'number' ? values['Seed'] : null,
        activated: values['bActivated'] === true,
        is_partitioned: values['bIsComponentPartitioned'] === true,
        generation_trigger: typeof values['GenerationTrigger'] === 'string' ? values['GenerationTrigger'] : null,
      }
    },

    async set_pcg_component_properties(input, context) {
      const found = await component(input.actor_name, context.signal)
      const shown = view(found.component)
      const failed: { name: string; error: string }[] = []
      const wanted: Record<string, unknown> = {}
      for (const [given, value] of Object.entries(input.properties))
        try {
          if (/^graph(instance)?$/i.test(given)) {
            if (value !== null && typeof value !== 'string')
              throw new PcgError('TYPE_MISMATCH', 'Graph takes a content path, or null for none')
            wanted['Graph'] = value === null || value === '' || value === 'None' ? null : graphPath(value)
            continue
          }
          const name = findProperty(shown.rules, given)
          const rule = name === undefined ? undefined : shown.rules[name]
          if (name === undefined || !rule)
            throw new PcgError(
              'INVALID_ARGUMENT',
              `A PCG component has no property '${given}'. It has: Graph, ${Object.keys(shown.rules).join(', ')}`,
            )
          wanted[name] = coerce(name, rule, value, shown.values[name])
        } catch (error) {
          failed.push({ name: given, error: error instanceof Error ? error.message : String(error) })
        }
      const values = {
        ...shown.changes(wanted),
        ...(Object.hasOwn(wanted, 'Graph') && wanted['Graph'] !== found.component.graph
          ? { graph: wanted['Graph'] }
          : {}),
      }
      const written =
        Object.keys(values).length === 0
          ? { ...found, failed: {} }
          : await session.ask('write_component', { actor: found.actor, values }, Written)
      if (Object.keys(values).length > 0) session.record('set_pcg_component_properties', input, context, 'level')
      const after = { ...view(written.component).values, Graph: written.component.graph }
      const refused = new Map(Object.entries(written.failed))
      const names = Object.keys(wanted).filter((name) => {
        const python = Object.keys(shown.changes({ [name]: wanted[name] }))[0] ?? (name === 'Graph' ? 'graph' : '')
        const error = refused.get(python)
        if (error !== undefined) failed.push({ name, error })
        return error === undefined
      })
      return {
        actor_name: written.actor,
        set: names,
        failed,
        applied: Object.fromEntries(names.map((name) => [name, asText(Reflect.get(after, name))])),
      }
    },

    async generate_pcg_component(input, context) {
      const before = await component(input.actor_name, context.signal)
      const answer = (scheduled: boolean, note: string, task: number | null, now = before.component) => ({
        actor_name: before.actor,
        scheduled,
        task_id: task,
        is_generating: now.running,
        generated: now.generated,
        note,
      })
      if (before.component.running)
        return answer(false, 'A generation is running already: poll it.', running.get(before.actor) ?? null)
      const reason = obstacle(before.component)
      if (reason !== null) return answer(false, reason, null)
      if (before.component.generated && !input.force)
        return answer(false, 'Generated already. The cached result stands: clean up first to see edits.', null)
      const made = await session.ask('generate', { actor: before.actor, force: input.force }, Generated)
      const admitted = made.component.running || made.component.generated
      if (!admitted)
        return answer(
          false,
          'The editor admitted no generation: it may be paused, or the actor is in a cell that is not loaded.',
          null,
          made.component,
        )
      running.set(made.actor, made.task)
      session.emit({
        type: 'generation',
        actorName: made.actor,
        phase: 'scheduled',
        taskId: made.task,
        message: 'Scheduled',
      })
      observe(made.actor, made.component)
      const stale = before.component.generated
        ? ' The cached result is used unless the output is cleaned: call cleanup_pcg_component with remove_components=true, then generate, to see edits.'
        : ''
      const empty = made.empty
        ? ' The actor has no extent: nothing will be generated. Spawn the volume with `extent`.'
        : ''
      const note = `Scheduled. Poll get_pcg_component_info until is_generating is false.${stale}${empty}`
      return answer(true, note, made.task, made.component)
    },

    async cleanup_pcg_component(input, context) {
      let found = await component(input.actor_name, context.signal)
      const { actor } = found
      session.emit({ type: 'generation', actorName: actor, phase: 'cleaning', taskId: null, message: 'Cleaning' })
      found = await session.ask('cleanup', { actor, remove: input.remove_components }, WithComponent)
      // The editor may do it in a later frame; the call is over when it is done.
      const until = performance.now() + CLEAN_MS
      while ((found.component.generated || found.component.running) && performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, CLEAN_STEP_MS))
        found = await component(actor)
      }
      session.record('cleanup_pcg_component', input, context, 'level')
      return { actor_name: actor, cleaned: !found.component.generated, generated: found.component.generated }
    },

    async get_pcg_generated_data(input, context) {
      const out = await session.ask('read_output', { actor: input.actor_name }, Output, context.signal)
      observe(out.actor, out.component)
      const instances = out.spawned.reduce((sum, item) => sum + item.instances, 0)
      const note = !out.component
        ? 'The actor has no PCG component.'
        : instances > 0
          ? `Spawned ${instances} instances in ${out.spawned.length} components. Only what is wired to Output is listed as data.`
          : out.items.length === 0
            ? 'Nothing reached the Output node, and no instances were spawned.'
            : ''
      return {
        actor_name: out.actor,
        has_component: out.component !== null,
        output_data_count: out.items.length,
        data: out.items.map((item, index) => ({ index, pin: item.pin, data_class: item.class, tags: item.tags })),
        ...(note === '' ? {} : { note }),
      }
    },
  }
}
