// Graphs and jobs for the tests of generation: a few words instead of a document.
import { type ActorDoc, emptyGraph, firstLevel, type GraphDoc } from '../../editor/document.ts'
import { pageOf } from './capture.ts'
import type { Job, Page, Plan, RunResult } from './plan.ts'
import { run } from './run.ts'

export type Nodes = Readonly<
  Record<string, readonly [className: string, properties?: Readonly<Record<string, unknown>>]>
>

/** `Sampler.Out > Filter.In`; Input and Output are the ends of the graph. */
export function graphOf(nodes: Nodes, edges: readonly string[], more: Partial<GraphDoc> = {}): GraphDoc {
  const end = (text: string): [string, string] => {
    const at = text.trim().indexOf('.')
    const [node, pin] = [text.trim().slice(0, at), text.trim().slice(at + 1)]
    return [node === 'Input' ? 'DefaultInputNode' : node === 'Output' ? 'DefaultOutputNode' : node, pin]
  }
  return {
    ...emptyGraph(),
    nodes: Object.entries(nodes).map(([name, [className, properties]]) => ({
      name,
      class: className,
      properties: { ...properties },
    })),
    edges: edges.map((edge) => {
      const [left = '', right = ''] = edge.split('>')
      const [[from, fromPin], [to, toPin]] = [end(left), end(right)]
      return { from, fromPin, to, toPin }
    }),
    ...more,
  }
}

export function volume(
  halfSize: [number, number, number] | null = [1000, 1000, 1000],
  more: Partial<ActorDoc> = {},
): ActorDoc {
  return {
    name: 'Volume',
    label: 'Volume',
    class: 'PCGVolume',
    location: [0, 0, 0],
    rotation: [0, 0, 0],
    scale: [1, 1, 1],
    halfSize,
    tags: [],
    ...more,
  }
}

export function planOf(graph: GraphDoc, more: Partial<Plan> = {}): Plan {
  const actor = more.actor ?? volume()
  return {
    root: '/game/main',
    graphs: { '/game/main': graph },
    overrides: {},
    actor,
    seed: 42,
    actors: [...firstLevel().actors, actor],
    ...more,
  }
}

export function runPlan(plan: Plan, more: Partial<Job> = {}): RunResult {
  return run({ plan, limits: { maxPoints: 100_000 }, ...more }, () => undefined)
}

/** What a pin of a node of the root graph held. */
export function held(plan: Plan, node: string, pin?: string, dataIndex = 0): Page {
  const capture = { generation: 1, node, pin, dataIndex, offset: 0, limit: 100_000, packed: false }
  const pages: Page[] = []
  run(
    { plan, limits: { maxPoints: 100_000 }, capture },
    () => undefined,
    (made) => pages.push(pageOf(made, capture)),
  )
  if (!pages[0]) throw new Error(`${node} did not run`)
  return pages[0]
}

export function column(page: Page, name: string): unknown[] {
  return page.rows.map((row) => row[name])
}
export function vectors(page: Page, name = '$Position'): [number, number, number][] {
  // A vector column holds three numbers in each row.
  return column(page, name) as [number, number, number][]
}
