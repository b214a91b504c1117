// `*.pcg.yaml`: the text of a graph under review. Sorted, so that equal graphs have equal bytes; the layout is a second document.
import { Document, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, stringify, visit } from 'yaml'
import { z } from 'zod'
import { GraphLayout, GraphTests } from '../contract/index.ts'
import { ParameterDoc } from '../editor/document.ts'
import { withoutDefaults } from './defaults.ts'
import {
  byText,
  canonical,
  emptyReview,
  incoming,
  isEnd,
  nameIn,
  OUTPUT,
  type ReviewEdge,
  type ReviewGraph,
  sorted,
} from './graph.ts'
import { ID } from './ids.ts'

const MOST_TEXT = 16 * 1024 * 1024
const Id = z
  .string()
  .regex(ID, 'an id has letters, digits, _ and -')
  .refine((id) => !isEnd(id), 'Input and Output are no ids')
const Label = z.string().min(1).max(256)
const Source = z.string().regex(/^[A-Za-z0-9_-]{1,128}\.[^\n]{1,256}$/, 'a source is node.pin, or Input.pin')
const Inputs = z.record(Label, z.union([Source, z.array(Source).min(1)]))
const Pin = z.strictObject({ label: Label, types: z.array(z.string()).min(1) })
const NodeText = z.strictObject({
  class: z.string().min(1).max(256),
  name: z.string().min(1).max(256).optional(),
  title: z.string().max(4096).optional(),
  settings: z.record(z.string(), z.json()).optional(),
  inputs: Inputs.optional(),
})
const GraphText = z.strictObject({
  pcg: z.literal(1, 'the version of the text form is 1'),
  graph: z.string().max(512).optional(),
  parameters: z.record(z.string(), ParameterDoc.omit({ name: true }).strict()).optional(),
  pins: z.strictObject({ Input: z.array(Pin).optional(), Output: z.array(Pin).optional() }).optional(),
  nodes: z.record(Id, NodeText).optional(),
  outputs: Inputs.optional(),
  tests: GraphTests.optional(),
})
type GraphText = z.infer<typeof GraphText>
const Ends = { from: z.string(), fromPin: z.string(), to: z.string(), toPin: z.string() }
const { nodes: _nodes, comments, reroutes, bookmarks } = GraphLayout.shape
const LayoutText = z.strictObject({
  nodes: GraphLayout.shape.nodes,
  comments: z.record(z.string().min(1).max(64), comments.unwrap().element.omit({ id: true })).default({}),
  reroutes: z
    .record(z.string().min(1).max(64), reroutes.unwrap().element.omit({ id: true, edge: true }).extend(Ends))
    .default({}),
  bookmarks: z.record(z.string().regex(/^[1-9]$/), bookmarks.unwrap().element.omit({ slot: true })).default({}),
})
const Parts = z.union([
  z.strictObject({ layout: LayoutText }),
  z.strictObject({ conflicts: z.array(z.looseObject({ kind: z.string() })).min(1) }),
])

export type ParsedText = {
  readonly graph: ReviewGraph
  /** Of a merge, and not resolved yet. */
  readonly conflicts: readonly Readonly<Record<string, unknown>>[]
  /** Lines with a comment, which the text form does not keep. */
  readonly comments: readonly number[]
  readonly lineOf: (node: string) => number | null
}

/** The text of a graph is invalid: where, and why. */
export class TextError extends Error {
  readonly line: number | null
  constructor(line: number | null, message: string) {
    super(message)
    this.name = 'TextError'
    this.line = line
  }
}

function write(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  const short = (item: unknown): boolean => isScalar(item)
  visit(document, {
    // Vectors and places read best on one line.
    Seq: (_key, node) => void (node.flow = node.items.every(short)),
    Map: (_key, node, path) => {
      const depth = path.filter(isMap).length
      node.flow =
        depth > 1 && node.items.length > 0 && node.items.every((pair) => short(pair.value)) && isPlace(node.items)
    },
  })
  return stringify(document, { lineWidth: 0 })
}
const ONE_LINE = new Set([
  'x',
  'y',
  'w',
  'h',
  'collapsed',
  'color',
  'zoom',
  'type',
  'value',
  'label',
  'types',
  'check',
  'of',
  'min',
  'max',
  'closer',
  'ms',
])
const isPlace = (items: readonly { readonly key: unknown }[]): boolean =>
  items.every(({ key }) => isScalar(key) && ONE_LINE.has(String(key.value)))

const filledIn = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  )
const record = <T>(map: ReadonlyMap<string, T>): Record<string, unknown> =>
  Object.fromEntries(sorted(map).map(([key, value]) => [key, canonical(value)]))

export function printText(graph: ReviewGraph, conflicts: readonly object[] = []): string {
  const reads = incoming(graph.edges)
  const pinsInto = new Map<string, Record<string, unknown>>()
  for (const [key, edges] of [...reads].sort(([a], [b]) => byText(a, b))) {
    const to = edges[0]?.to ?? ''
    const sources = edges.map(({ from, fromPin }) => `${from}.${fromPin}`)
    const pins = pinsInto.get(to) ?? {}
    pins[key.slice(to.length + 1)] = sources.length === 1 ? sources[0] : sources
    pinsInto.set(to, pins)
  }
  const body = {
    pcg: 1,
    ...filledIn({
      graph: graph.path,
      parameters: record(graph.parameters),
      pins: filledIn(graph.pins),
      nodes: Object.fromEntries(
        sorted(graph.nodes).map(([id, node]) => [
          id,
          {
            class: node.class,
            ...filledIn({ name: node.name, title: node.title, settings: node.settings, inputs: pinsInto.get(id) }),
          },
        ]),
      ),
      outputs: pinsInto.get(OUTPUT),
      tests: graph.tests && canonical(graph.tests),
    }),
  }
  const { layout } = graph
  const places = filledIn({
    nodes: record(layout.nodes),
    comments: record(layout.comments),
    reroutes: record(layout.reroutes),
    bookmarks: record(layout.bookmarks),
  })
  return [
    write(body),
    ...(Object.keys(places).length === 0 ? [] : [write({ layout: places })]),
    ...(conflicts.length === 0 ? [] : [write({ conflicts })]),
  ].join('---\n')
}

function sources(to: string, inputs: GraphText['outputs']): ReviewEdge[] {
  return Object.entries(inputs ?? {}).flatMap(([toPin, given]) =>
    (Array.isArray(given) ? given : [given]).map((source) => {
      const dot = source.indexOf('.')
      return { from: source.slice(0, dot), fromPin: source.slice(dot + 1), to, toPin }
    }),
  )
}

type Reader = { readonly document: Document; readonly lines: LineCounter }
function lineOf({ document, lines }: Reader, path: readonly PropertyKey[]): number | null {
  for (let length = path.length; length >= 0; length--) {
    const found: unknown = document.getIn(path.slice(0, length), true)
    if ((isScalar(found) || isMap(found) || isSeq(found)) && found.range) return lines.linePos(found.range[0]).line
  }
  return null
}
function checked<S extends z.ZodType>(schema: S, reader: Reader): z.output<S> {
  let given: unknown
  try {
    given = reader.document.toJS({ maxAliasCount: 0 })
  } catch (error) {
    throw new TextError(
      null,
      error instanceof ReferenceError ? 'it has an alias, which the text form does not have' : String(error),
    )
  }
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const path = issue?.path ?? []
  throw new TextError(lineOf(reader, path), `${path.map(String).join('.')}: ${issue?.message ?? 'invalid'}`)
}

function commentLines({ document, lines }: Reader): number[] {
  const found: number[] = []
  const note = (text: string | null | undefined, at: number | undefined) => {
    if (text) found.push(lines.linePos(at ?? 0).line)
  }
  note(document.commentBefore, document.range?.[0])
  note(document.comment, document.range?.[1])
  visit(document, {
    Node: (_key, node) => {
      note(node.commentBefore, node.range?.[0])
      note(node.comment, node.range?.[1])
    },
  })
  return found
}

/** An empty text is an empty graph: what version control hands over for a file that one side lacks. */
export function parseText(text: string): ParsedText {
  if (text.length > MOST_TEXT) throw new TextError(null, `it has more than ${MOST_TEXT} characters`)
  if (text.trim() === '') return { graph: emptyReview(), conflicts: [], comments: [], lineOf: () => null }
  const lines = new LineCounter()
  let documents: Reader[]
  try {
    const read = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true, strict: true })
    documents = 'empty' in read ? [] : read.map((document) => ({ document, lines }))
  } catch (error) {
    // The parser recurses: a text that is nested without end exhausts the stack.
    throw new TextError(null, error instanceof RangeError ? 'it is nested too deeply' : String(error))
  }
  for (const { document } of documents)
    for (const { message, linePos } of document.errors)
      throw new TextError(linePos?.[0].line ?? null, message.split('\n')[0] ?? '')
  const [first, ...rest] = documents
  if (!first) throw new TextError(null, 'it holds no document')
  const body = checked(GraphText, first)
  const parts = rest.map((reader) => checked(Parts, reader))
  const layout = parts.find((part) => 'layout' in part)?.layout
  const conflicts = parts.find((part) => 'conflicts' in part)?.conflicts ?? []
  const graph: ReviewGraph = {
    path: body.graph ?? null,
    nodes: new Map(
      Object.entries(body.nodes ?? {}).map(([id, { class: type, name, title, settings }]) => [
        id,
        { class: type, name: name ?? null, title: title ?? null, settings: withoutDefaults(type, settings ?? {}) },
      ]),
    ),
    edges: [
      ...Object.entries(body.nodes ?? {}).flatMap(([id, { inputs }]) => sources(id, inputs)),
      ...sources(OUTPUT, body.outputs),
    ],
    parameters: new Map(Object.entries(body.parameters ?? {})),
    pins: { Input: body.pins?.Input ?? [], Output: body.pins?.Output ?? [] },
    ...(body.tests && { tests: body.tests }),
    layout: {
      nodes: new Map(Object.entries(layout?.nodes ?? {})),
      comments: new Map(Object.entries(layout?.comments ?? {})),
      reroutes: new Map(Object.entries(layout?.reroutes ?? {})),
      bookmarks: new Map(Object.entries(layout?.bookmarks ?? {})),
    },
  }
  const names = new Set<string>()
  for (const [id, node] of graph.nodes) {
    const name = nameIn(id, node).toLowerCase()
    if (names.has(name))
      throw new TextError(lineOf(first, ['nodes', id]), `nodes.${id}: two nodes are named ${nameIn(id, node)}`)
    names.add(name)
  }
  return {
    graph,
    conflicts,
    comments: documents.flatMap(commentLines),
    lineOf: (node) => lineOf(first, ['nodes', node]),
  }
}
