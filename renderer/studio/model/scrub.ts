// Dragged and typed numbers. Pure.
export type NumberRange = {
  readonly whole?: boolean | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** The drag distance in pixels that covers a range. */
const RANGE_PIXELS = 200

export function stepOf(start: number, { whole = false, min, max }: NumberRange): number {
  const fine =
    min !== undefined && max !== undefined
      ? (max - min) / RANGE_PIXELS
      : 10 ** Math.floor(Math.log10(Math.max(1, Math.abs(start)))) / 100
  return whole ? Math.max(1, Math.round(fine)) : fine
}

export function clamped(value: number, { whole = false, min, max }: NumberRange): number {
  const inside = Math.min(max ?? Number.POSITIVE_INFINITY, Math.max(min ?? Number.NEGATIVE_INFINITY, value))
  // Avoids negative zero.
  return (whole ? Math.round(inside) : inside) + 0
}

/** The number after a drag: finer with Shift, coarser with Ctrl. */
export function scrubbed(
  start: number,
  pixels: number,
  range: NumberRange,
  keys: { readonly shiftKey: boolean; readonly ctrlKey: boolean } = { shiftKey: false, ctrlKey: false },
): number {
  const base = stepOf(start, range)
  const step = base * (keys.shiftKey ? 0.1 : 1) * (keys.ctrlKey ? 10 : 1)
  const moved = start + pixels * step
  const grain = range.whole ? 1 : step
  return clamped(Number((Math.round(moved / grain) * grain).toPrecision(12)), range)
}

/** A finite number inside its range, or nothing. */
export function numberIn(text: string, range: NumberRange): number | undefined {
  const value = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || !Number.isFinite(value) ? undefined : clamped(value, range)
}

/** The shortest text with single precision. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(7)))
}
