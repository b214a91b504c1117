// A QR code, drawn in the browser because the text may be secret.
import { encode } from 'uqr'

const QUIET = 3

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: 0 })
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
    .join('')
  const side = size + 2 * QUIET
  return (
    // Dark on light in both themes, because some cameras cannot read inverted codes.
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
      className="size-44 self-center rounded-md bg-[oklch(1_0_0)]"
    >
      <path d={path} className="fill-[oklch(0_0_0)]" />
    </svg>
  )
}
