// Points as things in space: their density boxes, which of them are near a place, their density there.
import type { Points } from './points.ts'
import { inverse, type Quat, rotate, type Vec } from './rotation.ts'
import type { WorldBox } from './spatial.ts'

/** Six numbers per point: the world box around its bounds, grown by its steepness. */
export function densityBoxes(points: Points): Float64Array {
  const { count, position, rotation, scale, boundsMin, boundsMax, steepness } = points
  const boxes = new Float64Array(count * 6)
  const P = position.data
  const R = rotation.data
  const S = scale.data
  const L = boundsMin.data
  const H = boundsMax.data
  const T = steepness.data
  for (let i = 0; i < count; i++) {
    const p = i * position.step
    const r = i * rotation.step
    const s = i * scale.step
    const l = i * boundsMin.step
    const h = i * boundsMax.step
    const grow = 2 - (T[i * steepness.step] ?? 0)
    const sx = S[s] ?? 1
    const sy = S[s + 1] ?? 1
    const sz = S[s + 2] ?? 1
    const hx = ((H[h] ?? 0) - (L[l] ?? 0)) * 0.5 * grow * Math.abs(sx)
    const hy = ((H[h + 1] ?? 0) - (L[l + 1] ?? 0)) * 0.5 * grow * Math.abs(sy)
    const hz = ((H[h + 2] ?? 0) - (L[l + 2] ?? 0)) * 0.5 * grow * Math.abs(sz)
    let cx = ((H[h] ?? 0) + (L[l] ?? 0)) * 0.5 * sx
    let cy = ((H[h + 1] ?? 0) + (L[l + 1] ?? 0)) * 0.5 * sy
    let cz = ((H[h + 2] ?? 0) + (L[l + 2] ?? 0)) * 0.5 * sz
    let ex = hx
    let ey = hy
    let ez = hz
    const qx = R[r] ?? 0
    const qy = R[r + 1] ?? 0
    const qz = R[r + 2] ?? 0
    const qw = R[r + 3] ?? 1
    if (qx === 0 && qy === 0) {
      // Turned about the vertical or not at all, as most are.
      const cosine = 1 - 2 * qz * qz
      const sine = 2 * qz * qw
      ex = Math.abs(cosine) * hx + Math.abs(sine) * hy
      ey = Math.abs(sine) * hx + Math.abs(cosine) * hy
      const x = cx
      cx = cosine * x - sine * cy
      cy = sine * x + cosine * cy
    } else {
      const m00 = 1 - 2 * (qy * qy + qz * qz)
      const m01 = 2 * (qx * qy - qz * qw)
      const m02 = 2 * (qx * qz + qy * qw)
      const m10 = 2 * (qx * qy + qz * qw)
      const m11 = 1 - 2 * (qx * qx + qz * qz)
      const m12 = 2 * (qy * qz - qx * qw)
      const m20 = 2 * (qx * qz - qy * qw)
      const m21 = 2 * (qy * qz + qx * qw)
      const m22 = 1 - 2 * (qx * qx + qy * qy)
      ex = Math.abs(m00) * hx + Math.abs(m01) * hy + Math.abs(m02) * hz
      ey = Math.abs(m10) * hx + Math.abs(m11) * hy + Math.abs(m12) * hz
      ez = Math.abs(m20) * hx + Math.abs(m21) * hy + Math.abs(m22) * hz
      const x = cx
      const y = cy
      const z = cz
      cx = m00 * x + m01 * y + m02 * z
      cy = m10 * x + m11 * y + m12 * z
      cz = m20 * x + m21 * y + m22 * z
    }
    cx += P[p] ?? 0
    cy += P[p + 1] ?? 0
    cz += P[p + 2] ?? 0
    const o = i * 6
    boxes[o] = cx - ex
    boxes[o + 1] = cy - ey
    boxes[o + 2] = cz - ez
    boxes[o + 3] = cx + ex
    boxes[o + 4] = cy + ey
    boxes[o + 5] = cz + ez
  }
  return boxes
}

export function densityBounds(points: Points): WorldBox | null {
  if (points.count === 0) return null
  const boxes = densityBoxes(points)
  const [min, max] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ]
  for (let o = 0; o < boxes.length; o += 6)
    for (let k = 0; k < 3; k++) {
      if (min) min[k] = Math.min(min[k] ?? 0, boxes[o + k] ?? 0)
      if (max) max[k] = Math.max(max[k] ?? 0, boxes[o + 3 + k] ?? 0)
    }
  const [a = 0, b = 0, c = 0] = min ?? []
  const [d = 0, e = 0, f = 0] = max ?? []
  return { min: [a, b, c], max: [d, e, f] }
}

/** A grid of cells seen from above; each cell lists the boxes that touch it. */
export type CellGrid = {
  /** Calls `visit` with rows whose box may touch the place or box; may repeat a row. */
  near(minX: number, minY: number, maxX: number, maxY: number, visit: (row: number) => void): void
}

const MOST_CELLS = 1 << 20

export function cellGrid(boxes: Float64Array): CellGrid {
  const count = boxes.length / 6
  let [x0, y0, x1, y1, wide] = [Infinity, Infinity, -Infinity, -Infinity, 0]
  for (let o = 0; o < boxes.length; o += 6) {
    x0 = Math.min(x0, boxes[o] ?? 0)
    y0 = Math.min(y0, boxes[o + 1] ?? 0)
    x1 = Math.max(x1, boxes[o + 3] ?? 0)
    y1 = Math.max(y1, boxes[o + 4] ?? 0)
    wide += (boxes[o + 3] ?? 0) - (boxes[o] ?? 0) + (boxes[o + 4] ?? 0) - (boxes[o + 1] ?? 0)
  }
  const area = Math.max(1e-9, (x1 - x0) * (y1 - y0))
  const cell = Math.max(wide / Math.max(1, count * 2), Math.sqrt(area / Math.min(MOST_CELLS, Math.max(1, count))), 1e-6)
  const columns = Math.max(1, Math.min(4096, Math.ceil((x1 - x0) / cell)))
  const lines = Math.max(1, Math.min(4096, Math.ceil((y1 - y0) / cell)))
  const [cw, ch] = [(x1 - x0) / columns || 1, (y1 - y0) / lines || 1]
  const column = (x: number) => Math.min(columns - 1, Math.max(0, Math.floor((x - x0) / cw)))
  const line = (y: number) => Math.min(lines - 1, Math.max(0, Math.floor((y - y0) / ch)))
  const starts = new Int32Array(columns * lines + 1)
  const eachCell = (row: number, visit: (cell: number) => void) => {
    const o = row * 6
    const last = column(boxes[o + 3] ?? 0)
    for (let y = line(boxes[o + 1] ?? 0), end = line(boxes[o + 4] ?? 0); y <= end; y++)
      for (let x = column(boxes[o] ?? 0); x <= last; x++) visit(y * columns + x)
  }
  for (let row = 0; row < count; row++)
    eachCell(row, (at) => {
      starts[at + 1] = (starts[at + 1] ?? 0) + 1
    })
  for (let at = 0; at < columns * lines; at++) starts[at + 1] = (starts[at + 1] ?? 0) + (starts[at] ?? 0)
  const rows = new Int32Array(starts[columns * lines] ?? 0)
  const filled = starts.slice()
  for (let row = 0; row < count; row++)
    eachCell(row, (at) => {
      const place = filled[at] ?? 0
      rows[place] = row
      filled[at] = place + 1
    })
  return {
    near(minX, minY, maxX, maxY, visit) {
      if (count === 0 || maxX < x0 || minX > x1 || maxY < y0 || minY > y1) return
      const last = column(maxX)
      for (let y = line(minY), end = line(maxY); y <= end; y++)
        for (let x = column(minX); x <= last; x++) {
          const at = y * columns + x
          for (let i = starts[at] ?? 0, stop = starts[at + 1] ?? 0; i < stop; i++) visit(rows[i] ?? 0)
        }
    },
  }
}

/** Density of one point at a place: full inside, falling off by its steepness. */
function densityOfRow(points: Points, row: number, place: Vec): number {
  const at = <A extends { readonly data: ArrayLike<number>; readonly step: number }>(field: A, c: number) =>
    field.data[row * field.step + c] ?? 0
  const turned: Quat = [at(points.rotation, 0), at(points.rotation, 1), at(points.rotation, 2), at(points.rotation, 3)]
  const offset: Vec = [
    place[0] - at(points.position, 0),
    place[1] - at(points.position, 1),
    place[2] - at(points.position, 2),
  ]
  const local = rotate(inverse(turned), offset)
  const s = at(points.steepness, 0)
  let density = at(points.density, 0)
  for (let k = 0; k < 3; k++) {
    const half = (at(points.boundsMax, k) - at(points.boundsMin, k)) / 2
    const middle = (at(points.boundsMax, k) + at(points.boundsMin, k)) / 2
    const scale = at(points.scale, k) || 1
    const p = Math.abs((local[k] ?? 0) / scale - middle) / Math.max(half, 1e-9)
    if (p > 2 - s) return 0
    density *= 1 - Math.max(0, p - s) / Math.max(2 - 2 * s, 1e-4)
  }
  return Math.max(0, density)
}

export function pointDensityAt(points: Points): (x: number, y: number, z: number) => number {
  const boxes = densityBoxes(points)
  const grid = cellGrid(boxes)
  return (x, y, z) => {
    let most = 0
    grid.near(x, y, x, y, (row) => {
      const o = row * 6
      if (x < (boxes[o] ?? 0) || y < (boxes[o + 1] ?? 0) || z < (boxes[o + 2] ?? 0)) return
      if (x > (boxes[o + 3] ?? 0) || y > (boxes[o + 4] ?? 0) || z > (boxes[o + 5] ?? 0)) return
      most = Math.max(most, densityOfRow(points, row, [x, y, z]))
    })
    return most
  }
}
