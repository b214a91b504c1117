// Rules about where data comes from and where it ends.
import { type ReviewEdge, sameValue } from '../graph.ts'
import type { Patch } from '../patch.ts'
import { type Found, found, type LintRule, type NodeRule, set } from './rule.ts'
import { acts, enabled, into, type LintNode, type LintView, overridden, seedOf, text, value } from './view.ts'

const REROUTES = new Set(['PCGRerouteSettings', 'PCGNamedRerouteDeclarationSettings', 'PCGNamedRerouteUsageSettings'])
const RANDOM = [
  'SurfaceSampler',
  'VolumeSampler',
  'SplineSampler',
  'TransformPoints',
  'AttributeNoise',
  'DensityNoise',
  'SelfPruning',
  'RandomChoice',
]

/** Everything that data of these nodes reaches, themselves included. */
function downstream(view: LintView, start: readonly string[]): ReadonlySet<string> {
  const seen = new Set(start)
  const open = [...start]
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const { to } of view.nodes.get(id)?.outputs ?? (id === 'Input' ? view.given : []))
      if (!seen.has(to)) {
        seen.add(to)
        open.push(to)
      }
  return seen
}
/** Nodes that make data without being given any, and `Input`. */
const origins = (view: LintView): string[] => [
  'Input',
  ...[...view.nodes.values()]
    .filter(
      ({ type, inputs }) =>
        type === undefined || (inputs.length === 0 && !type.inputs.some(({ required }) => required)),
    )
    .map(({ id }) => id),
]
const sourceText = (edges: readonly ReviewEdge[]): string =>
  edges.map(({ from, fromPin, toPin }) => `${toPin}<${from}.${fromPin}`).join('|')

/** What reads the node reads `edge` instead. */
function bypass(node: LintNode, { from, fromPin }: ReviewEdge): Patch {
  return [
    { do: 'remove node', node: node.id },
    ...node.outputs.map(({ to, toPin }) => ({ do: 'connect' as const, from, fromPin, to, toPin })),
  ]
}
/** Only where no pin reads other edges, too: the fix would change the order in which it reads them. */
const alone = (view: LintView, { outputs }: LintNode): boolean =>
  outputs.every((edge) =>
    view.graph.edges.every((each) => each === edge || each.to !== edge.to || each.toPin !== edge.toPin),
  )

export const FLOW_RULES: readonly (LintRule | NodeRule)[] = [
  {
    id: 'empty-graph',
    severity: 'info',
    about: 'The graph has no nodes',
    remedy: 'Add nodes, or start from a template',
    check: ({ graph }) => (graph.nodes.size === 0 ? [found(null, 'the graph has no nodes')] : []),
  },
  {
    id: 'output-unconnected',
    severity: 'warning',
    about: 'Nothing reaches Output, and no node spawns or saves anything: a generation makes nothing',
    remedy: 'Connect the last node to Output, or add a spawner',
    check: ({ nodes, results }) =>
      nodes.size > 0 && results.length === 0 && ![...nodes.values()].some(acts)
        ? [found('Output', 'nothing reaches Output, and no node spawns anything')]
        : [],
  },
  {
    id: 'required-input',
    severity: 'error',
    about: 'A pin that the node needs has no edge, so the node does not run',
    remedy: 'Connect the pin, or remove the node',
    check: ({ nodes, pins }) =>
      [...nodes.values()].flatMap((node) => {
        const own = pins.of(node.id)
        if (own === undefined || own === 'unknown' || node.inputs.length + node.outputs.length === 0) return []
        return own.inputs
          .filter(({ label, required }) => required && into(node, label).length === 0)
          .map(({ label }) => found(node.id, `its pin ${label} has no edge`))
      }),
  },
  {
    id: 'loose-node',
    severity: 'warning',
    about: 'A node has no edge at all and does nothing by itself',
    remedy: 'Connect or remove it; the fix removes it',
    finds: (node) => node.inputs.length + node.outputs.length === 0 && !acts(node) && 'it has no edges',
    fix: ({ id }) => [{ do: 'remove node', node: id }],
  },
  {
    id: 'unused-result',
    severity: 'warning',
    about: 'No node reads what a node computes: data ends there',
    remedy: 'Connect it on, or remove it',
    finds: (node) => node.inputs.length > 0 && node.outputs.length === 0 && !acts(node) && 'no node reads its result',
  },
  {
    id: 'no-data',
    severity: 'warning',
    about: 'A spawner that no source of data reaches spawns nothing',
    remedy: 'Connect a sampler, a Get node or Input before it',
    check(view) {
      const reached = downstream(view, origins(view))
      return [...view.nodes.values()]
        .filter((node) => node.type?.category === 'Spawner' && node.inputs.length > 0 && !reached.has(node.id))
        .map(({ id }) => found(id, 'no source of data reaches it'))
    },
  },
  {
    id: 'spawner-output',
    severity: 'info',
    about: 'Output carries other data but not that of this spawner: a graph that embeds this one does not get it',
    remedy: 'Connect the spawner to Output, if others need its points',
    check(view) {
      if (view.results.length === 0) return []
      return [...view.nodes.values()]
        .filter(
          (node) =>
            node.type?.category === 'Spawner' && node.inputs.length > 0 && !downstream(view, [node.id]).has('Output'),
        )
        .map(({ id }) => found(id, 'it reaches no output'))
    },
  },
  {
    id: 'unread-input',
    severity: 'warning',
    about: 'A pin that was added to Input is read by no node: what is wired into it is ignored',
    remedy: 'Connect the pin, or remove it',
    check: ({ graph, given }) =>
      graph.pins.Input.filter(({ label }) => !given.some(({ fromPin }) => fromPin === label)).map(({ label }) =>
        found('Input', `no node reads its pin ${label}`),
      ),
  },
  {
    id: 'unfed-output',
    severity: 'warning',
    about: 'A pin that was added to Output gets no data',
    remedy: 'Connect the pin, or remove it',
    check: ({ graph, results }) =>
      graph.pins.Output.filter(({ label }) => !results.some(({ toPin }) => toPin === label)).map(({ label }) =>
        found('Output', `nothing reaches its pin ${label}`),
      ),
  },
  {
    id: 'single-merge',
    severity: 'info',
    about: 'A node that joins data has one edge, so it changes nothing',
    remedy: 'Connect more, or remove it; the fix removes it',
    check: (view) =>
      view.of('Merge', 'Union', 'Gather').flatMap((node) => {
        const [edge, ...more] = node.inputs
        if (!edge || more.length > 0 || edge.toPin !== 'In') return []
        return [found(node.id, 'it joins one edge', alone(view, node) ? bypass(node, edge) : undefined)]
      }),
  },
  {
    id: 'no-differences',
    severity: 'warning',
    about: 'A Difference without an edge to Differences takes nothing away',
    remedy: 'Connect what is to be taken away, or remove the node',
    check: (view) =>
      view.of('Difference').flatMap((node) => {
        const [edge, ...more] = into(node, 'Source')
        if (!edge || into(node, 'Differences').length > 0) return []
        return [
          found(
            node.id,
            'nothing is connected to Differences',
            more.length === 0 && alone(view, node) ? bypass(node, edge) : undefined,
          ),
        ]
      }),
  },
  {
    id: 'own-difference',
    severity: 'warning',
    about: 'A Difference takes its source away from itself: nothing is left',
    remedy: 'Connect another shape to Differences',
    check: (view) =>
      view.of('Difference').flatMap((node) => {
        const taken = new Set(into(node, 'Differences').map(({ from, fromPin }) => `${from}.${fromPin}`))
        const same = into(node, 'Source').find(({ from, fromPin }) => taken.has(`${from}.${fromPin}`))
        return same ? [found(node.id, `${same.from}.${same.fromPin} is its source and is taken away`)] : []
      }),
  },
  {
    id: 'duplicate-work',
    severity: 'info',
    about: 'Two nodes of one class compute the same from the same data',
    remedy: 'Use the result of one; the fix removes the other',
    check(view) {
      const groups = Map.groupBy(
        [...view.nodes.values()].filter(
          (node) => node.type && !REROUTES.has(node.class) && !acts(node) && node.outputs.length > 0,
        ),
        (node) => `${node.class}\n${sourceText(node.inputs)}`,
      )
      return [...groups.values()].flatMap((nodes) =>
        nodes.flatMap((node, at): Found[] => {
          const first = nodes.find((other, index) => index < at && sameValue(other.settings, node.settings))
          if (!first) return []
          const [sample] = first.outputs
          const patch = sample && alone(view, node) ? bypassTo(node, first.id) : undefined
          return [found(node.id, `it computes the same as ${first.id}`, patch)]
        }),
      )
    },
  },
  {
    id: 'same-seed',
    severity: 'warning',
    about: 'Random nodes of one class have one seed and one source: their results coincide where they must differ',
    remedy: 'Give each a seed of its own',
    check: (view) =>
      RANDOM.flatMap((name) => {
        const nodes = view.of(name).filter((node) => node.inputs.length > 0 && !overridden(node, 'Seed'))
        const groups = Map.groupBy(nodes, (node) => `${sourceText(node.inputs)}\n${JSON.stringify(seedOf(node))}`)
        return [...groups.values()].flatMap((group) =>
          group
            .slice(1)
            .flatMap((node, at) =>
              group.slice(0, at + 1).some((other) => sameValue(other.settings, node.settings))
                ? []
                : [
                    found(
                      node.id,
                      `it has the seed of ${group[0]?.id ?? ''} and the same source`,
                      set(node, { Seed: Number(seedOf(node)) + at + 1 }),
                    ),
                  ],
            ),
        )
      }),
  },
  {
    id: 'lost-density',
    severity: 'warning',
    about: 'A node replaces the density that the node before it computed',
    remedy: 'Combine them: Multiply, Minimum or Maximum',
    check: (view) =>
      view.of('DensityNoise', 'NormalToDensity').flatMap((node) => {
        if (value(node, 'DensityMode') !== 'Set' || overridden(node, 'DensityMode')) return []
        const before = into(node, 'In').map(({ from }) => view.nodes.get(from))
        const writer = before.find(
          (each) =>
            each &&
            ['PCGDensityNoiseSettings', 'PCGNormalToDensitySettings', 'PCGDensityRemapSettings'].includes(each.class) &&
            enabled(each),
        )
        return writer
          ? [found(node.id, `it replaces the density of ${writer.id}`, set(node, { DensityMode: 'Multiply' }))]
          : []
      }),
  },
  {
    id: 'subgraph-missing',
    severity: 'error',
    about: 'A subgraph or loop node has no graph',
    remedy: 'Set SubgraphOverride',
    on: ['Subgraph', 'Loop'],
    reads: ['SubgraphOverride'],
    finds: (node) => innerOf(node) === '' && 'it has no graph',
  },
  {
    id: 'subgraph-itself',
    severity: 'error',
    about: 'A graph embeds itself',
    remedy: 'Embed another graph',
    on: ['Subgraph', 'Loop'],
    finds: (node, { graph }) =>
      innerOf(node).toLowerCase() === graph.path?.toLowerCase() && 'it embeds the graph that it is in',
  },
  {
    id: 'disabled-node',
    severity: 'info',
    about: 'A node is turned off, so data passes it unchanged',
    remedy: 'Turn it on, or remove it',
    finds: (node) => !enabled(node) && 'it is turned off',
    fix: (node) => set(node, { bEnabled: null }),
  },
]

const innerOf = (node: LintNode): string => text(node, 'SubgraphOverride').split('.')[0] ?? ''

/** What reads the node reads the same pins of the other. */
function bypassTo(node: LintNode, other: string): Patch {
  return [
    { do: 'remove node', node: node.id },
    ...node.outputs.map(({ fromPin, to, toPin }) => ({ do: 'connect' as const, from: other, fromPin, to, toPin })),
  ]
}
