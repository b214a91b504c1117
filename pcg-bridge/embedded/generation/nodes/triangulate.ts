// The inside of an outline as triangles.
import { add } from '../curve.ts'
import type { Mesh } from '../mesh.ts'
import { ringArea } from '../polygon.ts'
import type { Vec } from '../rotation.ts'

const MOST_CORNERS = 2000

/** Cuts off one corner after another that holds no other corner, seen from above. */
function ears(outline: readonly Vec[]): number[] {
  const left = Array.from(outline.keys())
  const made: number[] = []
  const side = (a: Vec, b: Vec, c: Vec) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
  const at = (i: number): Vec => outline[i] ?? [0, 0, 0]
  for (let tries = 0; left.length > 3 && tries < left.length; ) {
    const [i, j, k] = [left.at(-1) ?? 0, left[0] ?? 0, left[1] ?? 0]
    const [a, b, c] = [at(i), at(j), at(k)]
    const free = left.every((one) => {
      if (one === i || one === j || one === k) return true
      const p = at(one)
      return !(side(a, b, p) >= 0 && side(b, c, p) >= 0 && side(c, a, p) >= 0)
    })
    if (side(a, b, c) > 0 && free) {
      made.push(i, j, k)
      left.shift()
      tries = 0
    } else {
      left.push(left.shift() ?? 0)
      tries += 1
    }
  }
  return left.length === 3 ? [...made, ...left] : made
}

/** A sheet that looks up; with a thickness a closed body, half of it above and half below. */
export function triangulated(given: readonly Vec[], thickness: number): Mesh {
  const even =
    given.length > MOST_CORNERS ? given.filter((_, i) => i % Math.ceil(given.length / MOST_CORNERS) === 0) : given
  const outline = ringArea(even.map(([x, y]) => [x, y] as const)) < 0 ? [...even].reverse() : even
  const top = ears(outline)
  if (!(thickness > 0)) return { positions: Float64Array.from(outline.flat()), triangles: Int32Array.from(top) }
  const n = outline.length
  const [up, down] = [
    outline.map((place) => add(place, [0, 0, thickness / 2])),
    outline.map((place) => add(place, [0, 0, -thickness / 2])),
  ]
  const bottom = top.map((_, i) => (top[i - (i % 3) + (2 - (i % 3))] ?? 0) + n)
  const around = outline.flatMap((_, i) => {
    const next = (i + 1) % n
    return [i + n, next + n, next, i + n, next, i]
  })
  return {
    positions: Float64Array.from([...up, ...down].flat()),
    triangles: Int32Array.from([...top, ...bottom, ...around]),
  }
}
