// Random pairs of edit lists: a merge has both, or names the conflict; and the editor would accept every graph it makes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyGraph, type GraphDoc } from '../editor/document.ts'
import { checkEdge, pinNamed } from '../editor/edge.ts'
import { advancedPin, INPUT_NODE, OUTPUT_NODE, pinsOf, reaches } from '../editor/pins.ts'
import { isRecord } from '../editor/settings.ts'
import { fromAsset, toAsset } from './asset.ts'
import { edgeText, incoming, nameIn, pinKey, type ReviewGraph, sameValue } from './graph.ts'
import { aligned } from './match.ts'
import { type Conflict, conflictKey, type Merged, mergeGraphs, type Side } from './merge.ts'
import { applyPatch } from './patch.ts'
import { patchBetween } from './patch-between.ts'
import { parseText, printText } from './text.ts'

const LONG = process.env['GANTRY_FUZZ_RUNS'] !== undefined || process.env['GANTRY_FUZZ_MINUTES'] !== undefined
const RUNS = LONG ? 10_000 : 500

const CLASSES = [
  'DensityFilter',
  'Merge',
  'TransformPoints',
  'Switch',
  'SurfaceSampler',
  'UserParameterGet',
  'Difference',
].map((name) => `PCG${name}Settings`)
const SETTINGS: readonly Record<string, unknown>[] = [
  { LowerBound: 0.25 },
  { LowerBound: 0.75, Seed: 3 },
  { SelectionMode: 'String', StringOptions: ['A', 'B'] },
  { SelectionMode: 'String', StringOptions: ['B'] },
  { OffsetMax: [1, 2, 3] },
  { PropertyName: 'Amount' },
  { PropertyName: 'amount' },
  { bEnabled: false },
  { Deep: { One: 1, Two: 2 } },
  { Deep: { One: 5, Two: 2 } },
  { Deep: { One: 1, Two: [7] } },
]
const at = fc.nat(11)
const edit = fc.oneof(
  fc.record({ do: fc.constant('add' as const), class: fc.constantFrom(...CLASSES) }),
  fc.record({ do: fc.constant('remove' as const), at }),
  fc.record({ do: fc.constant('set' as const), at, settings: fc.constantFrom(...SETTINGS) }),
  fc.record({ do: fc.constant('unset' as const), at }),
  fc.record({ do: fc.constant('title' as const), at, title: fc.constantFrom('One', 'Two', undefined) }),
  fc.record({ do: fc.constant('rename' as const), at, name: fc.constantFrom('Mine', 'Yours', 'Merge_1', 'x y') }),
  ...Array.from({ length: 10 }, () =>
    fc.record({ do: fc.constant('connect' as const), at, to: at, fromPin: fc.nat(3), toPin: fc.nat(3) }),
  ),
  fc.record({ do: fc.constant('disconnect' as const), at }),
  fc.record({ do: fc.constant('last' as const), at }),
  fc.record({
    do: fc.constant('parameter' as const),
    name: fc.constantFrom('Amount', 'amount', 'Count'),
    value: fc.constantFrom(1, 2, null),
  }),
  fc.record({ do: fc.constant('pins' as const), labels: fc.constantFrom(['Extra'], ['Extra', 'More'], ['More'], []) }),
  fc.record({ do: fc.constant('move' as const), at, x: fc.nat(9) }),
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never
const edits = (maxLength: number) => fc.array(edit, { maxLength, size: 'max' })

type Edge = GraphDoc['edges'][number]
const none = () => undefined
/** By the rules of the embedded editor: the pins of the edge, or why it would refuse it. */
function judged(doc: GraphDoc, edge: Edge): { readonly single: boolean } | string {
  try {
    const [source, target] = [pinsOf(doc, edge.from, none), pinsOf(doc, edge.to, none)]
    if (!source || !target) return 'an end is missing'
    const from = pinNamed(edge.from, 'output', source.outputs, edge.fromPin)
    const to = pinNamed(edge.to, 'input', target.inputs, edge.toPin, (label) => advancedPin(doc, edge.to, label, none))
    checkEdge({ node: edge.from, pin: from }, { node: edge.to, pin: to }, reaches(doc, edge.to, edge.from), '')
    return to
  } catch (error) {
    return error instanceof Error ? error.message : 'refused'
  }
}
const same = (a: Edge, b: Edge) => a.from === b.from && a.fromPin === b.fromPin && a.to === b.to && a.toPin === b.toPin

/** Everything an editor would refuse about a whole graph. */
function refusals(doc: GraphDoc): string[] {
  const names = doc.nodes.map(({ name }) => name.toLowerCase())
  const parameters = doc.parameters.map(({ name }) => name.toLowerCase())
  const twice = (list: readonly string[]) => list.filter((item, index) => list.indexOf(item) !== index)
  return [
    ...twice(names).map((name) => `two nodes ${name}`),
    ...twice(parameters).map((name) => `two parameters ${name}`),
    ...twice(doc.edges.map((edge) => JSON.stringify(edge))),
    ...doc.edges.flatMap((edge) => {
      const others = { ...doc, edges: doc.edges.filter((each) => each !== edge) }
      const found = judged(others, edge)
      if (typeof found === 'string') return [`${edge.from}.${edge.fromPin} > ${edge.to}.${edge.toPin}: ${found}`]
      const rivals = others.edges.filter(({ to, toPin }) => to === edge.to && toPin === edge.toPin)
      return found.single && rivals.length > 0 ? [`${edge.to}.${edge.toPin} takes one edge`] : []
    }),
  ]
}

/** As the editor does it: an edit that it refuses changes nothing. */
function edited(doc: GraphDoc, one: Edit): GraphDoc {
  const node = 'at' in one ? doc.nodes[one.at % Math.max(1, doc.nodes.length)] : undefined
  const replaced = (more: Partial<GraphDoc['nodes'][number]>) => ({
    ...doc,
    nodes: doc.nodes.map((each) => (each === node ? { ...each, ...more } : each)),
  })
  const valid = (draft: GraphDoc) => ({
    ...draft,
    edges: draft.edges.filter(
      (edge) => typeof judged({ ...draft, edges: draft.edges.filter((each) => each !== edge) }, edge) !== 'string',
    ),
  })
  switch (one.do) {
    case 'add': {
      const stem = one.class.slice(3, -8)
      const serial = (doc.serials[stem] ?? -1) + 1
      if (doc.nodes.some(({ name }) => name === `${stem}_${serial}`)) return doc
      return {
        ...doc,
        serials: { ...doc.serials, [stem]: serial },
        nodes: [...doc.nodes, { name: `${stem}_${serial}`, class: one.class, properties: {} }],
      }
    }
    case 'remove':
      return {
        ...doc,
        nodes: doc.nodes.filter((each) => each !== node),
        edges: doc.edges.filter(({ from, to }) => from !== node?.name && to !== node?.name),
      }
    case 'set':
      return node ? valid(replaced({ properties: { ...node.properties, ...one.settings } })) : doc
    case 'unset':
      return node ? valid(replaced({ properties: {} })) : doc
    case 'title':
      return replaced({ title: one.title })
    case 'rename': {
      if (!node || doc.nodes.some(({ name }) => name.toLowerCase() === one.name.toLowerCase())) return doc
      const now = (name: string) => (name === node.name ? one.name : name)
      return {
        ...replaced({ name: one.name }),
        edges: doc.edges.map((edge) => ({ ...edge, from: now(edge.from), to: now(edge.to) })),
      }
    }
    case 'connect': {
      const ends = [INPUT_NODE, ...doc.nodes.map(({ name }) => name), OUTPUT_NODE]
      const [from, to] = [ends[one.at % ends.length] ?? '', ends[one.to % ends.length] ?? '']
      const outputs = (pinsOf(doc, from, none)?.outputs ?? []).map(({ label }) => label)
      const inputs = [...(pinsOf(doc, to, none)?.inputs ?? []).map(({ label }) => label), 'Seed', 'Overrides']
      const edge = {
        from,
        fromPin: outputs[one.fromPin % outputs.length] ?? '',
        to,
        toPin: inputs[one.toPin % inputs.length] ?? '',
      }
      const found = judged(doc, edge)
      if (typeof found === 'string' || doc.edges.some((each) => same(each, edge))) return doc
      const kept = doc.edges.filter(({ to, toPin }) => !(found.single && to === edge.to && toPin === edge.toPin))
      return { ...doc, edges: [...kept, edge] }
    }
    case 'disconnect':
      return { ...doc, edges: doc.edges.filter((_edge, index) => index !== one.at) }
    case 'last': {
      const edge = doc.edges[one.at]
      return edge ? { ...doc, edges: [...doc.edges.filter((each) => each !== edge), edge] } : doc
    }
    case 'parameter': {
      const others = doc.parameters.filter(({ name }) => name !== one.name)
      if (one.value === null) return { ...doc, parameters: others }
      if (others.some(({ name }) => name.toLowerCase() === one.name.toLowerCase())) return doc
      return { ...doc, parameters: [...others, { name: one.name, type: 'int', value: one.value }] }
    }
    case 'pins':
      return valid({ ...doc, inputPins: one.labels.map((label) => ({ label, types: ['Any'] })) })
    case 'move':
      return node ? { ...doc, positions: { ...doc.positions, [node.name]: { x: one.x, y: 0 } } } : doc
  }
}
const editedBy = (doc: GraphDoc, list: readonly Edit[]): GraphDoc => list.reduce(edited, doc)

/** Every single thing that a graph states. */
function facts(graph: ReviewGraph): Map<string, unknown> {
  const found = new Map<string, unknown>()
  const leaves = (key: string, value: unknown): void => {
    if (isRecord(value)) for (const [name, inner] of Object.entries(value)) leaves(`${key}.${name}`, inner)
    else found.set(key, value)
  }
  for (const [id, node] of graph.nodes) {
    found.set(`class ${id}`, node.class)
    found.set(`name ${id}`, nameIn(id, node))
    if (node.title !== null) found.set(`title ${id}`, node.title)
    leaves(`set ${id} `, node.settings)
  }
  for (const edge of graph.edges) found.set(`edge ${edgeText(edge)}`, true)
  for (const [name, value] of graph.parameters) found.set(`parameter ${name}`, JSON.stringify(value))
  for (const { label, types } of graph.pins.Input) found.set(`pin ${label}`, types.join())
  return found
}

function covers(conflict: Conflict, key: string): boolean {
  const touches = (id: string) => key.startsWith(`edge ${id}.`) || key.includes(` > ${id}.`)
  switch (conflict.kind) {
    case 'node removed':
      return touches(conflict.node) || new RegExp(`^(class|name|title|set) ${conflict.node}( |$)`).test(key)
    case 'setting':
      return (
        key === `set ${conflict.node} .${conflict.setting}` ||
        key.startsWith(`set ${conflict.node} .${conflict.setting}.`)
      )
    case 'title':
    case 'name':
      return key === `${conflict.kind} ${conflict.node}`
    case 'input':
    case 'order':
      return key.endsWith(` > ${pinKey(conflict)}`)
    case 'edge':
      return key === `edge ${edgeText(conflict)}`
    case 'parameter':
    case 'parameter in use':
      return key.toLowerCase() === `parameter ${conflict.parameter}`.toLowerCase()
    case 'pins':
      return key.startsWith('pin ')
    case 'path':
    case 'tests':
      return false
  }
}

/** What the merge should have and has not, and no conflict names. */
function unexplained(
  base: ReviewGraph,
  ours: ReviewGraph,
  theirs: ReviewGraph,
  { graph, conflicts, rekeyed }: Merged,
): string[] {
  const [b, o, m] = [facts(base), facts(aligned(base, ours)), facts(graph)]
  const ids = new Map(rekeyed.flatMap(({ kind, node, was }) => (kind === 'id' ? [[was, node] as const] : [])))
  const moved = aligned(base, theirs)
  const given = (id: string) => (base.nodes.has(id) ? id : (ids.get(id) ?? id))
  const t = facts({
    ...moved,
    nodes: new Map([...moved.nodes].map(([id, node]) => [given(id), { ...node, name: nameIn(id, node) }])),
    edges: moved.edges.map((edge) => ({ ...edge, from: given(edge.from), to: given(edge.to) })),
  })
  const named = new Set(rekeyed.map(({ node }) => `name ${node}`))
  return [...new Set([...b.keys(), ...o.keys(), ...t.keys(), ...m.keys()])].flatMap((key) => {
    const [was, one, other, is] = [b.get(key), o.get(key), t.get(key), m.get(key)]
    const clash = !sameValue(one, other) && !sameValue(was, one) && !sameValue(was, other)
    const wanted = sameValue(was, one) ? other : one
    if (!clash && sameValue(wanted, is)) return []
    return conflicts.some((conflict) => covers(conflict, key)) || named.has(key)
      ? []
      : [`${key}: base ${String(was)}, ours ${String(one)}, theirs ${String(other)}, merged ${String(is)}`]
  })
}

describe('a three-way merge', () => {
  it(
    'has the edits of both sides or names the conflict, and makes no graph that an editor refuses (500 pairs; long mode: 10,000)',
    () => {
      let [clean, conflicting] = [0, 0]
      fc.assert(
        fc.property(
          edits(30),
          edits(12),
          edits(12),
          fc.constantFrom('ours' as const, 'theirs' as const),
          (first, one, other, favor) => {
            const doc = editedBy(emptyGraph(), first)
            const [mine, yours] = [editedBy(doc, one), editedBy(doc, other)]
            const [base, ours, theirs] = [doc, mine, yours].map((each) => fromAsset(each))
            if (!base || !ours || !theirs) return
            const merged = mergeGraphs(base, ours, theirs, favor)
            if (merged.conflicts.length > 0) conflicting += 1
            else clean += 1
            expect(unexplained(base, ours, theirs, merged)).toEqual([])
            expect(refusals(toAsset(merged.graph))).toEqual([])
            // The order of a pin that one side changed is that of this side.
            const [b, o, t, m] = [base, aligned(base, ours), aligned(base, theirs), merged.graph].map((graph) =>
              incoming(graph.edges),
            )
            if (merged.conflicts.length === 0 && merged.rekeyed.length === 0)
              for (const [pin, list] of m ?? []) {
                const texts = (map: typeof b) => (map?.get(pin) ?? []).map(edgeText)
                if (sameValue(texts(b), texts(t))) expect(list.map(edgeText)).toEqual(texts(o))
                if (sameValue(texts(b), texts(o))) expect(list.map(edgeText)).toEqual(texts(t))
              }
            // The same holds where a person decides each conflict for itself.
            const sides = merged.conflicts.map((conflict, at): [string, Side] => [
              conflictKey(conflict),
              (at + first.length) % 2 === 0 ? 'ours' : 'theirs',
            ])
            expect(new Set(sides.map(([key]) => key)).size).toBe(sides.length)
            const decided = mergeGraphs(base, ours, theirs, favor, new Map(sides))
            expect(unexplained(base, ours, theirs, decided)).toEqual([])
            expect(refusals(toAsset(decided.graph))).toEqual([])
            // Steps lead an editor there, which has no step for names and pins.
            if (sameValue(ours.pins, decided.graph.pins)) {
              const reached = applyPatch(ours, patchBetween(ours, decided.graph))
              const withoutNames = (graph: ReviewGraph) =>
                new Map([...facts(aligned(ours, graph))].filter(([key]) => !/^(name|pin) /.test(key)))
              expect(withoutNames(reached)).toEqual(withoutNames(decided.graph))
            }
            const text = printText(merged.graph, merged.conflicts)
            expect(printText(parseText(text).graph, merged.conflicts)).toBe(text)
          },
        ),
        { numRuns: RUNS },
      )
      // Both outcomes are common, or the lists test nothing.
      expect(Math.min(clean, conflicting)).toBeGreaterThan(RUNS / 20)
    },
    LONG ? 3_600_000 : 120_000,
  )

  it('takes what one side did when the other did nothing', () => {
    fc.assert(
      fc.property(edits(30), edits(12), (first, one) => {
        const doc = editedBy(emptyGraph(), first)
        const [base, changed] = [fromAsset(doc), fromAsset(editedBy(doc, one))]
        const wanted = facts(aligned(base, changed))
        for (const merged of [
          mergeGraphs(base, changed, base),
          mergeGraphs(base, base, changed),
          mergeGraphs(base, changed, changed),
        ]) {
          expect(merged.conflicts).toEqual([])
          expect(facts(merged.graph)).toEqual(wanted)
        }
      }),
      { numRuns: RUNS / 5 },
    )
  })
})
