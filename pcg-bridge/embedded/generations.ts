// Generation tasks of components: scheduled, running, cached, stale, cleaned. What was made survives a failed task.
import { createHash } from 'node:crypto'
import type { InspectionOutput } from '../catalog/index.ts'
import type { GenerationPhase } from '../contract/index.ts'
import type { ActorDoc, ComponentDoc, GeneratedDoc, GraphDoc } from './document.ts'
import { SPAWNERS } from './first-empty.ts'
import { readsLevel } from './generation/nodes/index.ts'
import type { Capture, NodeReport, Page, Plan, RunResult } from './generation/plan.ts'
import { embedded } from './node-tools.ts'
import { runnableAt, type Session } from './session.ts'
import { createWorkerRun, type Running } from './worker-run.ts'

export type TaskState = Exclude<InspectionOutput<'get_pcg_generation_report'>['state'], 'cancelled'>
export type LastRun = {
  readonly taskId: number | null
  readonly state: TaskState
  readonly durationMs: number | null
  readonly error: string | null
  readonly reports: readonly NodeReport[]
}

export type Generations = {
  generated(actor: string): GeneratedDoc
  running(actor: string): number | null
  last(actor: string): LastRun
  note(actor: string): string
  /** What was generated is no longer what generating afresh would give. */
  stale(actor: ActorDoc): boolean
  /** It was generated, and runs this graph, directly or through others. */
  uses(actor: ActorDoc, graph: string): boolean
  start(actor: ActorDoc, component: ComponentDoc): number
  /** A task whose result is the cached one. */
  reuse(actor: string): number
  clean(actor: string, removeComponents: boolean): Promise<void>
  /** A page of the last generation, from what was kept for the page before, else by running its plan again: the same plan gives the same data. */
  inspect(actor: string, wanted: Omit<Capture, 'generation'>): Promise<Page | null>
  forget(actor: string): void
  close(): Promise<void>
}

export const DEFAULT_MAX_POINTS = 5_000_000
const NEVER: GeneratedDoc = { generated: false, output: [], spawned: [], note: '', plan: '' }
const NO_RUN: LastRun = { taskId: null, state: 'never', durationMs: null, error: null, reports: [] }

function planOf(session: Session, actor: ActorDoc, component: ComponentDoc): Plan {
  const runnable = runnableAt(session, component.graph ?? '')
  const graphs: Record<string, GraphDoc> = {}
  for (const path of embedded(session.findGraph, runnable.graph.path)) {
    const graph = session.findGraph(path)
    if (graph) graphs[path] = graph
  }
  return {
    root: runnable.graph.path,
    graphs,
    overrides: runnable.overrides,
    actor,
    seed: component.seed,
    actors: session.store.level.actors,
  }
}

/** Positions and comments of a graph do not change what it makes, nor actors that it does not look at. */
function fingerprint(plan: Plan): string {
  const graphs = Object.entries(plan.graphs).map(([path, { nodes, edges, parameters, inputPins, outputPins }]) => [
    path,
    nodes,
    edges,
    parameters,
    inputPins,
    outputPins,
  ])
  const looks = Object.values(plan.graphs).some((graph) => graph.nodes.some((node) => readsLevel(node.class)))
  const actors = (looks ? plan.actors : [plan.actor]).map((actor) => ({ ...actor, component: undefined }))
  const text = JSON.stringify([plan.root, graphs, plan.overrides, plan.actor.name, plan.seed, actors])
  return createHash('sha256').update(text).digest('hex')
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Spawners that received points and placed nothing, with their own reason. */
function idleSpawners({ reports }: RunResult, { graphs }: Plan): string[] {
  return reports
    .filter(({ graph, node, points, spawned }) => {
      const found = graphs[graph.toLowerCase()]?.nodes.find((each) => each.name === node)
      return found !== undefined && SPAWNERS.includes(found.class) && points > 0 && spawned === 0
    })
    .map(({ node, warnings }) => `${node} spawned nothing. ${warnings.join('. ')}`.trim())
}

function noteOf(result: RunResult, plan: Plan): string {
  const instances = result.spawned.reduce((sum, item) => sum + item.instances, 0)
  const passed = [...new Set(result.reports.filter((item) => !item.executed).map((item) => item.node))]
  const parts = [
    ...(result.reports.length === 0 ? ['Nothing ran: the actor has no extent, or the graph has no nodes.'] : []),
    ...(instances > 0
      ? [`Spawned ${counted(instances, 'instance')} in ${counted(result.spawned.length, 'component')}.`]
      : []),
    ...(result.output.length === 0 && instances > 0 ? ['Nothing is wired to Output.'] : []),
    ...(result.output.length === 0 && instances === 0
      ? ['Nothing was generated: explain_pcg_component says why.']
      : []),
    ...new Set(idleSpawners(result, plan)),
    ...(passed.length > 0 ? [`Not executed by this editor, data passed through: ${passed.join(', ')}.`] : []),
  ]
  return parts.join(' ')
}

export function createGenerations(session: Session, maxPoints: number): Generations {
  const worker = createWorkerRun()
  const tasks = new Map<string, { readonly id: number; readonly running: Running | null }>()
  const runs = new Map<string, LastRun>()
  const plans = new Map<string, { readonly plan: Plan; readonly generation: number }>()
  let lastId = 0

  const generated = (actor: string) => {
    const made = session.store.level.generated
    return (Object.hasOwn(made, actor) ? made[actor] : undefined) ?? NEVER
  }
  const tell = (actorName: string, phase: GenerationPhase, message: string, progress?: number) =>
    session.emit({
      type: 'generation',
      actorName,
      phase,
      taskId: tasks.get(actorName)?.id ?? runs.get(actorName)?.taskId ?? null,
      message,
      ...(progress === undefined ? {} : { progress }),
    })

  async function keep(actor: string, made: GeneratedDoc | null): Promise<void> {
    const { [actor]: _gone, ...others } = session.store.level.generated
    session.store.level = { ...session.store.level, generated: made ? { ...others, [actor]: made } : others }
    const error = await session.store.saveLevel()
    if (error) session.emit({ type: 'log', level: 'error', text: error })
    session.emit({ type: 'level.changed' })
  }

  function finish(actor: string, run: LastRun): void {
    tasks.delete(actor)
    runs.set(actor, run)
  }

  async function follow(actor: string, id: number, running: Running, plan: Plan): Promise<void> {
    const started = performance.now()
    const reports: NodeReport[] = []
    const ended = (state: TaskState, error: string | null): LastRun => ({
      taskId: id,
      state,
      durationMs: performance.now() - started,
      error,
      reports,
    })
    try {
      const { result } = await running.result
      // A cleanup or another task replaced this one: drop the result.
      if (tasks.get(actor)?.id !== id) return
      reports.push(...result.reports)
      const note = noteOf(result, plan)
      const output = result.output.map(({ pin, dataClass, tags }) => ({ pin, dataClass, tags: [...tags] }))
      plans.set(actor, { plan, generation: id })
      const made = { generated: true, output, spawned: [...result.spawned], note, plan: fingerprint(plan) }
      const saving = keep(actor, made)
      finish(actor, ended('generated', null))
      await saving
      const rows = result.output.reduce((sum, item) => sum + item.rows, 0)
      const empty = rows === 0 && result.spawned.length === 0
      tell(actor, empty ? 'empty' : 'verified', note === '' ? `${rows} points` : note)
    } catch (error) {
      if (tasks.get(actor)?.id !== id) return
      const message = error instanceof Error ? error.message : String(error)
      finish(actor, ended('failed', message))
      tell(actor, 'failed', message)
    }
  }

  return {
    generated,
    running: (actor) => tasks.get(actor)?.id ?? null,
    last: (actor) => runs.get(actor) ?? { ...NO_RUN, state: generated(actor).generated ? 'generated' : 'never' },
    note(actor) {
      const run = runs.get(actor)
      const failed =
        run?.state === 'failed' ? `The last generation failed: ${run.error ?? ''}. What was there before stays.` : ''
      const pending = tasks.has(actor) ? 'Generating.' : ''
      return [pending, failed, generated(actor).note].filter((part) => part !== '').join(' ')
    },
    stale(actor) {
      const made = generated(actor.name)
      if (!made.generated || !actor.component) return false
      try {
        return fingerprint(planOf(session, actor, actor.component)) !== made.plan
      } catch {
        // The graph is gone: what was made of it cannot be made again.
        return true
      }
    },
    uses(actor, graph) {
      const path = actor.component?.graph
      if (!path || !generated(actor.name).generated) return false
      try {
        return embedded(session.findGraph, runnableAt(session, path).graph.path).has(graph.toLowerCase())
      } catch {
        // Its graph is gone: no edit of another can concern it.
        return false
      }
    },
    start(actor, component) {
      const plan = planOf(session, actor, component)
      lastId += 1
      const id = lastId
      const running = worker.run({ plan, limits: { maxPoints } }, ({ report, done, total }) => {
        if (total > 0 && report.graph === plan.root) tell(actor.name, 'generating', report.node, done / total)
      })
      tasks.set(actor.name, { id, running })
      tell(actor.name, 'scheduled', `Task ${id}`)
      void follow(actor.name, id, running, plan)
      return id
    },
    reuse(actor) {
      lastId += 1
      const id = lastId
      tasks.set(actor, { id, running: null })
      tell(actor, 'scheduled', `Task ${id}`)
      setImmediate(() => {
        if (tasks.get(actor)?.id !== id) return
        tasks.delete(actor)
        runs.set(actor, { ...(runs.get(actor) ?? { ...NO_RUN, state: 'generated' }), taskId: id })
        tell(actor, 'verified', 'The cached result was used')
      })
      return id
    },
    async clean(actor, removeComponents) {
      const task = tasks.get(actor)
      tasks.delete(actor)
      task?.running?.cancel()
      tell(actor, 'cleaning', removeComponents ? 'Removing output and spawned components' : 'Removing output')
      const spawned = removeComponents ? [] : generated(actor).spawned
      plans.delete(actor)
      worker.drop()
      runs.set(actor, { ...NO_RUN, taskId: task?.id ?? runs.get(actor)?.taskId ?? null, state: 'cleaned' })
      await keep(actor, spawned.length === 0 ? null : { ...NEVER, spawned })
      tell(actor, 'dirty', 'Cleaned')
    },
    async inspect(actor, wanted) {
      const last = plans.get(actor)
      if (!last) return null
      const { plan, generation } = last
      return (await worker.run({ plan, limits: { maxPoints }, capture: { ...wanted, generation } }).result).page
    },
    forget(actor) {
      tasks.get(actor)?.running?.cancel()
      tasks.delete(actor)
      runs.delete(actor)
      plans.delete(actor)
      worker.drop()
    },
    async close() {
      for (const task of tasks.values()) task.running?.cancel()
      tasks.clear()
      await worker.close()
    },
  }
}
