// The panels beside the canvas: one docked per side, others floating; selected from a strip of labelled icons.
import { AppWindow, Maximize2, Minimize2, PanelTop, PictureInPicture2, X } from 'lucide-react'
import { type PointerEvent, Suspense } from 'react'
import { t } from '../language/language.ts'
import { IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { Skeleton } from '../ui/Skeleton.tsx'
import { type Frame, isOpen, usePanels } from './panel-places.ts'
import { PANELS, type PanelProps, type PanelRow } from './panels.ts'

export function OpenPanel({ id, ...props }: PanelProps & { readonly id: string | null }) {
  return PANELS.filter((panel) => panel.id === id).map((panel) => <Framed key={panel.id} panel={panel} {...props} />)
}

type FramedProps = PanelProps & {
  readonly panel: PanelRow
  readonly onGrip?: (event: PointerEvent<HTMLElement>) => void
}

function Framed({ panel, onGrip, ...props }: FramedProps) {
  const { title, Body } = panel
  return (
    <section aria-label={title} className="flex h-full min-h-0 flex-col bg-surface">
      <div
        className={cx('group/head flex shrink-0 items-center gap-0.5 pt-1.5 pr-1.5 pb-1 pl-3', onGrip && 'cursor-move')}
        onPointerDown={onGrip}
      >
        <h2 className="grow truncate text-xs font-semibold text-ink-2">{title}</h2>
        <PanelActions panel={panel} {...props} />
      </div>
      <div className="min-h-0 grow overflow-y-auto">
        <Suspense fallback={<Skeleton className="m-3 h-24" />}>
          <Body {...props} />
        </Suspense>
      </div>
    </section>
  )
}

/** A second window is a page of the browser; the desktop application has one window. */
const hasWindows = (): boolean => window.location.protocol.startsWith('http')

function PanelActions({ panel: { id, side, title }, editor, graph }: FramedProps) {
  const floats = usePanels((state) => Object.hasOwn(state.floating, id))
  const full = usePanels((state) => state.full === id)
  const { float, dock, fill, togglePanel } = usePanels()
  function openWindow(): void {
    const search = new URLSearchParams({ editor, ...(graph === null ? {} : { graph }), panel: id })
    window.open(`${window.location.pathname}?${search}`, `gantry-${id}`, 'popup,width=960,height=720')
  }
  const actions = [
    floats
      ? { label: t('Dock {title}', { title }), icon: <PanelTop />, run: () => dock(side, id) }
      : { label: t('Float {title}', { title }), icon: <PictureInPicture2 />, run: () => float(side, id) },
    full
      ? { label: t('Restore {title}', { title }), icon: <Minimize2 />, run: () => fill(null) }
      : { label: t('Maximise {title}', { title }), icon: <Maximize2 />, run: () => fill(id) },
    ...(hasWindows()
      ? [{ label: t('Open {title} in a window', { title }), icon: <AppWindow />, run: openWindow }]
      : []),
    { label: t('Close {title}', { title }), icon: <X />, run: () => togglePanel(side, id) },
  ]
  return actions.map(({ label, icon, run }) => (
    <IconButton
      key={label}
      size="sm"
      label={label}
      title={label}
      className="size-6! [&_svg]:size-3.5!"
      onPointerDown={(event) => event.stopPropagation()}
      onClick={run}
    >
      {icon}
    </IconButton>
  ))
}

/** Panels over the canvas: floating ones, and the one that fills the studio. */
export function PanelsAbove(props: PanelProps) {
  const { floating, full, move } = usePanels()
  return (
    <>
      {Object.entries(floating).map(([id, frame]) =>
        id === full ? null : <Floating key={id} {...props} id={id} frame={frame} onMove={(next) => move(id, next)} />,
      )}
      {full !== null && (
        <div className="absolute inset-0 z-30">
          <OpenPanel {...props} id={full} />
        </div>
      )}
    </>
  )
}

const LEAST = { w: 240, h: 160 }

function Floating({
  id,
  frame,
  onMove,
  ...props
}: PanelProps & { readonly id: string; readonly frame: Frame; readonly onMove: (frame: Frame) => void }) {
  /** Follows the pointer until it is released. */
  const dragging = (change: (dx: number, dy: number) => Frame) => (event: PointerEvent<HTMLElement>) => {
    const { clientX, clientY, pointerId, currentTarget } = event
    event.preventDefault()
    currentTarget.setPointerCapture(pointerId)
    const follow = (next: globalThis.PointerEvent): void =>
      onMove(change(next.clientX - clientX, next.clientY - clientY))
    currentTarget.addEventListener('pointermove', follow)
    const end = (): void => currentTarget.removeEventListener('pointermove', follow)
    currentTarget.addEventListener('lostpointercapture', end, { once: true })
  }
  const moving = dragging((dx, dy) => ({ ...frame, x: Math.max(0, frame.x + dx), y: Math.max(0, frame.y + dy) }))
  const sizing = dragging((dx, dy) => ({
    ...frame,
    w: Math.max(LEAST.w, frame.w + dx),
    h: Math.max(LEAST.h, frame.h + dy),
  }))
  return (
    <div
      className="float absolute z-20 overflow-hidden"
      // A window that became smaller must not hide the panel.
      style={{
        left: `min(${frame.x}px, calc(100% - 8rem))`,
        top: `min(${frame.y}px, calc(100% - 3rem))`,
        width: frame.w,
        height: frame.h,
      }}
    >
      {PANELS.filter((panel) => panel.id === id).map((panel) => (
        <Framed key={id} panel={panel} onGrip={moving} {...props} />
      ))}
      <div aria-hidden className="absolute right-0 bottom-0 size-4 cursor-nwse-resize" onPointerDown={sizing} />
    </div>
  )
}

/** The right strip also switches the panels below the canvas. */
export function PanelSwitches({ side }: { readonly side: 'left' | 'right' }) {
  const places = usePanels()
  const rows = PANELS.filter((panel) => panel.side === side || (side === 'right' && panel.side === 'bottom'))
  if (rows.length === 0) return null
  return (
    <div
      role="toolbar"
      aria-orientation="vertical"
      aria-label={side === 'left' ? t('Panels on the left') : t('Panels on the right and below')}
      className={cx(
        'flex w-16 shrink-0 flex-col gap-0.5 overflow-y-auto border-line p-1',
        side === 'left' ? 'border-r' : 'border-l',
      )}
    >
      {rows.map(({ id, title, icon: Icon, side: at }) => {
        const open = isOpen(places, at, id)
        return (
          <button
            key={id}
            type="button"
            aria-pressed={open}
            className={cx(
              'flex w-full shrink-0 flex-col items-center gap-0.5 rounded-md px-0.5 py-1.5 text-2xs text-ink-2 hover:bg-hover hover:text-ink',
              open && 'bg-pressed font-medium text-ink',
            )}
            onClick={() => places.togglePanel(at, id)}
          >
            <Icon aria-hidden className="size-4" />
            {title}
          </button>
        )
      })}
    </div>
  )
}
