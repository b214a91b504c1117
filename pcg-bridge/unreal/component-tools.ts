// Components and generation of a real editor. Generation runs in the editor's own frames: start, return, poll.
import { z } from 'zod'
import type { GenerationPhase } from '../contract/index.ts'
import {
  asText,
  COMPONENT_PROPERTIES,
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
import { counted } from '../editor/counted.ts'
import type { ComponentToolName, GenerationToolName, Tools } from '../editor/editor.ts'
import { coerce, type Settings } from '../editor/settings.ts'
import { graphPath } from './asset-path.ts'
import { createExecutions, type Executions } from './executions.ts'
import { type EditorSession } from './session.ts'
import { Shapes, type View, viewOf } from './shapes.ts'
import { changedValues, type Step } from './undo.ts'

export const Component = z.object({
  name: z.string(),
  graph: z.string().nullable(),
  generated: z.boolean(),
  running: z.boolean(),
  /** Actors that hold a part of a partitioned component. */
  cells: z.number(),
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
const CLEAN_MS = 10_000
const CLEAN_STEP_MS = 50

function view(component: Component) {
  return viewOf(component.properties, COMPONENT_PROPERTIES)
}

function obstacleOf(component: Component): string | null {
  const { values } = view(component)
  const trigger = values['GenerationTrigger']
  return obstacle({ graph: component.graph, activated: values['bActivated'] !== false, trigger })
}

type Tasks = {
  readonly executions: Executions
  of(actor: string): number | null
  start(actor: string, taskId: number): void
  /** Reports the end of a task once the editor shows it. */
  observe(actor: string, component: Component | null): void
  component(actor: string, signal?: AbortSignal): Promise<z.output<typeof WithComponent>>
}

/** Tasks that were started here and not yet seen to end. */
function createTasks(session: EditorSession): Tasks {
  const running = new Map<string, number>()
  const report = (actorName: string, taskId: number, phase: GenerationPhase, message: string) =>
    session.emit({ type: 'generation', actorName, phase, taskId, message })

  const executions = createExecutions(session)

  function observe(actor: string, component: Component | null): void {
    const taskId = running.get(actor)
    if (taskId === undefined || component?.running || executions.running(actor)) return
    running.delete(actor)
    if (component?.generated) report(actor, taskId, 'verified', 'Generated')
    else report(actor, taskId, 'failed', 'The editor ended the generation without a result: see its log')
  }
  return {
    of: (actor) => running.get(actor) ?? null,
    start(actor, taskId) {
      running.set(actor, taskId)
      report(actor, taskId, 'scheduled', 'Scheduled')
    },
    observe,
    executions,
    async component(name, signal) {
      const { actor, component } = await session.ask('read_actor', { actor: name }, ActorRead, signal)
      observe(actor, component)
      if (component) return { actor, component }
      throw noComponent(actor)
    },
  }
}

function checkProperties({ rules, values }: View, properties: Settings) {
  const failed: { name: string; error: string }[] = []
  const wanted: Record<string, unknown> = {}
  for (const [given, value] of Object.entries(properties))
    try {
      if (isGraphProperty(given)) {
        const graph = graphValue(value)
        wanted['Graph'] = graph === null ? null : graphPath(graph)
        continue
      }
      const [name, rule] = propertyNamed(rules, given)
      wanted[name] = coerce(name, rule, value, values[name])
    } catch (error) {
      failed.push({ name: given, error: error instanceof Error ? error.message : String(error) })
    }
  return { wanted, failed }
}

export function componentTools(session: EditorSession): Pick<Tools, ComponentToolName | GenerationToolName> {
  const tasks = createTasks(session)
  return { ...propertyTools(session, tasks), ...generationTools(session, tasks) }
}

function componentStep(actor: string, before: Component, after: Component): Step {
  const has = view(after)
  const values = changedValues({ ...view(before).values, Graph: before.graph }, { ...has.values, Graph: after.graph })
  const graph = Object.hasOwn(values.before, 'Graph') ? { graph: before.graph } : {}
  return {
    op: 'write_component',
    actor,
    values,
    args: { actor, values: { ...has.changes(values.before), ...graph } },
    call: { tool: 'set_pcg_component_properties', args: { actor_name: actor, properties: values.before } },
  }
}

function propertyTools(session: EditorSession, tasks: Tasks): Pick<Tools, ComponentToolName> {
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
      tasks.observe(actor, found)
      const values = found ? view(found).values : {}
      return {
        actor_name: actor,
        has_component: found !== null,
        graph_path: found?.graph ?? null,
        is_generating: (found?.running ?? false) || tasks.executions.running(actor),
        generated: found?.generated ?? false,
        seed: typeof values['Seed'] === 'number' ? values['Seed'] : null,
        activated: values['bActivated'] === true,
        is_partitioned: values['bIsComponentPartitioned'] === true,
        generation_trigger: typeof values['GenerationTrigger'] === 'string' ? values['GenerationTrigger'] : null,
      }
    },

    async set_pcg_component_properties(input, context) {
      const found = await tasks.component(input.actor_name, context.signal)
      const shown = view(found.component)
      const { wanted, failed } = checkProperties(shown, input.properties)
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
      if (Object.keys(values).length > 0)
        session.record('set_pcg_component_properties', input, context, 'level', [
          componentStep(found.actor, found.component, written.component),
        ])
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
  }
}

function generationTools(session: EditorSession, tasks: Tasks): Pick<Tools, GenerationToolName> {
  return {
    async generate_pcg_component(input, context) {
      const before = await tasks.component(input.actor_name, context.signal)
      const answer = (scheduled: boolean, note: string, task: number | null, now = before.component) => ({
        actor_name: before.actor,
        scheduled,
        task_id: task,
        is_generating: now.running,
        generated: now.generated,
        note,
      })
      if (before.component.running || tasks.executions.running(before.actor))
        return answer(false, RUNNING_ALREADY, tasks.of(before.actor))
      const reason = obstacleOf(before.component)
      if (reason !== null) return answer(false, reason, null)
      if (before.component.generated && !input.force) return answer(false, GENERATED_ALREADY, null)
      const run = await tasks.executions.start(before.actor)
      if (run !== null) {
        tasks.start(before.actor, run.task)
        return answer(true, scheduledNote({ empty: run.empty }), run.task, { ...before.component, running: true })
      }
      const made = await session.ask('generate', { actor: before.actor, force: input.force }, Generated)
      const admitted = made.component.running || made.component.generated
      if (!admitted)
        return answer(
          false,
          'The editor admitted no generation: it may be paused, or the actor is in a cell that is not loaded.',
          null,
          made.component,
        )
      tasks.start(made.actor, made.task)
      tasks.observe(made.actor, made.component)
      const cached = before.component.generated
        ? ' The cached result is used unless the output is cleaned: call cleanup_pcg_component with remove_components=true, then generate, to see edits.'
        : ''
      const note = scheduledNote({ cached, empty: made.empty })
      return answer(true, note, made.task, made.component)
    },

    async cleanup_pcg_component(input, context) {
      let found = await tasks.component(input.actor_name, context.signal)
      const { actor } = found
      session.emit({ type: 'generation', actorName: actor, phase: 'cleaning', taskId: null, message: 'Cleaning' })
      found = await session.ask('cleanup', { actor, remove: input.remove_components }, WithComponent)
      // The editor may do it in a later frame; the call is over when it is done.
      const until = performance.now() + CLEAN_MS
      while ((found.component.generated || found.component.running) && performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, CLEAN_STEP_MS))
        found = await tasks.component(actor)
      }
      session.record('cleanup_pcg_component', input, context, 'level')
      return { actor_name: actor, cleaned: !found.component.generated, generated: found.component.generated }
    },

    async get_pcg_generated_data(input, context) {
      const out = await session.ask('read_output', { actor: input.actor_name }, Output, context.signal)
      tasks.observe(out.actor, out.component)
      const instances = out.spawned.reduce((sum, item) => sum + item.instances, 0)
      const note = !out.component
        ? NO_COMPONENT
        : instances > 0
          ? `Spawned ${counted(instances, 'instance')} in ${counted(out.spawned.length, 'component')}. Only what is wired to Output is listed as data.`
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
