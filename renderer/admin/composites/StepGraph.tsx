// The steps of a composite as a graph: in their order, with an arrow from each result to the steps that read it.

import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { type Graph, type GraphLink, type GraphNode, INPUT, OUTPUT } from './references.ts'

const [HEIGHT, GAP, LANES] = [52, 26, 64]
const PITCH = HEIGHT + GAP
const topOf = (at: number): number => at * PITCH

export function StepGraph({
  graph: { nodes, links },
  selected,
  onSelect,
  onOpen,
}: {
  readonly graph: Graph
  readonly selected: string
  readonly onSelect: (key: string) => void
  /** Leads to the card. */
  readonly onOpen: (key: string) => void
}) {
  const chosen = nodes.findIndex(({ key }) => key === selected)
  return (
    <ol
      aria-label={t('Graph of the steps')}
      className="relative"
      style={{ height: topOf(nodes.length - 1) + HEIGHT, paddingRight: LANES }}
      onKeyDown={(event) => {
        const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
        if (by === 0) return
        event.preventDefault()
        const buttons = [...event.currentTarget.querySelectorAll('button')]
        buttons[buttons.findIndex((each) => each === document.activeElement) + by]?.focus()
      }}
    >
      {nodes.map((node, at) => (
        <Node
          key={node.key}
          node={node}
          at={at}
          implied={links.some(({ to, paths }) => to === at && paths.length === 0)}
          selected={at === chosen}
          onSelect={() => onSelect(node.key)}
          onOpen={() => onOpen(node.key)}
        />
      ))}
      <Links links={links} count={nodes.length} chosen={chosen} />
    </ol>
  )
}

function readsOf({ id, reads, unknown }: GraphNode, implied: boolean): string {
  if (unknown.length > 0) return t('Unknown: {value}', { value: unknown.join(', ') })
  const what = implied ? t('the last result') : reads.map((path) => path.replace(/^steps\./, '')).join(', ')
  return [id, what && `reads ${what}`].filter(Boolean).join(' · ')
}

function Node({
  node,
  at,
  implied,
  selected,
  onSelect,
  onOpen,
}: {
  readonly node: GraphNode
  readonly at: number
  /** Reads the result of the last step without a reference. */
  readonly implied: boolean
  readonly selected: boolean
  readonly onSelect: () => void
  readonly onOpen: () => void
}) {
  const { key, title, unknown, conditional } = node
  const end = key === INPUT || key === OUTPUT
  return (
    <li className="absolute inset-x-0" style={{ top: topOf(at), height: HEIGHT, right: LANES }}>
      <button
        type="button"
        aria-current={selected || undefined}
        tabIndex={selected ? 0 : -1}
        title={title}
        className={cx(
          'flex size-full min-w-0 items-center gap-2 rounded-lg border bg-surface px-2.5 text-left shadow-card hover:border-ink-3',
          selected ? 'border-ring' : 'border-line-strong',
          end && 'bg-sunken',
        )}
        onFocus={onSelect}
        onClick={onOpen}
      >
        {!end && (
          <span className="grid size-5 shrink-0 place-items-center rounded-full bg-pressed text-2xs font-semibold">
            <span className="sr-only">{t('Step')} </span>
            {at}
          </span>
        )}
        <span className="min-w-0 grow">
          <span className="block truncate text-xs font-medium">{title}</span>
          <span className={cx('block truncate text-2xs', unknown.length > 0 ? 'text-bad' : 'text-ink-3')}>
            {readsOf(node, implied)}
          </span>
        </span>
        {conditional && <span className="shrink-0 rounded bg-info-soft px-1 text-2xs text-info">{t('if')}</span>}
      </button>
    </li>
  )
}

/** Short arrows between neighbours; longer ones beside the nodes, further out the longer they are. */
function Links({
  links,
  count,
  chosen,
}: {
  readonly links: readonly GraphLink[]
  readonly count: number
  readonly chosen: number
}) {
  return (
    <svg
      aria-hidden
      className="pointer-events-none absolute top-0 right-0"
      width={LANES + 24}
      height={topOf(count - 1) + HEIGHT}
    >
      {links.map(({ from, to, paths }) => {
        const near = from === chosen || to === chosen
        const [start, end] = [topOf(from) + HEIGHT - 14, topOf(to) + 14]
        const out = 24 + Math.min(LANES - 6, 12 + (to - from - 1) * 13)
        const next = to === from + 1
        return (
          <g
            key={`${from}-${to}`}
            className={near ? 'stroke-ring text-ring' : 'stroke-ink-3 text-ink-3'}
            strokeWidth={near ? 2 : 1.25}
            strokeDasharray={paths.length === 0 ? '3 3' : undefined}
            fill="none"
          >
            <path
              d={
                next
                  ? `M8 ${topOf(from) + HEIGHT} V${topOf(to) - 5}`
                  : `M24 ${start} C${out} ${start} ${out} ${start + 6} ${out} ${start + 18} V${end - 18} C${out} ${end - 6} ${out} ${end} 30 ${end}`
              }
            />
            <path
              d={next ? `M8 ${topOf(to)} l-4 -7 h8 z` : `M24 ${end} l7 -4 v8 z`}
              className="fill-current stroke-none"
            />
          </g>
        )
      })}
    </svg>
  )
}
