// A sparkline with its sum as text.
import { cx } from '../cx.ts'
import { linePath, roundedUp } from './shape.ts'

const WIDTH = 64
const HEIGHT = 20

export function Sparkline({
  values,
  label,
  className,
}: {
  readonly values: readonly number[]
  readonly label: string
  readonly className?: string
}) {
  const path = linePath(values, { width: WIDTH, height: HEIGHT - 2, top: roundedUp(Math.max(0, ...values)) })
  const step = WIDTH / Math.max(1, values.length)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 -1 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      className={cx('overflow-visible', className)}
    >
      {path && (
        <path
          d={`${path}L${WIDTH - step / 2} ${HEIGHT - 2}L${step / 2} ${HEIGHT - 2}Z`}
          className="fill-info-soft stroke-none"
        />
      )}
      <path d={path} className="fill-none stroke-info-solid" strokeWidth={1.5} strokeLinejoin="round" />
    </svg>
  )
}
