// Draws splines and volumes on a plan of the level: the points of a Create Points node, or the bounds of a new volume.
import { useQuery } from '@tanstack/react-query'
import { PenTool, Plus, Spline, X } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { actorsQuery, graphQuery, layoutQuery, nodeQuery, shapesQuery } from '../editor/queries.ts'
import { useBuiltIn } from '../editor/use-built-in.ts'
import { graphView, type NodeView } from '../model/graph.ts'
import { rebased } from '../model/rebased.ts'
import { useHeld } from '../panels/controls/use-held.ts'
import { VectorInput } from '../panels/controls/VectorInput.tsx'
import { SpawnVolume } from '../panels/SpawnVolume.tsx'
import type { PanelProps } from '../panels.ts'
import { useStudio } from '../studio.ts'
import { useGestures } from '../use-gestures.ts'
import {
  addedAt,
  groundHeight,
  movedTo,
  newSpline,
  type Place3,
  POINTS_CLASS,
  placesIn,
  removedAt,
} from './drawn-points.ts'
import { Plan, type PlanVolume, type Rectangle } from './Plan.tsx'
import { type Bounds, boundsOf } from './use-plan-box.ts'

export function DrawPanel({ editor, graph }: PanelProps) {
  const info = useQuery({ ...graphQuery(editor, graph ?? ''), enabled: graph !== null })
  const view = useMemo(() => info.data && graphView(info.data), [info.data])
  if (graph === null)
    return (
      <EmptyState
        icon={PenTool}
        title={t('No graph is open')}
        about={t('Open a graph to draw its splines and volumes.')}
      />
    )
  if (!view) return <Skeleton className="m-3 h-24" />
  const nodes = [...view.nodes.values()].filter(({ settingsClass }) => settingsClass === POINTS_CLASS)
  return <Drawing editor={editor} graph={graph} nodes={nodes} />
}

const VOLUME = ''

function Drawing({
  editor,
  graph,
  nodes,
}: {
  readonly editor: string
  readonly graph: string
  readonly nodes: readonly NodeView[]
}) {
  const { perform, locked } = useGestures()
  const { data: layout } = useQuery(layoutQuery(editor, graph))
  const selected = useStudio((state) => state.nodes)
  const [picked, setPicked] = useState<string | null>(null)
  const known = (name: string | null | undefined) => nodes.find((node) => node.name === name)
  const node = picked === VOLUME ? undefined : (known(picked) ?? known([...selected][0]) ?? nodes[0])
  const add = (): void => {
    const bottom = Math.max(0, ...Object.values(layout?.nodes ?? {}).map(({ y }) => y + 160))
    void perform(newSpline(graph, { x: 0, y: bottom }, setPicked))
  }
  const pick = (
    <div className="flex items-end gap-2">
      <Select
        label={t('Draw')}
        className="min-w-0 grow"
        value={node?.name ?? VOLUME}
        options={[
          ...nodes.map(({ name, title }) => ({ value: name, label: title, about: name })),
          { value: VOLUME, label: t('New volume') },
        ]}
        onChange={setPicked}
      />
      <Button disabled={locked !== null} title={locked ?? t('Adds Create Points and Create Spline')} onClick={add}>
        <Spline /> {t('New spline')}
      </Button>
    </div>
  )
  const level = usePlanLevel(editor)
  return node ? (
    <PointsOf key={node.name} editor={editor} graph={graph} node={node.name} level={level} pick={pick} />
  ) : (
    <VolumeOf graph={graph} level={level} pick={pick} />
  )
}

type Level = ReturnType<typeof usePlanLevel>

/** What a plan shows of the level; the ground of a real editor is not read, because that takes seconds there. */
function usePlanLevel(editor: string) {
  const builtIn = useBuiltIn(editor)
  const { data: shapes } = useQuery({ ...shapesQuery(editor), enabled: builtIn === true })
  const { data: level } = useQuery(actorsQuery(editor))
  return useMemo(() => {
    const drawn = new Set(
      [...(shapes?.landscapes ?? []), ...(shapes?.splines ?? [])].map(({ actor_name }) => actor_name),
    )
    const volumes: PlanVolume[] = (level?.actors ?? []).flatMap(
      ({ actor_name, actor_label: name, bounds_origin: [x = 0, y = 0], bounds_extent: [w = 0, h = 0] }) =>
        w * h > 0 && !drawn.has(actor_name) ? [{ name, min: [x - w, y - h], max: [x + w, y + h] }] : [],
    )
    return { shapes, volumes }
  }, [shapes, level])
}

/** Volumes, splines and points; the ground only if there is nothing else, because it can be far larger. */
function contentOf({ shapes, volumes }: Level, points: readonly Place3[]): Bounds {
  return (
    boundsOf([
      ...volumes.flatMap(({ min, max }) => [min, max]),
      ...(shapes?.splines ?? []).flatMap((spline) => spline.points),
      ...points,
    ]) ??
    boundsOf(shapes?.landscapes.flatMap(({ min, max }) => [min, max]) ?? []) ?? {
      min: [-1000, -1000],
      max: [1000, 1000],
    }
  )
}

function Split({ pick, side, plan }: { readonly pick: ReactNode; readonly side: ReactNode; readonly plan: ReactNode }) {
  return (
    <div className="flex h-full min-h-64">
      <div className="flex w-72 shrink-0 flex-col gap-2 overflow-y-auto border-r border-line px-3 pb-3">
        {pick}
        {side}
      </div>
      {plan}
    </div>
  )
}

type PartProps = { readonly graph: string; readonly level: Level; readonly pick: ReactNode }
const NOTHING = (): void => undefined

function PointsOf({
  editor,
  graph,
  node,
  level,
  pick,
}: PartProps & { readonly editor: string; readonly node: string }) {
  const { data } = useQuery(nodeQuery(editor, graph, node))
  if (!data) return <Split pick={pick} side={<Skeleton className="h-24" />} plan={null} />
  const list = data.properties['PointsToCreate']
  return <DrawnPoints graph={graph} node={node} level={level} pick={pick} list={list} />
}

function DrawnPoints({
  graph,
  node,
  level,
  pick,
  list,
}: PartProps & { readonly node: string; readonly list: unknown }) {
  const { perform, locked } = useGestures()
  /** The point that keys move: their small steps, one after another, are one step of undo. */
  const nudged = useRef<number>(undefined)
  const at = { pcg_graph_path: graph, node_name: node }
  const { shown, commit } = useHeld<unknown>(list ?? NO_POINTS, (next, from) =>
    perform({
      label: t('Draw points'),
      ...(nudged.current === undefined ? {} : { merge: ['draw', node, nudged.current].join(' ') }),
      async edit(call) {
        const { properties } = await call('get_pcg_node_properties', at)
        const PointsToCreate = rebased(from, next, properties['PointsToCreate'])
        await call('set_pcg_node_properties', { ...at, properties: { PointsToCreate } })
        return undefined
      },
    }),
  )
  const places = placesIn(shown)
  // Fits what there was, so that the plan does not jump while points are added.
  const [first] = useState(places)
  const content = useMemo(() => contentOf(level, first), [level, first])
  const grounded = ([x, y]: readonly [number, number], z: number): Place3 => {
    const round = (value: number): number => Math.round(value * 10) / 10
    return [round(x), round(y), round(groundHeight(level.shapes?.landscapes ?? [], x, y) ?? z)]
  }
  const add = (where: number, to: readonly [number, number]) =>
    void commit(addedAt(shown, where, grounded(to, places.at(-1)?.[2] ?? 0)))
  return (
    <Split
      pick={pick}
      side={
        <>
          <p className="text-xs text-ink-2">
            {t('Click the plan to add a point; drag points or move them with arrow keys.')}
          </p>
          <PointList
            places={places}
            onMove={(index, to) => commit(movedTo(shown, index, to))}
            onRemove={(index) => void commit(removedAt(shown, index))}
          />
          <Button
            size="sm"
            className="self-start"
            disabled={locked !== null}
            onClick={() => {
              const [x, y] = places.at(-1) ?? [
                (content.min[0] + content.max[0]) / 2,
                (content.min[1] + content.max[1]) / 2,
              ]
              add(places.length, [x + (places.length === 0 ? 0 : 200), y])
            }}
          >
            <Plus /> {t('Add a point')}
          </Button>
        </>
      }
      plan={
        <Plan
          {...level}
          content={content}
          points={places.map(([x, y]) => [x, y])}
          rectangle={null}
          locked={locked !== null}
          onAdd={add}
          onMove={(index, to, byKey) => {
            nudged.current = byKey ? index : undefined
            void commit(movedTo(shown, index, grounded(to, places[index]?.[2] ?? 0)))
            nudged.current = undefined
          }}
          onRemove={(index) => void commit(removedAt(shown, index))}
          onRectangle={NOTHING}
        />
      }
    />
  )
}
type PointListProps = {
  readonly places: readonly Place3[]
  readonly onMove: (at: number, to: Place3) => Promise<unknown>
  readonly onRemove: (at: number) => void
}

function PointList({ places, onMove, onRemove }: PointListProps) {
  return (
    <ol aria-label={t('Points')} className="flex flex-col gap-1">
      {places.map((place, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- points have no other identity
        <li key={index} className="flex items-center gap-1">
          <span className="w-5 shrink-0 text-2xs text-ink-3 tabular-nums">{index + 1}</span>
          <VectorInput
            label={t('Point {number}', { number: index + 1 })}
            value={place}
            onCommit={([x = 0, y = 0, z = 0]) => onMove(index, [x, y, z])}
          />
          <IconButton
            label={t('Remove point {number}', { number: index + 1 })}
            size="sm"
            onClick={() => onRemove(index)}
          >
            <X />
          </IconButton>
        </li>
      ))}
    </ol>
  )
}

const NO_POINTS: readonly unknown[] = []

function VolumeOf({ graph, level, pick }: PartProps) {
  const { locked } = useGestures()
  const setActor = useStudio((state) => state.setActor)
  const [rectangle, setRectangle] = useState<Rectangle | null>(null)
  const content = useMemo(() => contentOf(level, []), [level])
  const drawn = rectangle && drawnVolume(rectangle, level)
  return (
    <Split
      pick={pick}
      side={
        <>
          <p className="text-xs text-ink-2">{t('Drag a rectangle on the plan, or type the numbers.')}</p>
          <SpawnVolume key={JSON.stringify(drawn)} graph={graph} drawn={drawn} onSpawned={setActor} />
        </>
      }
      plan={
        <Plan
          {...level}
          content={content}
          points={null}
          rectangle={rectangle}
          locked={locked !== null}
          onAdd={NOTHING}
          onMove={NOTHING}
          onRemove={NOTHING}
          onRectangle={setRectangle}
        />
      }
    />
  )
}

/** On the ground in its middle, 10 m high. */
function drawnVolume({ from, to }: Rectangle, { shapes }: Level) {
  const [x, y] = [Math.round((from[0] + to[0]) / 2), Math.round((from[1] + to[1]) / 2)]
  const half = (axis: 0 | 1): number => Math.max(1, Math.round(Math.abs(to[axis] - from[axis]) / 2))
  const z = Math.round(groundHeight(shapes?.landscapes ?? [], x, y) ?? 0)
  return { location: [x, y, z], extent: [half(0), half(1), 500] }
}
