// A curve as the points of a line along it, for viewers.
type Triple = readonly number[]
export type Control = {
  readonly points: readonly Triple[]
  readonly arrive: readonly Triple[]
  readonly leave: readonly Triple[]
  readonly closed: boolean
}

const STEPS = 12
/** A line of more points looks the same. */
const MOST_POINTS = 20_000

export function polyline({ points, arrive, leave, closed }: Control): number[][] {
  const segments = points.length < 2 ? 0 : closed ? points.length : points.length - 1
  const steps = Math.max(1, Math.min(STEPS, Math.floor(MOST_POINTS / Math.max(1, segments))))
  const line: number[][] = []
  for (let segment = 0; segment < segments; segment += 1) {
    const next = (segment + 1) % points.length
    for (let step = 0; step < steps; step += 1) {
      const t = step / steps
      const [t2, t3] = [t * t, t * t * t]
      const at = (axis: number): number =>
        (2 * t3 - 3 * t2 + 1) * (points[segment]?.[axis] ?? 0) +
        (t3 - 2 * t2 + t) * (leave[segment]?.[axis] ?? 0) +
        (3 * t2 - 2 * t3) * (points[next]?.[axis] ?? 0) +
        (t3 - t2) * (arrive[next]?.[axis] ?? 0)
      line.push([at(0), at(1), at(2)])
    }
  }
  const last = points[closed ? 0 : points.length - 1]
  return last ? [...line, [...last]] : line
}
