// One node: header in its category's colour, pins on both sides, fewer details when zoomed out.
import { Handle, type NodeProps, NodeResizeControl, Position, ResizeControlVariant, useStore } from '@xyflow/react'
import { memo } from 'react'
import type { NodePin } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { cx } from '../../ui/cx.ts'
import { pinKey, type Side } from '../model/connect.ts'
import { detailAt, READABLE } from './detail.ts'
import { type Density, type GraphNode, handleId, PIN_SIZE, pinMiddle, pinTop } from './flow.ts'
import { useHand } from './hand.ts'
import { Marks, ringOf } from './Marks.tsx'
import { useOverlay } from './overlay.ts'
import { hueOf, hueOfCategory, lookOf, tellPin } from './pin-look.ts'
import { useArrange } from './use-arrange.ts'

const SIDES = ['in', 'out'] as const

export const NodeBox = memo(function NodeBox({ id, data, selected }: NodeProps<GraphNode>) {
  const { node, inputs, outputs, place, wired, density } = data
  const mark = useOverlay((state) => state.nodes.get(node.name))
  const detail = useStore(detailAt)
  const hue = hueOf(place.color) ?? hueOfCategory(node.category)
  const head = hue === undefined ? undefined : `var(--g-hue-${hue})`
  const frame = cx(
    'size-full rounded-md border bg-surface text-xs shadow-card',
    selected ? 'border-ring outline-2 outline-ring' : 'border-line-strong',
    !selected && ringOf(mark),
  )
  if (detail === 'block')
    return (
      <div className={frame} style={head === undefined ? {} : { background: head }}>
        <Marks mark={mark} detail={detail} />
      </div>
    )
  return (
    <div className={frame}>
      <Marks mark={mark} detail={detail} />
      <div
        style={{ height: density.head, ...(head === undefined ? {} : { background: head }) }}
        className={cx(
          'flex items-center gap-1.5 rounded-t-[5px] border-b border-line-strong px-2.5 font-semibold text-ink',
          head === undefined && (node.end === null ? 'bg-sunken' : 'bg-pressed'),
        )}
        title={[node.title, node.settingsClass, !node.known && t('Not in the catalogue: pins take anything')]
          .filter(Boolean)
          .join('\n')}
      >
        {detail === 'full' && (
          <span className="truncate" style={{ fontSize: READABLE }}>
            {node.title}
          </span>
        )}
        {detail === 'full' && place.collapsed && <span className="ml-auto text-2xs text-ink-2">{t('compact')}</span>}
      </div>
      {detail === 'plain' && (
        <span
          data-title
          style={{ fontSize: READABLE, ...(head === undefined ? {} : { background: head }) }}
          className={cx(
            'pointer-events-none absolute inset-x-0 top-1/2 flex min-h-full -translate-y-1/2 items-center justify-center rounded-[5px] px-1 text-center leading-[1.1] font-semibold text-ink',
            head === undefined && (node.end === null ? 'bg-sunken' : 'bg-pressed'),
          )}
        >
          <span className="line-clamp-2 break-words">{node.title}</span>
        </span>
      )}
      {SIDES.map((side) =>
        (side === 'in' ? inputs : outputs).map((pin, index) => (
          <Pin
            key={`${side} ${pin.label}`}
            node={id}
            pin={pin}
            density={density}
            index={index}
            side={side}
            wired={wired.has(`${side}\n${pin.label}`)}
            named={detail === 'full'}
          />
        )),
      )}
      {selected && detail === 'full' && <WidthGrip node={id} density={density} />}
    </div>
  )
})

type PinProps = {
  readonly node: string
  readonly pin: NodePin
  readonly density: Density
  readonly index: number
  readonly side: Side
  readonly wired: boolean
  readonly named: boolean
}

const Pin = memo(function Pin({ node, pin, density, index, side, wired, named }: PinProps) {
  const key = pinKey({ node, side, pin: pin.label })
  const fit = useHand(({ fits }) => (fits === null ? 'idle' : fits.has(key) ? 'fits' : 'dim'))
  const { colour, clip } = lookOf(pin.types)
  const missing = side === 'in' && pin.required && !wired
  const several = side === 'in' && !pin.single
  return (
    <>
      <Handle
        type={side === 'in' ? 'target' : 'source'}
        position={side === 'in' ? Position.Left : Position.Right}
        id={handleId(pin.label)}
        title={tellPin(pin, side)}
        style={{ top: pinMiddle(density, index), width: PIN_SIZE, height: PIN_SIZE }}
        className={cx(
          'rounded-full! border-0! bg-transparent! transition-opacity',
          fit === 'dim' && 'opacity-15',
          fit === 'fits' && 'ring-2 ring-ring',
        )}
      >
        {/* A doubled pin marks an input that accepts several edges. */}
        {several && <Shape colour={colour} clip={clip} className="translate-x-[3px] opacity-45" />}
        <Shape colour={colour} clip={clip} />
        {!wired && <Shape colour="var(--g-surface)" clip={clip} className="scale-55" />}
      </Handle>
      {named && (
        <span
          style={{ top: pinTop(density, index), height: density.pin }}
          className={cx(
            'pointer-events-none absolute flex max-w-[46%] items-center text-2xs',
            side === 'in' ? 'left-3' : 'right-3',
            missing ? 'font-medium text-bad' : 'text-ink-2',
          )}
        >
          <span className="truncate">{pin.label}</span>
          {missing && <span title={t('Required')}>*</span>}
        </span>
      )}
    </>
  )
})

function Shape({
  colour,
  clip,
  className,
}: {
  readonly colour: string
  readonly clip: string
  readonly className?: string
}) {
  return (
    <span
      style={{ background: colour, clipPath: clip }}
      className={cx('pointer-events-none absolute inset-0.5', className)}
    />
  )
}

/** Resize handle at the header of a selected node; pins occupy the border below it. */
function WidthGrip({ node, density }: { readonly node: string; readonly density: Density }) {
  const arrange = useArrange()
  return (
    <NodeResizeControl
      position="right"
      variant={ResizeControlVariant.Line}
      minWidth={120}
      maxWidth={640}
      resizeDirection="horizontal"
      style={{ height: density.head }}
      className="border-transparent! border-r-4!"
      onResizeEnd={(_event, { width }) => arrange.widen(node, Math.round(width))}
    />
  )
}
