// The settings form of one or several nodes: searchable, pinned rows on top, or as JSON.
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { t } from '../../language/language.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { graphQuery, layoutQuery } from '../editor/queries.ts'
import { preview } from '../inspect/preview.ts'
import { graphView, type NodeView } from '../model/graph.ts'
import { parameterTypeOf, promoting } from '../model/promote.ts'
import {
  changedKeys,
  isRecord,
  keptOtherwise,
  matching,
  nodeRows,
  type PropertyRow,
  readPath,
  type Values,
} from '../model/properties.ts'
import { rebased } from '../model/rebased.ts'
import { useGestures } from '../use-gestures.ts'
import { JsonInput } from './controls/JsonInput.tsx'
import { isMeshes } from './controls/PropertyControl.tsx'
import { type Suggest, SuggestProvider } from './controls/suggestions.ts'
import { type Driven, PropertyRows, type PropertyRowsProps } from './PropertyRows.tsx'
import { usePinned } from './pinned.ts'
import { SubgraphParameters } from './SubgraphParameters.tsx'
import { useSuggestions } from './use-suggestions.ts'

export type NodeValues = { readonly node: NodeView; readonly properties: Values }
type Props = {
  readonly graph: string
  readonly settingsClass: string
  readonly all: readonly [NodeValues, ...NodeValues[]]
}
const NONE: readonly string[] = []

export function NodeForm({ graph, settingsClass, all }: Props) {
  const { kept, set, setRow } = useNodeEdit(graph, all)
  const promote = usePromotion(graph, all[0].node)
  const [word, setWord] = useState('')
  const [raw, setRaw] = useState(false)
  const pins = usePinned((state) => state.byClass[settingsClass] ?? NONE)
  const togglePin = usePinned((state) => state.toggle)
  const { gestures } = useGestures()
  const driven = useDriven(graph, all)
  const suggest = useSuggestions(gestures.editor, graph, settingsClass, all[0].properties)
  const [{ properties }] = all
  const embedded = all.length === 1 ? embeddedBy(properties) : undefined
  const rows = nodeRows(
    settingsClass,
    all.map(({ properties: values }) => values),
  ).filter(({ path }) => embedded === undefined || path !== 'ParameterOverrides')
  const found = matching(rows, word)
  const pinned = new Set(pins)
  const show = ({ path }: Pick<PropertyRow, 'path'>, value: unknown): void =>
    preview({ pcg_graph_path: graph, node_name: all[0].node.name, values: { [path]: value } })
  const shared = {
    kept,
    driven,
    ...(all.length === 1 ? { onPromote: promote, onPreview: show } : {}),
    pinned,
    onPin: (path: string) => togglePin(settingsClass, path),
    onSet: setRow,
  }
  const groups = [
    { title: t('Pinned'), rows: found.filter(({ path }) => pinned.has(path)) },
    { title: t('Settings'), rows: meshesFirst(found.filter(({ path, common }) => !pinned.has(path) && !common)) },
    { title: t('Every node'), rows: found.filter(({ path, common }) => !pinned.has(path) && common) },
  ]
  return (
    <div className="flex flex-col gap-1 px-3 py-2">
      <div className="flex items-center gap-2">
        <SearchInput label={t('Find a setting')} value={word} onChange={setWord} width="w-full" />
        {all.length === 1 && <RawToggle on={raw} onChange={setRaw} />}
      </div>
      {raw && all.length === 1 ? (
        <JsonInput
          label={t('Settings as JSON')}
          value={properties}
          rows={18}
          hint={t('Only changed keys are sent; omitted keys stay unchanged. Ctrl+Enter applies.')}
          refuse={(value) => (isRecord(value) ? undefined : t('Node settings must be an object.'))}
          onCommit={(value, of) =>
            // Compares with the values read when typing began, so that others' changes are not reverted.
            set(changedKeys(isRecord(of) ? of : properties, isRecord(value) ? value : {}), 'settings')
          }
        />
      ) : (
        <Groups groups={groups} suggest={suggest} shared={shared}>
          {embedded !== undefined && word === '' && (
            <SubgraphParameters
              editor={gestures.editor}
              {...embedded}
              driven={driven}
              onChange={(change, label) =>
                set(({ ParameterOverrides: now }) => ({ ParameterOverrides: change(isRecord(now) ? now : {}) }), label)
              }
              onPreview={(ParameterOverrides) => show({ path: 'ParameterOverrides' }, ParameterOverrides)}
            />
          )}
        </Groups>
      )}
      {!raw && found.length === 0 && <p className="py-4 text-center text-sm text-ink-2">{t('No setting matches.')}</p>}
    </div>
  )
}

function RawToggle({ on, onChange }: { readonly on: boolean; readonly onChange: (on: boolean) => void }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      className="h-7 shrink-0 rounded-md px-2 font-mono text-xs text-ink-2 hover:bg-hover aria-pressed:bg-pressed aria-pressed:text-ink"
      title={t('All settings as JSON')}
      onClick={() => onChange(!on)}
    >
      {'{ }'}
    </button>
  )
}

/** What a spawner places comes before how. */
const meshesFirst = (rows: readonly PropertyRow[]): readonly PropertyRow[] =>
  rows.toSorted((one, other) => Number(isMeshes(other)) - Number(isMeshes(one)))

type Group = { readonly title: string; readonly rows: readonly PropertyRow[] }

function Groups({
  groups,
  suggest,
  shared,
  children,
}: {
  readonly groups: readonly Group[]
  readonly suggest: Suggest
  readonly shared: Omit<PropertyRowsProps, 'rows'>
  /** Before the last group, which every node has. */
  readonly children: ReactNode
}) {
  return (
    <SuggestProvider value={suggest}>
      {groups.map(({ title, rows }, at) => (
        <Fragment key={title}>
          {at === groups.length - 1 && children}
          {rows.length > 0 && (
            <section aria-label={title}>
              <h3 className="eyebrow pt-2 pb-0.5">{title}</h3>
              <PropertyRows {...shared} rows={rows} />
            </section>
          )}
        </Fragment>
      ))}
    </SuggestProvider>
  )
}

/** The graph that a node embeds, and the values it sets for its parameters. */
function embeddedBy({ SubgraphOverride: path, ParameterOverrides: overrides }: Values) {
  return typeof path === 'string' && path !== '' && isRecord(overrides) ? { path, overrides } : undefined
}

function useDriven(graph: string, all: readonly NodeValues[]): Driven {
  const { gestures } = useGestures()
  const { data: info } = useQuery(graphQuery(gestures.editor, graph))
  const view = info && graphView(info)
  const shown = new Set(all.map(({ node }) => node.name))
  return new Map(
    view?.edges.flatMap(({ from, to, toPin }) => {
      const source = view.nodes.get(from)
      return shown.has(to) && source ? [[toPin.toLowerCase(), source] as const] : []
    }),
  )
}

function usePromotion(graph: string, node: NodeView): (row: PropertyRow) => void {
  const { gestures, perform } = useGestures()
  const { data: layout } = useQuery(layoutQuery(gestures.editor, graph))
  return ({ path, property, value }) => {
    const type = parameterTypeOf(property)
    if (type) void perform(promoting(graph, node, { property: path, type, value }, layout?.nodes[node.name]))
  }
}

const isComposite = (value: unknown): boolean => isRecord(value) || Array.isArray(value)
/** A function makes the changes from the settings that the node has when the turn of the change comes. */
type Changes = Values | ((now: Values) => Values)

/** Sends the changed keys to every node as one gesture; reports values that the editor changed. */
function useNodeEdit(graph: string, all: readonly [NodeValues, ...NodeValues[]]) {
  const { perform } = useGestures()
  const [kept, setKept] = useState<ReadonlyMap<string, string>>(new Map())
  async function set(changes: Changes, what: string): Promise<boolean> {
    if (typeof changes !== 'function' && Object.keys(changes).length === 0) return true
    const title = all.length === 1 ? all[0].node.title : t('{count} nodes', { count: all.length })
    const notes = new Map<string, string>()
    const done = await perform({
      label: t('Set {what} of {title}', { what: what.toLowerCase(), title }),
      async edit(call) {
        for (const { node } of all) {
          const at = { pcg_graph_path: graph, node_name: node.name }
          const properties =
            typeof changes === 'function' ? changes((await call('get_pcg_node_properties', at)).properties) : changes
          const answer = await call('set_pcg_node_properties', { ...at, properties })
          for (const { path, value } of keptOtherwise(properties, answer.properties))
            notes.set(path, t('Kept as {value}', { value: JSON.stringify(value).slice(0, 60) }))
          if (answer.save_error)
            notes.set(Object.keys(properties)[0] ?? '', t('Not saved: {save_error}', { save_error: answer.save_error }))
        }
        return undefined
      },
    })
    setKept(notes)
    return done
  }
  /** Others may have changed another part of the value since it was shown. */
  const setRow = ({ path, label }: PropertyRow, value: unknown, from?: unknown): Promise<boolean> =>
    set(
      isComposite(value) && isComposite(from) && all.length === 1
        ? (now) => ({ [path]: rebased(from, value, readPath(now, path)) })
        : { [path]: value },
      label,
    )
  return { kept, set, setRow }
}
