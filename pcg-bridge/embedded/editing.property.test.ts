// Random editing: what holds after every sequence of calls, after reopening, and after taking it all back.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Args, CATALOG, type Output, type ToolName } from '../catalog/index.ts'
import { emptyGraph, type GraphDoc } from '../editor/document.ts'
import { type Editor, PcgError } from '../editor/editor.ts'
import { diff, revert } from './history.ts'
import { openEmbeddedEditor } from './index.ts'

const CLASSES = [
  'PCGSurfaceSamplerSettings',
  'PCGDensityFilterSettings',
  'PCGMergeSettings',
  'PCGCreateAttributeSetSettings',
  'PCGSwitchSettings',
  'PCGSelfPruningSettings',
  'PCGProjectionSettings',
]
const PINS = [undefined, 'In', 'Out', 'Surface', 'Projection Target', 'Seed', 'Overrides', '1', 'Default', 'Nope']
const PROPERTIES: readonly Record<string, unknown>[] = [
  { IntOptions: [1, 2] },
  { IntOptions: [] },
  { LowerBound: 0.25 },
  { Seed: 7, bEnabled: false },
  { 'Parameters.PruningType': 'AllEqual' },
  { Pins: ['Extra'] },
  { Pins: [] },
]
const ends = fc.constantFrom('Input', 'Output', 'n0', 'n1', 'n2', 'n3', 'DefaultInputNode', 'Ghost')
const edge = fc.record({ from: ends, to: ends, fromPin: fc.constantFrom(...PINS), toPin: fc.constantFrom(...PINS) })
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), type: fc.constantFrom(...CLASSES) }),
  fc.record({ do: fc.constant('connect' as const), edge }),
  fc.record({ do: fc.constant('connect' as const), edge }),
  fc.record({ do: fc.constant('disconnect' as const), edge }),
  fc.record({ do: fc.constant('remove' as const), node: ends }),
  fc.record({ do: fc.constant('set' as const), node: ends, properties: fc.constantFrom(...PROPERTIES) }),
  fc.record({
    do: fc.constant('parameter' as const),
    name: fc.constantFrom('A', 'B', 'a'),
    value: fc.constantFrom('1', 'x'),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const graph = '/Game/PCG/Any'
const at = { pcg_graph_path: graph }

async function call<K extends ToolName>(editor: Editor, name: K, args: Args<K>): Promise<Output<K>> {
  // The schema is that of the tool called: the compiler cannot pair them over a union of names.
  const input = CATALOG[name].input.parse(args) as never
  return editor.tools[name](input, { actor: 'random', source: 'mcp', batchId: 'all' })
}

async function apply(editor: Editor, one: Step): Promise<void> {
  const { nodes } = await call(editor, 'get_pcg_graph_info', at)
  const real = (name: string) => (/^n\d$/.test(name) ? (nodes[Number(name.slice(1))]?.node_name ?? name) : name)
  const pins = ({ fromPin, toPin }: { fromPin: string | undefined; toPin: string | undefined }) => ({
    ...(fromPin === undefined ? {} : { from_pin: fromPin }),
    ...(toPin === undefined ? {} : { to_pin: toPin }),
  })
  switch (one.do) {
    case 'add':
      await call(editor, 'add_pcg_node', { ...at, node_type: one.type })
      return
    case 'connect':
    case 'disconnect':
      await call(editor, `${one.do}_pcg_nodes`, {
        ...at,
        from_node: real(one.edge.from),
        to_node: real(one.edge.to),
        ...pins(one.edge),
      })
      return
    case 'remove':
      await call(editor, 'remove_pcg_node', { ...at, node_name: real(one.node) })
      return
    case 'set':
      await call(editor, 'set_pcg_node_properties', { ...at, node_name: real(one.node), properties: one.properties })
      return
    case 'parameter':
      await call(editor, 'add_pcg_graph_parameter', { ...at, name: one.name, type: 'int' })
      await call(editor, 'set_pcg_graph_parameter', { ...at, name: one.name, value: one.value })
  }
}

async function snapshot(editor: Editor) {
  const info = await call(editor, 'get_pcg_graph_info', at)
  const properties = await Promise.all(
    [info.input_node_name, info.output_node_name, ...info.nodes.map((node) => node.node_name)].map(
      async (node_name) => (await call(editor, 'get_pcg_node_properties', { ...at, node_name })).properties,
    ),
  )
  return { info, properties, parameters: await call(editor, 'get_pcg_graph_parameters', at) }
}

async function checkInvariants(editor: Editor): Promise<void> {
  const { info } = await snapshot(editor)
  expect(info.node_count).toBe(info.nodes.length)
  expect(info.edge_count).toBe(info.edges.length)
  expect(new Set(info.nodes.map((node) => node.node_name)).size).toBe(info.node_count)
  expect(new Set(info.edges.map((item) => JSON.stringify(item))).size).toBe(info.edge_count)
  const implicit = [info.input_node_name, info.output_node_name]
  const reached = new Map<string, string[]>()
  for (const { from_node, from_pin, to_node, to_pin } of info.edges) {
    const [from, to] = [
      info.nodes.find((node) => node.node_name === from_node),
      info.nodes.find((node) => node.node_name === to_node),
    ]
    if (!implicit.includes(from_node)) expect(from?.output_pins).toContain(from_pin)
    if (!implicit.includes(to_node)) expect(to?.input_pins).toContain(to_pin)
    reached.set(from_node, [...(reached.get(from_node) ?? []), to_node])
  }
  const visit = (name: string, trail: readonly string[]): void => {
    expect(trail).not.toContain(name)
    for (const next of reached.get(name) ?? []) visit(next, [...trail, name])
  }
  for (const node of info.nodes) visit(node.node_name, [])
}

describe('random editing', () => {
  it('keeps the invariants, survives reopening, and is taken back to the start', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const directory = await mkdtemp(path.join(tmpdir(), 'pcg-random-'))
        try {
          let editor = await openEmbeddedEditor({ directory })
          // A batch of its own: creating a graph cannot be undone.
          await editor.tools.create_pcg_graph(
            { name: 'Any', package_path: '/Game/PCG' },
            { actor: 'setup', source: 'mcp' },
          )
          const start = await snapshot(editor)
          for (const one of steps) {
            const before = await snapshot(editor)
            try {
              await apply(editor, one)
            } catch (error) {
              expect(error).toBeInstanceOf(PcgError)
              if (one.do !== 'parameter') expect(await snapshot(editor)).toEqual(before)
            }
            await checkInvariants(editor)
          }
          const end = await snapshot(editor)
          const changes = editor.history({ limit: 1000 })
          if (changes.length > 1) {
            expect((await editor.undo({ batchId: 'all' }, { actor: 'random', source: 'ui' })).failed).toBeNull()
            expect(await snapshot(editor)).toEqual(start)
            // Undo is an edit like any other: undone, everything is back.
            const [newest] = editor.history({ limit: 1 })
            if (newest?.tool === 'undo') {
              await editor.undo({ changeId: newest.id }, { actor: 'random', source: 'ui' })
              expect(await snapshot(editor)).toEqual(end)
            }
          }
          await editor.close()
          editor = await openEmbeddedEditor({ directory })
          expect(await snapshot(editor)).toEqual(end)
          await editor.close()
        } finally {
          await rm(directory, { recursive: true })
        }
      }),
      { numRuns: 25 },
    )
  })

  it('every difference of two graphs can be taken back', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd')
    const node = fc.record({
      name,
      class: fc.constant('X'),
      properties: fc.dictionary(fc.constantFrom('p', 'q'), fc.integer()),
    })
    const doc = fc.record({
      nodes: fc.uniqueArray(node, { selector: (item) => item.name }),
      edges: fc.uniqueArray(fc.record({ from: name, fromPin: name, to: name, toPin: name }), {
        selector: (item) => JSON.stringify(item),
        maxLength: 5,
      }),
    })
    // As read from a file: fast-check's own records have no prototype.
    const plain = doc.map((item): typeof item => JSON.parse(JSON.stringify(item)))
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        const [before, after]: [GraphDoc, GraphDoc] = [
          { ...emptyGraph(), ...a },
          { ...emptyGraph(), ...b },
        ]
        const copy = structuredClone(after)
        for (const patch of diff({ graph }, before, after).reverse()) expect(revert(copy, patch)).toBeNull()
        const sorted = (given: GraphDoc) => [...given.nodes].sort((x, y) => (x.name < y.name ? -1 : 1))
        expect(sorted(copy)).toEqual(sorted(before))
        expect(copy.edges.map((item) => JSON.stringify(item)).sort()).toEqual(
          before.edges.map((item) => JSON.stringify(item)).sort(),
        )
      }),
    )
  })
})
