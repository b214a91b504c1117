// The panels beside the canvas: one open per side, selected from a strip of icons.
import { Suspense } from 'react'
import { IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { Skeleton } from '../ui/Skeleton.tsx'
import { PANELS, type PanelProps } from './panels.ts'
import { type Side, useStudio } from './studio.ts'

export function OpenPanel({ side, ...props }: PanelProps & { readonly side: Side }) {
  const open = useStudio((state) => state.open[side])
  return PANELS.filter((panel) => panel.id === open && panel.side === side).map(({ id, title, Body }) => (
    <section key={id} aria-label={title} className="flex h-full min-h-0 flex-col bg-surface">
      <h2 className="shrink-0 px-3 pt-2.5 pb-1.5 text-xs font-semibold text-ink-2">{title}</h2>
      <div className="min-h-0 grow overflow-y-auto">
        <Suspense fallback={<Skeleton className="m-3 h-24" />}>
          <Body {...props} />
        </Suspense>
      </div>
    </section>
  ))
}

/** The right strip also switches the panels below the canvas. */
export function PanelSwitches({ side }: { readonly side: 'left' | 'right' }) {
  const open = useStudio((state) => state.open)
  const toggle = useStudio((state) => state.togglePanel)
  const rows = PANELS.filter((panel) => panel.side === side || (side === 'right' && panel.side === 'bottom'))
  if (rows.length === 0) return null
  return (
    <div
      role="toolbar"
      aria-orientation="vertical"
      aria-label={side === 'left' ? 'Panels on the left' : 'Panels on the right and below'}
      className={cx(
        'flex w-10 shrink-0 flex-col items-center gap-1 border-line py-2',
        side === 'left' ? 'border-r' : 'border-l',
      )}
    >
      {rows.map(({ id, title, icon: Icon, side: at }) => (
        <IconButton
          key={id}
          label={title}
          title={title}
          aria-pressed={open[at] === id}
          className={open[at] === id ? 'bg-pressed text-ink!' : ''}
          onClick={() => toggle(at, id)}
        >
          <Icon />
        </IconButton>
      ))}
    </div>
  )
}
