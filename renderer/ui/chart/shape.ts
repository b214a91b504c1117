// The geometry of charts: heights, paths and labels. Pure.
export type Series = {
  readonly name: string
  readonly tone: SeriesTone
  /** One per point; null for a gap. */
  readonly values: readonly (number | null)[]
}
export type SeriesTone = 'ok' | 'bad' | 'warn' | 'info' | 'ink'

/** The smallest round number above, whose half is round too. */
export function roundedUp(most: number): number {
  if (!(most > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [1, 2, 4, 6, 8, 10].find((each) => each * power >= most * (1 - 1e-9)) ?? 10
  return step * power
}

const largest = (values: readonly (number | null)[]): number =>
  values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0)

/** The maximum of the scale; of sums for stacked series. */
export function topOf(series: readonly Series[], stacked: boolean): number {
  if (!stacked) return roundedUp(Math.max(0, ...series.map(({ values }) => largest(values))))
  const sums = (series[0]?.values ?? []).map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  return roundedUp(largest(sums))
}

/** The path of a line; breaks at gaps. */
export function linePath(values: readonly (number | null)[], { width, height, top }: Box): string {
  const step = values.length > 1 ? width / values.length : 0
  let drawing = false
  return values
    .map((value, at) => {
      if (value === null) {
        drawing = false
        return ''
      }
      const place = `${short((at + 0.5) * step)} ${short(height - (value / top) * height)}`
      const begins = !drawing
      drawing = true
      // An isolated point is drawn as a dot.
      return begins ? `M${place}h0` : `L${place}`
    })
    .join('')
}

export type Box = { readonly width: number; readonly height: number; readonly top: number }

const short = (value: number): string => String(Math.round(value * 10) / 10)

/** About this many labels, evenly spread. */
export function labelled(count: number, about: number): readonly number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, about)))
  return Array.from({ length: Math.ceil(count / every) }, (_, at) => at * every)
}

/** The point at an axis position. */
export function pointAt(x: number, width: number, count: number): number {
  if (width <= 0) return 0
  return Math.min(count - 1, Math.max(0, Math.floor((x / width) * count)))
}
