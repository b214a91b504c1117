// Generation tasks of components: scheduled, running, cached, stale, cleaned. What was made survives a failed task.
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InspectionOutput } from '../catalog/index.ts'
import type { GenerationPhase } from '../contract/index.ts'
import { counted } from '../editor/counted.ts'
import type { ActorDoc, ComponentDoc, GeneratedDoc, GraphDoc } from '../editor/document.ts'
import { SPAWNERS } from './first-empty.ts'
import { readsLevel } from './generation/nodes/index.ts'
import type { Capture, NodeReport, Page, Plan, RunResult } from './generation/plan.ts'
import { embedded } from './node-tools.ts'
import { type EditorSession, type GraphRef, runnableAt } from './session.ts'
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
  /** Resolves when the running task of an actor ends; at once without one. */
  settled(actor: string): Promise<void>
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
  /** The same of the graphs as they are now, with this one in place of its stored state. */
  preview(
    actor: ActorDoc,
    component: ComponentDoc,
    changed: GraphRef,
    wanted: Omit<Capture, 'generation'>,
  ): Promise<Page | null>
  forget(actor: string): void
  close(): Promise<void>
}

export const DEFAULT_MAX_POINTS = 5_000_000
const NEVER: GeneratedDoc = { generated: false, output: [], spawned: [], note: '', plan: '' }
const NO_RUN: LastRun = { taskId: null, state: 'never', durationMs: null, error: null, reports: [] }

export function planOf(session: EditorSession, actor: ActorDoc, component: ComponentDoc, changed?: GraphRef): Plan {
  const runnable = runnableAt(session, component.graph ?? '')
  const graphs: Record<string, GraphDoc> = {}
  for (const path of embedded(session.findGraph, runnable.graph.path)) {
    const graph = changed?.path.toLowerCase() === path ? changed.doc : session.findGraph(path)
    if (graph) graphs[path] = graph
  }
  return {
    root: runnable.graph.path,
    graphs,
    overrides: runnable.overrides,
    actor,
    seed: component.seed,
    actors: session.store.level.actors,
    sources: session.store.sources(Object.values(graphs)),
  }
}

/** Positions and comments of a graph do not change what it makes, nor actors that it does not look at. */
function fingerprint(plan: Plan): string {
  const graphs = Object.entries(plan.graphs).map(([path, { nodes, edges, parameters, inputPins, outputPins }]) => [
    path,
    nodes,
    edges,
    parameters
      .map(({ name, type, value }) => [name, type, value])
      .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
    inputPins,
    outputPins,
  ])
  const looks = Object.values(plan.graphs).some((graph) => graph.nodes.some((node) => readsLevel(node.class)))
  const actors = (looks ? plan.actors : [plan.actor]).map((actor) => ({ ...actor, component: undefined }))
  const read = Object.entries(plan.sources ?? {}).map(([path, { digest }]) => [path, digest])
  const text = JSON.stringify([
    plan.root,
    graphs,
    plan.overrides,
    plan.actor.name,
    plan.seed,
    actors,
    ...(read.length > 0 ? [read] : []),
  ])
  return createHash('sha256').update(text).digest('hex')
}

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

type Task = { readonly id: number; readonly running: Running | null; readonly end: PromiseWithResolvers<void> }
type Tasks = {
  readonly session: EditorSession
  readonly current: Map<string, Task>
  /** The last task of each actor. */
  readonly ended: Map<string, LastRun>
  readonly plans: Map<string, { readonly plan: Plan; readonly generation: number }>
}

function generatedOf({ store }: EditorSession, actor: string): GeneratedDoc {
  const made = store.level.generated
  return (Object.hasOwn(made, actor) ? made[actor] : undefined) ?? NEVER
}

async function store(
  session: EditorSession,
  actor: string,
  made: GeneratedDoc | null,
  after?: Promise<unknown>,
): Promise<void> {
  const { [actor]: _gone, ...others } = session.store.level.generated
  session.store.level = { ...session.store.level, generated: made ? { ...others, [actor]: made } : others }
  session.emit({ type: 'level.changed' })
  const error = await session.store.saveLevel(after)
  if (error) session.emit({ type: 'log', level: 'error', text: error })
}

function endTask({ current }: Tasks, actor: string): Task | undefined {
  const task = current.get(actor)
  current.delete(actor)
  task?.end.resolve()
  return task
}

function report(tasks: Tasks, actorName: string, phase: GenerationPhase, message: string, progress?: number): void {
  tasks.session.emit({
    type: 'generation',
    actorName,
    phase,
    taskId: tasks.current.get(actorName)?.id ?? tasks.ended.get(actorName)?.taskId ?? null,
    message,
    ...(progress === undefined ? {} : { progress }),
  })
}

/** Stores and reports the result of a task; a cleanup or another task that replaced it drops the result. */
async function follow(tasks: Tasks, actor: string, id: number, running: Running, plan: Plan): Promise<void> {
  const { session, current, ended, plans } = tasks
  const started = performance.now()
  // While the thread runs: who waits for the end does not wait for these.
  const print = nextTurn().then(() => fingerprint(plan))
  print.catch(() => undefined)
  const finish = (end: Pick<LastRun, 'state' | 'error' | 'reports'>) => {
    endTask(tasks, actor)
    ended.set(actor, { taskId: id, durationMs: performance.now() - started, ...end })
  }
  try {
    const { result } = await running.result
    const made = { generated: true, plan: await print }
    if (current.get(actor)?.id !== id) return
    const note = noteOf(result, plan)
    const output = result.output.map(({ pin, dataClass, tags }) => ({ pin, dataClass, tags: [...tags] }))
    plans.set(actor, { plan, generation: id })
    // The end is reported before the level is on disk: the event of an edit in that time comes after it.
    void store(session, actor, { ...made, output, spawned: [...result.spawned], note }, nextTurn())
    finish({ state: 'generated', error: null, reports: result.reports })
    const rows = result.output.reduce((sum, item) => sum + item.rows, 0)
    const empty = rows === 0 && result.spawned.length === 0
    report(tasks, actor, empty ? 'empty' : 'verified', note === '' ? counted(rows, 'point') : note)
  } catch (error) {
    if (current.get(actor)?.id !== id) return
    const message = error instanceof Error ? error.message : String(error)
    finish({ state: 'failed', error: message, reports: [] })
    report(tasks, actor, 'failed', message)
  }
}

function isStale(session: EditorSession, actor: ActorDoc): boolean {
  const made = generatedOf(session, actor.name)
  if (!made.generated || !actor.component) return false
  try {
    return fingerprint(planOf(session, actor, actor.component)) !== made.plan
  } catch {
    // The graph is gone: its output cannot be made again.
    return true
  }
}

function runsGraph(session: EditorSession, { name, component }: ActorDoc, graph: string): boolean {
  if (!component?.graph || !generatedOf(session, name).generated) return false
  try {
    const root = runnableAt(session, component.graph).graph.path
    return embedded(session.findGraph, root).has(graph.toLowerCase())
  } catch {
    // Its graph is gone: no edit of another can concern it.
    return false
  }
}

export function createGenerations(session: EditorSession, maxPoints: number): Generations {
  const worker = createWorkerRun()
  const tasks: Tasks = { session, current: new Map(), ended: new Map(), plans: new Map() }
  const { current, ended, plans } = tasks
  let lastId = 0
  /** Below the numbers of generations. */
  let previews = 0
  const begin = (actor: string, running: Running | null): number => {
    lastId += 1
    endTask(tasks, actor)
    current.set(actor, { id: lastId, running, end: Promise.withResolvers() })
    report(tasks, actor, 'scheduled', `Task ${lastId}`)
    return lastId
  }

  return {
    generated: (actor) => generatedOf(session, actor),
    running: (actor) => current.get(actor)?.id ?? null,
    settled: async (actor) => current.get(actor)?.end.promise,
    last: (actor) =>
      ended.get(actor) ?? { ...NO_RUN, state: generatedOf(session, actor).generated ? 'generated' : 'never' },
    note(actor) {
      const run = ended.get(actor)
      const failed =
        run?.state === 'failed' ? `The last generation failed: ${run.error ?? ''}. Earlier output stays.` : ''
      const pending = current.has(actor) ? 'Generating.' : ''
      return [pending, failed, generatedOf(session, actor).note].filter((part) => part !== '').join(' ')
    },
    stale: (actor) => isStale(session, actor),
    uses: (actor, graph) => runsGraph(session, actor, graph),
    start(actor, component) {
      const plan = planOf(session, actor, component)
      const running = worker.run({ plan, limits: { maxPoints } }, ({ report: made, done, total }) => {
        if (total > 0 && made.graph === plan.root) report(tasks, actor.name, 'generating', made.node, done / total)
      })
      const id = begin(actor.name, running)
      void follow(tasks, actor.name, id, running, plan)
      return id
    },
    reuse(actor) {
      const id = begin(actor, null)
      setImmediate(() => {
        if (current.get(actor)?.id !== id) return
        endTask(tasks, actor)
        ended.set(actor, { ...(ended.get(actor) ?? { ...NO_RUN, state: 'generated' }), taskId: id })
        report(tasks, actor, 'verified', 'The cached result was used')
      })
      return id
    },
    async clean(actor, removeComponents) {
      const task = endTask(tasks, actor)
      task?.running?.cancel()
      report(tasks, actor, 'cleaning', removeComponents ? 'Removing output and spawned components' : 'Removing output')
      const spawned = removeComponents ? [] : generatedOf(session, actor).spawned
      plans.delete(actor)
      worker.drop()
      ended.set(actor, { ...NO_RUN, taskId: task?.id ?? ended.get(actor)?.taskId ?? null, state: 'cleaned' })
      await store(session, actor, spawned.length === 0 ? null : { ...NEVER, spawned })
      report(tasks, actor, 'dirty', 'Cleaned')
    },
    async inspect(actor, wanted) {
      const last = plans.get(actor)
      if (!last) return null
      const { plan, generation } = last
      return (await worker.run({ plan, limits: { maxPoints }, capture: { ...wanted, generation } }).result).page
    },
    async preview(actor, component, changed, wanted) {
      previews -= 1
      const job = { plan: planOf(session, actor, component, changed), limits: { maxPoints } }
      return (await worker.run({ ...job, capture: { ...wanted, generation: previews } }).result).page
    },
    forget(actor) {
      endTask(tasks, actor)?.running?.cancel()
      for (const records of [ended, plans]) records.delete(actor)
      worker.drop()
    },
    async close() {
      for (const actor of current.keys()) endTask(tasks, actor)?.running?.cancel()
      await worker.close()
    },
  }
}
