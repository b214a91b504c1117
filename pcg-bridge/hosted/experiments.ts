// Tests, A/B tests, sweeps and growth of a graph: simulated where the editor can, else run in the level and put back.
import type { AuthoringInput, AuthoringOutput } from '../catalog/index.ts'
import { type AssertionResult, type CallContext, type GraphTests, USUAL_VOLUME } from '../contract/index.ts'
import { type Editor, PcgError } from '../editor/editor.ts'
import type { Simulated, Simulation, ValueChange } from '../editor/simulation.ts'
import { ofActor, testComponent, type VerifySite } from './verify.ts'

export type Experiment = VerifySite & {
  readonly testsOf: (graph: string) => Promise<GraphTests | null>
  /** Threads that a simulation of so many runs uses. */
  readonly threadsFor: (runs: number) => number
}
type Run = AuthoringOutput<'sweep_pcg_graph'>['runs'][number]
type Value = Run['values'][number]['value']
type Target = { readonly pcg_graph_path: string; readonly actor_name?: string | undefined }
type Wanted = { readonly seed: number | null; readonly values: readonly ValueChange[] }

const MOST_RUNS = 256
const FAILED = { instances: 0, points: 0, ms: 0, bounds: null, assertions: [], picture: null }

function presented(made: Simulated | undefined): Omit<Run, 'seed' | 'values'> {
  if (!made || 'error' in made) return { ...FAILED, error: made?.error ?? 'Not run' }
  const { instances, nodes, ms, bounds, assertions, picture } = made.measured
  const points = nodes.reduce((sum, node) => sum + node.points, 0)
  return { error: null, instances, points, ms, bounds, assertions: [...assertions], picture }
}

const shownValues = (values: readonly ValueChange[]): Run['values'] =>
  // Values come from the schema of the tool.
  values.map(({ node, name, value }) => ({ node_name: node, name, value: value as Value }))

async function present(
  editor: Editor,
  graph: string,
  { node, name }: Omit<ValueChange, 'value'>,
  context: CallContext,
) {
  const at = { pcg_graph_path: graph }
  if (node !== null) {
    const { properties } = await editor.tools.get_pcg_node_properties({ ...at, node_name: node }, context)
    if (!Object.hasOwn(properties, name)) throw new PcgError('INVALID_ARGUMENT', `${node} has no setting ${name}`)
    return properties[name]
  }
  const { parameters } = await editor.tools.get_pcg_graph_parameters(at, context)
  const found = parameters.find((each) => each.name === name)
  if (!found) throw new PcgError('PARAMETER_NOT_FOUND', `${graph} has no parameter ${name}`)
  return found.value
}

async function setValue({ tools }: Editor, graph: string, { node, name, value }: ValueChange, context: CallContext) {
  const at = { pcg_graph_path: graph }
  if (node === null) await tools.set_pcg_graph_parameter({ ...at, name, value: String(value) }, context)
  else await tools.set_pcg_node_properties({ ...at, node_name: node, properties: { [name]: value } }, context)
}

/** In the level of a real editor, one after the other; what was set is put back, also after a failure. */
async function runInLevel(
  site: Experiment,
  graph: string,
  actor: string,
  wanted: readonly Wanted[],
  tests: GraphTests | null,
  context: CallContext,
): Promise<readonly Simulated[]> {
  const { editor } = site
  const { seed } = await editor.tools.get_pcg_component_info({ actor_name: actor }, context)
  const fields = new Map(wanted.flatMap(({ values }) => values).map((each) => [`${each.node}\n${each.name}`, each]))
  const before: ValueChange[] = []
  for (const field of fields.values()) before.push({ ...field, value: await present(editor, graph, field, context) })
  const setSeed = async (value: number | null) => {
    if (value !== null)
      await editor.tools.set_pcg_component_properties({ actor_name: actor, properties: { Seed: value } }, context)
  }
  const made: Simulated[] = []
  try {
    for (const [at, { seed: own, values }] of wanted.entries()) {
      context.onProgress?.({ progress: at, total: wanted.length, message: `Run ${at + 1} of ${wanted.length}` })
      await setSeed(own)
      for (const value of values) await setValue(editor, graph, value, context)
      try {
        const { run, results } = await testComponent(site, actor, tests?.assertions ?? [], context)
        const { instances, spawners: spawned, nodes, bounds, duration_ms: ms } = run
        const rest = { digest: '', picture: null, warnings: [] }
        made.push({ measured: { ms, instances, spawned, nodes, bounds, assertions: results, ...rest } })
      } catch (error) {
        context.signal?.throwIfAborted()
        made.push({ error: error instanceof Error ? error.message : String(error) })
      }
    }
  } finally {
    // Without the signal: a cancelled sweep leaves the graph as it was, too.
    const { signal: _cancelled, ...rest } = context
    for (const value of before) await setValue(editor, graph, value, rest)
    await setSeed(seed)
  }
  return made
}

async function runs(
  site: Experiment,
  { pcg_graph_path, actor_name }: Target,
  wanted: readonly Wanted[],
  picture: number | null,
  context: CallContext,
) {
  const { asset_path } = await site.editor.tools.get_pcg_graph_info({ pcg_graph_path }, context)
  const tests = await site.testsOf(asset_path)
  const { simulate } = site.editor
  if (simulate) {
    const simulations = wanted.map(
      ({ seed, values }): Simulation => ({
        ...ofActor(asset_path, ''),
        actor: actor_name ?? null,
        halfSize: tests?.volume ?? USUAL_VOLUME,
        seed: seed ?? (actor_name === undefined ? (tests?.seed ?? null) : null),
        values,
        version: null,
        measure: { assertions: tests?.assertions ?? [], picture, view: 'component' },
      }),
    )
    return { asset_path, tests, made: await simulate(simulations, context), threads: site.threadsFor(wanted.length) }
  }
  if (actor_name === undefined)
    throw new PcgError('INVALID_ARGUMENT', 'actor_name: a real editor runs a graph on a component: name its actor')
  return { asset_path, tests, made: await runInLevel(site, asset_path, actor_name, wanted, tests, context), threads: 1 }
}

export async function testGraph(
  site: Experiment,
  input: AuthoringInput<'test_pcg_graph'>,
  context: CallContext,
): Promise<AuthoringOutput<'test_pcg_graph'>> {
  const { pcg_graph_path, actor_name } = input
  const { asset_path } = await site.editor.tools.get_pcg_graph_info({ pcg_graph_path }, context)
  const tests = await site.testsOf(asset_path)
  if (!tests)
    throw new PcgError('INVALID_ARGUMENT', `${asset_path} has no assertions: store some by a patch with the step tests`)
  const done = (results: readonly AssertionResult[], instances: number, ms: number) => ({
    asset_path,
    passed: results.every(({ passed }) => passed),
    results: [...results],
    instances,
    ms,
    tests,
  })
  if (actor_name !== undefined) {
    const { run, results } = await testComponent(site, actor_name, tests.assertions, context)
    if (run.asset_path.toLowerCase() !== asset_path.toLowerCase())
      throw new PcgError('INVALID_ARGUMENT', `${actor_name} runs ${run.asset_path}, not ${asset_path}`)
    return done(results, run.instances, run.duration_ms)
  }
  const { made } = await runs(site, input, [{ seed: null, values: [] }], null, context)
  const [first] = made
  if (!first || 'error' in first) throw new PcgError('EDITOR_ERROR', first?.error ?? 'It did not run')
  return done(first.measured.assertions, first.measured.instances, first.measured.ms)
}

export async function abTest(
  site: Experiment,
  { node_name, name, a, b, picture, ...target }: AuthoringInput<'ab_test_pcg_graph'>,
  context: CallContext,
): Promise<AuthoringOutput<'ab_test_pcg_graph'>> {
  const field = { node: node_name ?? null, name }
  const before = await present(site.editor, target.pcg_graph_path, field, context)
  const wanted = [a ?? before, b].map((value) => ({ seed: null, values: [{ ...field, value }] }))
  const { asset_path, made } = await runs(site, target, wanted, picture, context)
  const [first, second] = [presented(made[0]), presented(made[1])]
  const now = await present(site.editor, target.pcg_graph_path, field, context)
  return {
    asset_path,
    a: first,
    b: second,
    instances_delta: second.instances - first.instances,
    points_delta: second.points - first.points,
    ms_delta: second.ms - first.ms,
    reverted: JSON.stringify(now) === JSON.stringify(before),
  }
}

function combinations({ seeds, values }: Pick<AuthoringInput<'sweep_pcg_graph'>, 'seeds' | 'values'>): Wanted[] {
  const bySeed: Wanted[] = (seeds.length === 0 ? [null] : seeds).map((seed) => ({ seed, values: [] }))
  return values.reduce(
    (all, { node_name, name, values: given }) =>
      all.flatMap((each) =>
        given.map((value) => ({ ...each, values: [...each.values, { node: node_name ?? null, name, value }] })),
      ),
    bySeed,
  )
}

export async function sweep(
  site: Experiment,
  { picture, ...input }: AuthoringInput<'sweep_pcg_graph'>,
  context: CallContext,
): Promise<AuthoringOutput<'sweep_pcg_graph'>> {
  const wanted = combinations(input)
  if (wanted.length > MOST_RUNS)
    throw new PcgError('INVALID_ARGUMENT', `${wanted.length} combinations: a sweep has at most ${MOST_RUNS} runs`)
  const started = performance.now()
  const { asset_path, made, threads } = await runs(site, input, wanted, picture, context)
  return {
    asset_path,
    threads,
    ms: performance.now() - started,
    runs: wanted.map(({ seed, values }, at) => ({ ...presented(made[at]), seed, values: shownValues(values) })),
  }
}

type Growth = AuthoringOutput<'profile_pcg_component'>['growth']
/** Below this a time is the clock's noise. */
const LEAST_MS = 0.2

/** Each size alone: runs beside each other would measure each other. */
export async function growthOf(
  { editor }: Experiment,
  {
    asset_path,
    actor_name,
    sizes,
  }: { readonly asset_path: string; readonly actor_name: string; readonly sizes: readonly number[] },
  context: CallContext,
): Promise<Growth> {
  if (!editor.simulate || sizes.length === 0) return []
  const byNode = new Map<string, Growth[number]['runs']>()
  const run = (size: number) =>
    editor.simulate?.([ofActor(asset_path, actor_name, { scale: Math.sqrt(size) })], context) ?? []
  // The first run compiles the nodes: its time would stand for the first size.
  await run(sizes[0] ?? 1)
  for (const size of sizes) {
    const [made] = await run(size)
    if (!made || 'error' in made) continue
    for (const { node_name, points, ms } of made.measured.nodes)
      byNode.set(node_name, [...(byNode.get(node_name) ?? []), { size, points, ms: ms ?? 0 }])
  }
  return [...byNode].map(([node_name, all]) => {
    const inOrder = all.toSorted((one, other) => one.size - other.size)
    const [low, high] = [inOrder[0], inOrder.at(-1)]
    const measurable = low && high && high.size > low.size && low.ms >= LEAST_MS && high.ms >= LEAST_MS
    return {
      node_name,
      runs: inOrder,
      exponent: measurable ? Math.log(high.ms / low.ms) / Math.log(high.size / low.size) : null,
    }
  })
}
