// The settings of the selection: one node, or several of one class.
import { useQueries, useQuery } from '@tanstack/react-query'
import { MousePointerClick } from 'lucide-react'
import { useMemo } from 'react'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { graphQuery, nodeQuery } from '../editor/queries.ts'
import { graphView, type NodeView } from '../model/graph.ts'
import type { PanelProps } from '../panels.ts'
import { useStudio } from '../studio.ts'
import { NodeForm, type NodeValues } from './NodeForm.tsx'

/** Larger selections are changed in chunks, so that other calls do not wait for hundreds of requests. */
const MOST_NODES = 100

export function PropertiesPanel({ editor, graph }: PanelProps) {
  if (graph === null) return <Nothing about={t('Open a graph first.')} />
  return <OfGraph editor={editor} graph={graph} />
}

function OfGraph({ editor, graph }: { readonly editor: string; readonly graph: string }) {
  const info = useQuery(graphQuery(editor, graph))
  const chosen = useStudio((state) => state.nodes)
  const view = useMemo(() => info.data && graphView(info.data), [info.data])
  if (info.isError && !info.data) return <ErrorState error={info.error} onRetry={() => void info.refetch()} />
  if (!view) return <Skeleton className="m-3 h-24" />
  const nodes = [...chosen].flatMap((name) => view.nodes.get(name) ?? [])
  if (nodes.length === 0) return <Nothing about={t('Select a node to see and change its settings.')} />
  const classes = Map.groupBy(nodes, ({ settingsClass }) => settingsClass)
  if (classes.size > 1) return <Narrow classes={classes} />
  if (nodes.length > MOST_NODES)
    return (
      <Nothing
        about={t('Of the {count} selected nodes, at most {MOST_NODES} can be changed together.', {
          count: nodes.length,
          MOST_NODES,
        })}
      />
    )
  return <OfNodes editor={editor} graph={graph} nodes={nodes} />
}

function Nothing({ about }: { readonly about: string }) {
  return <EmptyState icon={MousePointerClick} title={t('Nothing to show')} about={about} />
}

function Narrow({ classes }: { readonly classes: ReadonlyMap<string, readonly NodeView[]> }) {
  const select = useStudio((state) => state.select)
  return (
    <div className="flex flex-col items-start gap-2 px-3 pb-3 text-sm text-ink-2">
      <p>{t('{size} classes are selected. Nodes of one class can be changed together:', { size: classes.size })}</p>
      {[...classes].map(([settingsClass, nodes]) => (
        <Button key={settingsClass} size="sm" onClick={() => select(nodes.map(({ name }) => name))}>
          {nodes.length} × {nodes[0]?.title ?? settingsClass}
        </Button>
      ))}
    </div>
  )
}

type OfNodesProps = {
  readonly editor: string
  readonly graph: string
  readonly nodes: readonly NodeView[]
}

function OfNodes({ editor, graph, nodes }: OfNodesProps) {
  const answers = useQueries({ queries: nodes.map(({ name }) => nodeQuery(editor, graph, name)) })
  const failed = answers.find(({ error, data }) => error && !data)
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
  const values = answers.flatMap(({ data }, index) => {
    const node = nodes[index]
    return data && node ? [{ node, properties: data.properties }] : []
  })
  const [first, ...others] = values
  if (!first || values.length < nodes.length) return <Skeleton className="m-3 h-24" />
  return (
    <div className="flex flex-col">
      <Title all={[first, ...others]} />
      <NodeForm
        key={nodes.map(({ name }) => name).join('\n')}
        graph={graph}
        settingsClass={first.node.settingsClass}
        all={[first, ...others]}
      />
    </div>
  )
}

function Title({ all }: { readonly all: readonly [NodeValues, ...NodeValues[]] }) {
  const [{ node }] = all
  return (
    <div className="border-b border-line px-3 pb-2">
      <p className="flex items-center gap-2 text-sm font-semibold">
        <span className="truncate">{all.length === 1 ? node.title : `${all.length} × ${node.title}`}</span>
        <span className="ml-auto shrink-0 text-2xs font-normal text-ink-3">{node.category}</span>
      </p>
      <p className="flex items-center gap-1 text-2xs text-ink-3">
        <code className="truncate font-mono">{node.settingsClass}</code>
      </p>
      {all.length === 1 && (
        <p className="flex items-center gap-1 text-2xs text-ink-3">
          <code className="truncate font-mono">{node.name}</code>
          <CopyButton text={node.name} label={t('Copy the name')} />
        </p>
      )}
      {!node.known && (
        <p className="pt-1 text-2xs text-warn">
          {t('This class is not in the catalogue. Its settings are shown as stored by the editor.')}
        </p>
      )}
    </div>
  )
}
