// The graph as text, in the order in which data flows: for screen readers, and to find a node by its connections.
import { useQuery } from '@tanstack/react-query'
import { ListTree } from 'lucide-react'
import { useMemo } from 'react'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { hold } from '../canvas/hand.ts'
import { type DrawnMark, useOverlay } from '../canvas/overlay.ts'
import { graphQuery } from '../editor/queries.ts'
import { graphView, type NodeView } from '../model/graph.ts'
import { connectionsOf, inFlow } from '../model/outline.ts'
import type { PanelProps } from '../panels.ts'
import { useStudio } from '../studio.ts'

export function OutlinePanel({ editor, graph }: PanelProps) {
  const info = useQuery({ ...graphQuery(editor, graph ?? ''), enabled: graph !== null })
  const view = useMemo(() => info.data && graphView(info.data), [info.data])
  const nodes = useMemo(() => view && inFlow(view), [view])
  const joined = useMemo(() => view && connectionsOf(view), [view])
  const marks = useOverlay((state) => state.nodes)
  const chosen = useStudio((state) => state.nodes)
  if (graph === null)
    return <EmptyState icon={ListTree} title={t('Nothing to show')} about={t('Open a graph to read it as text.')} />
  if (!view || !nodes || !joined) return <Skeleton className="m-3 h-24" />
  return (
    <ol aria-label={t('Nodes in the order of data')} className="flex flex-col px-1.5 pb-3">
      {nodes.map((node) => (
        <Entry
          key={node.name}
          node={node}
          {...joined(node.name)}
          mark={marks.get(node.name)}
          chosen={chosen.has(node.name)}
        />
      ))}
    </ol>
  )
}

/** Selects it, and moves the focus of the keyboard to it on the canvas. */
function goTo(name: string): void {
  useOverlay.getState().focus(name)
  hold({ focusing: name })
}

type EntryProps = ReturnType<ReturnType<typeof connectionsOf>> & {
  readonly node: NodeView
  readonly mark: DrawnMark | undefined
  readonly chosen: boolean
}

function Entry({ node: { name, title, end }, reads, feeds, mark, chosen }: EntryProps) {
  return (
    <li className={cx('rounded-md px-1.5 py-1 [content-visibility:auto]', chosen && 'bg-pressed')}>
      <button
        type="button"
        aria-current={chosen ? 'true' : undefined}
        className="flex w-full flex-wrap items-baseline gap-x-2 rounded text-left text-sm hover:underline"
        onClick={() => goTo(name)}
      >
        <span className="font-medium">{title}</span>
        {end === null && <span className="min-w-0 truncate font-mono text-2xs text-ink-3">{name}</span>}
      </button>
      <div className="pl-2 text-xs text-ink-2">
        {reads.length > 0 && <p>{t('Reads {pins}', { pins: reads.join(', ') })}</p>}
        {feeds.length > 0 && <p>{t('Feeds {pins}', { pins: feeds.join(', ') })}</p>}
        {reads.length + feeds.length === 0 && <p className="text-ink-3">{t('Not connected')}</p>}
        {mark?.badges.map(({ title: about, tone }) => (
          <p key={about} className={tone === 'bad' ? 'text-bad' : tone === 'warn' ? 'text-warn' : 'text-ink-3'}>
            {about}
          </p>
        ))}
      </div>
    </li>
  )
}
