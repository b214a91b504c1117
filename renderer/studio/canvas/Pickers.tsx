// The search lists of the canvas: add a node, find a node, connect a node.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { NODE_TYPES } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { graphsQuery } from '../editor/queries.ts'
import { useEmbedded } from '../editor/use-embedded.ts'
import { usePassing } from '../editor/use-passing.ts'
import { bestPins, edgeOf, fitting, insertion, pinKey, pinOf } from '../model/connect.ts'
import { type Addition, adding, connecting, nameOf, SUBGRAPH_PINS } from '../model/edits.ts'
import type { GraphView, NodeView } from '../model/graph.ts'
import { typeOf } from '../model/graph.ts'
import { type Embedded, overridesFor } from '../model/overrides.ts'
import { CopyGraph } from '../transfer/CopyGraph.tsx'
import { type Bench, useBench } from './bench.ts'
import { noteAdded, toggleFavourite, useChoices } from './choices.ts'
import { choosing } from './chosen.ts'
import { addSnippet } from './edit-commands.ts'
import { NODE_WIDTH } from './flow.ts'
import { hold, type Picking, useHand } from './hand.ts'
import { KeysDialog } from './KeysDialog.tsx'
import { useOverlay } from './overlay.ts'
import { type Pick, PickList } from './PickList.tsx'
import { hueOfCategory } from './pin-look.ts'
import { SnippetsDialog } from './SnippetsDialog.tsx'

const CompareDialog = lazy(async () => ({ default: (await import('../review/CompareDialog.tsx')).CompareDialog }))
const TemplatesDialog = lazy(async () => ({
  default: (await import('../templates/TemplatesDialog.tsx')).TemplatesDialog,
}))
const MergeDialog = lazy(async () => ({ default: (await import('../review/MergeDialog.tsx')).MergeDialog }))

const close = (): void => hold({ picking: null })

export function Pickers() {
  const picking = useHand((state) => state.picking)
  switch (picking?.kind) {
    case undefined:
      return null
    case 'add':
      return <AddNode picking={picking} />
    case 'find':
      return <Find />
    case 'keys':
      return <KeysDialog onClose={close} />
    case 'snippets':
      return <SnippetsDialog onClose={close} />
    case 'templates':
      return (
        <Suspense fallback={null}>
          <TemplatesDialog onClose={close} />
        </Suspense>
      )
    case 'copy-graph':
      return <CopyGraph onClose={close} />
    case 'compare':
      return (
        <Suspense fallback={null}>
          <CompareDialog onClose={close} />
        </Suspense>
      )
    case 'merge':
      return (
        <Suspense fallback={null}>
          <MergeDialog onClose={close} />
        </Suspense>
      )
    case 'wire':
      return <WireTo {...picking} />
  }
}

type Adding = Extract<Picking, { readonly kind: 'add' }>
type Addable = Pick & { readonly what: Addition | { readonly snippet: string }; readonly pins: Pins }
type Pins = { readonly inputs: NodeView['inputs']; readonly outputs: NodeView['outputs'] }

/** A subgraph is added by choosing its graph; Input and Output cannot be added. */
const NOT_ADDED = ['PCGGraphInputOutputSettings', 'PCGSubgraphSettings']
const CLASSES: readonly Addable[] = NODE_TYPES.filter(({ name }) => !NOT_ADDED.includes(name))
  .map((type) => ({
    key: type.name,
    title: type.title,
    also: `${type.name} ${type.category}`,
    about: [type.category, ...(type.deprecated ? ['deprecated'] : [])].join(' · '),
    mark: <Swatch category={type.category} />,
    what: { type: type.name },
    pins: type,
  }))
  .toSorted((a, b) => a.title.localeCompare(b.title, 'en'))

const NO_PINS: Pins = { inputs: [], outputs: [] }

function Swatch({ category }: { readonly category: string }) {
  const hue = hueOfCategory(category)
  return (
    <span
      aria-hidden
      className="size-2.5 shrink-0 rounded-xs"
      style={{ background: hue === undefined ? 'var(--g-line-strong)' : `var(--g-hue-${hue})` }}
    />
  )
}

function AddNode({ picking }: { readonly picking: Adding }) {
  const bench = useBench()
  const { recent, favourites, snippets } = useChoices()
  const graphs = useQuery(graphsQuery(bench.editor))
  const passes = usePassing(bench.editor)
  const items = useMemo(() => {
    const subgraphs = (graphs.data?.graphs ?? []).flatMap(({ asset_path: path }) =>
      path === bench.view.path
        ? []
        : [
            {
              key: path,
              title: nameOf(path),
              also: t('subgraph {path}', { path }),
              about: t('Subgraph'),
              mark: <Swatch category="Subgraph" />,
              what: { subgraph: path },
              pins: SUBGRAPH_PINS,
            },
          ],
    )
    // A snippet is never connected to the pin or edge under the search.
    const kept = snippets.map(({ id, name, text }) => ({
      key: id,
      title: name,
      also: 'snippet',
      about: t('Snippet'),
      mark: <Swatch category="" />,
      what: { snippet: text },
      pins: NO_PINS,
    }))
    const classes = CLASSES.map((item) =>
      passes(item.key) ? { ...item, about: t('{about} · not executed', { about: item.about }) } : item,
    )
    return [...kept, ...classes, ...subgraphs].filter(({ pins }) => fits(bench.view, picking.join, pins))
  }, [graphs.data, bench.view, picking.join, snippets, passes])
  const pick = ({ key, title, what }: Addable): void => {
    close()
    noteAdded(key)
    if ('snippet' in what) return addSnippet(bench, title, what.snippet, picking.at)
    let made: readonly string[] = []
    const choose = choosing()
    const done = bench.perform(({ view, layout }) =>
      adding(view, layout, what, placeFor(picking), picking.join, (names) => {
        made = names
      }),
    )
    void done.then((is) => is && choose(made))
  }
  return (
    <PickList
      label={picking.join ? t('Add a node that fits') : t('Add a node')}
      placeholder={t('{count} nodes: type a few letters', { count: items.length })}
      items={items}
      first={[...favourites, ...recent.filter((key) => !favourites.includes(key))]}
      empty={t('No matching node.')}
      favourites={{ keys: favourites, toggle: toggleFavourite }}
      at={picking.screen}
      onPick={pick}
      onClose={close}
    />
  )
}

function fits(view: GraphView, join: Adding['join'], pins: Pins): boolean {
  if (!join) return true
  if ('edge' in join) return insertion(view, join.edge, pins) !== undefined
  const mine = pinOf(view, join.pin)
  if (!mine) return false
  return join.pin.side === 'out'
    ? bestPins({ inputs: [], outputs: [mine] }, pins) !== undefined
    : bestPins(pins, { inputs: [mine], outputs: [] }) !== undefined
}

/** Offsets the node so that its connected pin lies under the pointer. */
function placeFor({ at, join }: Adding) {
  const [x, y] = [Math.round(at.x), Math.round(at.y)]
  if (!join) return { x, y }
  if ('edge' in join) return { x: x - NODE_WIDTH / 2, y: y - 28 }
  return { x: join.pin.side === 'out' ? x : x - NODE_WIDTH, y: y - 40 }
}

function Find() {
  const { view } = useBench()
  const items = useMemo(
    () =>
      [...view.nodes.values()].map((node) => ({
        key: node.name,
        title: node.title,
        about: node.name,
        also: [
          node.name,
          node.settingsClass,
          node.category,
          ...[...node.inputs, ...node.outputs].map(({ label }) => label),
          ...Object.keys(typeOf(node.settingsClass)?.properties ?? {}),
        ].join(' '),
        mark: <Swatch category={node.category} />,
      })),
    [view],
  )
  return (
    <PickList
      label={t('Find in the graph')}
      placeholder={t('A title, a class, a property or a pin')}
      items={items}
      empty={t('No results in this graph.')}
      onPick={({ key }) => {
        close()
        useOverlay.getState().focus(key)
      }}
      onClose={close}
    />
  )
}

type Wiring = Omit<Extract<Picking, { readonly kind: 'wire' }>, 'kind'>

function WireTo({ node, pin, onto }: Wiring) {
  const bench = useBench()
  const embedded = useEmbedded(bench.editor, bench.view)
  const items = useMemo(
    () =>
      wiresFrom(
        bench,
        { node, ...(pin === undefined ? {} : { pin }), ...(onto === undefined ? {} : { onto }) },
        embedded,
      ),
    [bench, node, pin, onto, embedded],
  )
  return (
    <PickList
      label={t('Wire the node')}
      placeholder={t('From a pin of this node to…')}
      items={items}
      empty={t('No pin of this graph fits the pins of this node.')}
      onPick={({ edge }) => {
        close()
        void bench.perform(({ view, layout }) => connecting(view, layout, [edge]))
      }}
      onClose={close}
    />
  )
}

/** Connections of a node by pins, then by properties that it can drive or that can be driven. */
function wiresFrom({ view }: Bench, { node: name, pin, onto }: Wiring, embedded: Embedded) {
  const plain = pin === undefined ? pinsFrom(view, name) : []
  const outputs = [...view.nodes.values()].flatMap((node) =>
    node.outputs.map(({ label }) => ({ node: node.name, side: 'out' as const, pin: label })),
  )
  const there = new Set(view.edges.map(({ id }) => id))
  const overrides = outputs
    .filter((from) => pin === undefined || (from.node === name && from.pin === pin))
    .flatMap((from) => overridesFor(view, from, from.node === name ? onto : name, embedded))
    .filter(({ edge }) => !there.has(edge.id))
    .map(({ edge, property, node }) => ({
      key: edge.id,
      title:
        edge.from === name
          ? `${edge.fromPin} → ${node.title} · ${property}`
          : `${property} ← ${view.nodes.get(edge.from)?.title ?? edge.from} · ${edge.fromPin}`,
      also: t('override {toPin}', { toPin: edge.toPin }),
      about: t('Override'),
      edge,
    }))
  return [...plain, ...overrides]
}

function pinsFrom(view: GraphView, name: string) {
  const node = view.nodes.get(name)
  if (!node) return []
  const mine = [
    ...node.outputs.map(({ label }) => ({ node: name, side: 'out' as const, pin: label })),
    ...node.inputs.map(({ label }) => ({ node: name, side: 'in' as const, pin: label })),
  ]
  const there = new Set(view.edges.map(({ id }) => id))
  return mine.flatMap((from) => {
    const fit = fitting(view, from)
    return [...view.nodes.values()].flatMap((other) =>
      (from.side === 'out' ? other.inputs : other.outputs).flatMap(({ label }) => {
        const to = { node: other.name, side: from.side === 'out' ? ('in' as const) : ('out' as const), pin: label }
        const edge = fit.has(pinKey(to)) ? edgeOf(from, to) : undefined
        if (!edge || there.has(edge.id)) return []
        const arrow = from.side === 'out' ? '→' : '←'
        return [{ key: edge.id, title: `${from.pin} ${arrow} ${other.title} · ${label}`, about: other.name, edge }]
      }),
    )
  })
}
