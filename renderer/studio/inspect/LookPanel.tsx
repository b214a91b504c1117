// The data that the selected node produced on the chosen actor: table and 3D view.
import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { ApiError } from '#contract'
import { t } from '../../language/language.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { actorsQuery, graphQuery, nodeQuery, useEditorEvents } from '../editor/queries.ts'
import { useBuiltIn } from '../editor/use-built-in.ts'
import { useCapability } from '../editor/use-capability.ts'
import { graphView, type NodeView } from '../model/graph.ts'
import { meshRows } from '../model/mesh-entries.ts'
import type { PanelProps } from '../panels.ts'
import { useStudio } from '../studio.ts'
import { DataView } from './DataView.tsx'
import { createLoader, type What } from './loading.ts'
import type { Actor } from './points.ts'
import { createPreviewer, type Previewed, preview, usePreview, withPanel } from './preview.ts'
import type { Sheet } from './sheet.ts'

export function LookPanel({ editor, graph }: PanelProps) {
  const cannot = useCapability(editor, 'nodeData')
  const chosen = useStudio((state) => state.nodes)
  const display = useStudio((state) => state.display)
  const [selected] = chosen
  const info = useQuery({ ...graphQuery(editor, graph ?? ''), enabled: graph !== null })
  const view = useMemo(() => info.data && graphView(info.data), [info.data])
  const shown = display === null ? undefined : view?.nodes.get(display)
  const node = shown ?? (chosen.size === 1 ? view?.nodes.get(selected ?? '') : undefined)
  if (cannot !== null) return <EmptyState icon={Eye} title={t('No data view')} about={cannot} />
  if (!node)
    return (
      <EmptyState
        icon={Eye}
        title={t('Select a node')}
        about={t('Its data of the last generation is shown here.')}
        action={view && <NodePick nodes={[...view.nodes.values()]} />}
      />
    )
  return <OfActor key={node.name} editor={editor} graph={view?.path ?? ''} node={node} />
}

/** A keyboard alternative to clicking on the canvas. */
function NodePick({ nodes }: { readonly nodes: readonly NodeView[] }) {
  const select = useStudio((state) => state.select)
  const made = nodes.filter(({ end }) => end === null)
  if (made.length === 0) return null
  return (
    <Select
      label={t('Node')}
      hideLabel
      className="w-56 text-left"
      value=""
      options={[
        { value: '', label: t('Node…') },
        ...made.map(({ name, title }) => ({ value: name, label: title, about: name })),
      ]}
      onChange={(name) => select(name === '' ? [] : [name])}
    />
  )
}

type OfNode = { readonly editor: string; readonly graph: string; readonly node: NodeView }

function OfActor({ editor, graph, node }: OfNode) {
  const spawned = useSpawned(editor, graph, node)
  const actors = useQuery(actorsQuery(editor))
  const chosen = useStudio((state) => state.actor)
  const setActor = useStudio((state) => state.setActor)
  if (actors.isError && !actors.data) return <ErrorState error={actors.error} onRetry={() => void actors.refetch()} />
  if (!actors.data) return <Skeleton className="m-3 h-24" />
  const withComponent = actors.data.actors.filter(({ has_component }) => has_component)
  const actor = withComponent.find(({ actor_name }) => actor_name === chosen) ?? withComponent[0]
  if (!actor)
    return (
      <EmptyState
        icon={Eye}
        title={t('Nothing generated yet')}
        about={t('Place a volume with this graph, then generate.')}
      />
    )
  return (
    <OfPin
      key={actor.actor_name}
      editor={editor}
      node={node}
      actor={actor}
      spawned={spawned}
      actorPick={
        <Select
          label={t('Actor')}
          hideLabel
          className="w-44"
          value={actor.actor_name}
          options={withComponent.map(({ actor_name, actor_label }) => ({ value: actor_name, label: actor_label }))}
          onChange={setActor}
        />
      }
    />
  )
}

function OfPin({
  editor,
  node,
  actor,
  spawned,
  actorPick,
}: {
  readonly editor: string
  readonly node: NodeView
  readonly actor: Actor
  readonly spawned: readonly string[]
  readonly actorPick: React.ReactNode
}) {
  const [pin, setPin] = useState(node.outputs[0]?.label)
  const [dataIndex, setDataIndex] = useState(0)
  const what = useMemo(
    () => ({ editor, actor: actor.actor_name, node: node.name, pin, dataIndex }),
    [editor, actor.actor_name, node.name, pin, dataIndex],
  )
  const { loader, ...state } = useData(what)
  const previewed = usePreviewed(what, state.sheet)
  const pins = node.outputs.map(({ label }) => ({ value: label, label }))
  const count = state.head?.data_count ?? 0
  const builtIn = useBuiltIn(editor)
  const bar = (
    <>
      {actorPick}
      {pin !== undefined && pins.length > 1 && (
        <Select
          label={t('Pin')}
          hideLabel
          className="w-36"
          value={pin}
          options={pins}
          onChange={(next) => {
            setPin(next)
            setDataIndex(0)
          }}
        />
      )}
      {count > 1 && (
        <Select
          label={t('Data')}
          hideLabel
          className="w-32"
          value={String(dataIndex)}
          options={Array.from({ length: Math.min(count, 200) }, (_, at) => ({
            value: String(at),
            label: t('Data {at} of {count}', { at: at + 1, count }),
          }))}
          onChange={(at) => setDataIndex(Number(at))}
        />
      )}
      {builtIn === false && <NoPreview />}
    </>
  )
  return (
    <DataView
      editor={editor}
      bar={bar}
      state={state}
      previewed={previewed}
      loader={loader}
      actor={actor}
      spawned={spawned}
      empty={emptyOf(state.error)}
    />
  )
}

/** Where a preview would be. */
function NoPreview() {
  return (
    <span
      className="text-2xs text-ink-3"
      title={t(
        'Unreal has no call that computes a node with a value that is not stored: its data view shows the last execution. With “auto” on, a drag stores its values and generates.',
      )}
    >
      {t('No preview of dragged values')}
    </span>
  )
}

const NO_MESHES: readonly string[] = []

/** The meshes of a spawner's entries. */
function useSpawned(editor: string, graph: string, { name, settingsClass }: NodeView): readonly string[] {
  const { data } = useQuery({
    ...nodeQuery(editor, graph, name),
    enabled: settingsClass === 'PCGStaticMeshSpawnerSettings',
  })
  const entries = data?.properties['MeshSelectorParameters']
  return useMemo(() => (entries === undefined ? NO_MESHES : meshRows(entries).map(({ mesh }) => mesh)), [entries])
}

/** Not an error: nothing was generated yet, or the node did not run. */
function emptyOf(error: unknown): string | null {
  return error instanceof ApiError && error.code === 'NODE_NOT_FOUND' ? error.message : null
}

/** Re-read after each generation of the actor. */
function useData(what: What) {
  const [made, setMade] = useState(() => ({ what, run: 0, loader: createLoader(what, 0) }))
  if (made.what !== what) setMade({ what, run: 0, loader: createLoader(what, 0) })
  const { loader, run } = made
  useEffect(() => loader.start(), [loader])
  useEditorEvents(what.editor, (event) => {
    if (event.type === 'generation' && event.actorName === what.actor && ENDS.has(event.phase))
      setMade({ what, run: run + 1, loader: createLoader(what, run + 1, undefined, loader.state.getState()) })
  })
  return { loader, ...useStore(loader.state) }
}

/** What the node would make with the value under the hand, until it is generated; only the built-in editor does that. */
function usePreviewed(what: What, generated: Sheet | null): Previewed | null {
  const can = useBuiltIn(what.editor)
  const asked = usePreview((state) => state.asked)
  const [shown, setShown] = useState<Previewed | null>(null)
  const previewer = useMemo(() => createPreviewer(what, setShown), [what])
  useEffect(() => (can === true ? withPanel() : undefined), [can])
  useEffect(() => {
    if (asked) previewer.put(asked)
  }, [asked, previewer])
  // Its first page is of a later generation.
  useEffect(() => {
    if (generated) preview(null)
  }, [generated])
  // Another node or pin shows its last generation.
  useEffect(
    () => () => {
      previewer.end()
      setShown(null)
      preview(null)
    },
    [previewer],
  )
  return asked && shown
}

const ENDS: ReadonlySet<string> = new Set(['verified', 'empty', 'failed'])
