// Triangle meshes: boxes, moved and joined, inside and outside, and their union, difference and intersection.
import { add, cross, dot, scaled } from './curve.ts'
import { insideArea } from './polygon.ts'
import type { Vec } from './rotation.ts'

export type Mesh = { readonly positions: Float64Array; readonly triangles: Int32Array }
export type Triangle = readonly [Vec, Vec, Vec]

export const NO_MESH: Mesh = { positions: new Float64Array(0), triangles: new Int32Array(0) }

export function verticesOf({ positions }: Mesh): Vec[] {
  return Array.from({ length: positions.length / 3 }, (_, i) => vertex(positions, i))
}
function vertex(positions: Float64Array, i: number): Vec {
  return [positions[i * 3] ?? 0, positions[i * 3 + 1] ?? 0, positions[i * 3 + 2] ?? 0]
}
export function trianglesOf({ positions, triangles }: Mesh): Triangle[] {
  return Array.from({ length: triangles.length / 3 }, (_, i) => {
    const at = (k: number) => vertex(positions, triangles[i * 3 + k] ?? 0)
    return [at(0), at(1), at(2)]
  })
}

/** Two triangles for each side of a box; seen from outside each runs counter-clockwise. */
const SIDES = [
  0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5,
]
export function boxMesh(half: Vec): Mesh {
  const corners = Array.from({ length: 8 }, (_, i) =>
    [0, 1, 2].map((k) => (i & (1 << k) ? (half[k] ?? 0) : -(half[k] ?? 0))),
  )
  return { positions: Float64Array.from(corners.flat()), triangles: Int32Array.from(SIDES) }
}

export function moved(mesh: Mesh, move: (place: Vec) => Vec): Mesh {
  return { positions: Float64Array.from(verticesOf(mesh).flatMap(move)), triangles: mesh.triangles }
}

export function joinedMeshes(meshes: readonly Mesh[]): Mesh {
  const positions = new Float64Array(meshes.reduce((sum, mesh) => sum + mesh.positions.length, 0))
  const triangles = new Int32Array(meshes.reduce((sum, mesh) => sum + mesh.triangles.length, 0))
  let [at, from] = [0, 0]
  for (const mesh of meshes) {
    positions.set(mesh.positions, at)
    for (const [i, corner] of mesh.triangles.entries()) triangles[from + i] = corner + at / 3
    at += mesh.positions.length
    from += mesh.triangles.length
  }
  return { positions, triangles }
}

const SNAP = 1e-4
/** Corners in one place are one. */
export function meshOf(triangles: readonly Triangle[]): Mesh {
  const known = new Map<string, number>()
  const positions: number[] = []
  const corners = triangles.flatMap((triangle) =>
    triangle.map((place) => {
      const key = place.map((value) => Math.round(value / SNAP)).join()
      const found = known.get(key) ?? known.size
      if (found === known.size) {
        known.set(key, found)
        positions.push(...place)
      }
      return found
    }),
  )
  return { positions: Float64Array.from(positions), triangles: Int32Array.from(corners) }
}

/** An upright ray from inside a closed mesh passes through an odd number of triangles. */
export function insideMesh(mesh: Mesh, [x, y, z]: Vec): boolean {
  let above = 0
  for (const triangle of trianglesOf(mesh)) {
    if (!insideArea([triangle.map(([px, py]) => [px, py] as const)], x, y)) continue
    const [a, b, c] = triangle
    const normal = cross(add(b, a, -1), add(c, a, -1))
    if (normal[2] !== 0 && a[2] - (normal[0] * (x - a[0]) + normal[1] * (y - a[1])) / normal[2] > z) above += 1
  }
  return above % 2 === 1
}

type Plane = { readonly normal: Vec; readonly height: number }
type Face = { readonly corners: readonly Vec[]; readonly plane: Plane }
const FLAT = 1e-5

function faceOf(corners: readonly Vec[]): Face | null {
  const [a, b, c] = corners
  if (!a || !b || !c) return null
  const way = cross(add(b, a, -1), add(c, a, -1))
  const size = Math.sqrt(dot(way, way))
  if (size < 1e-9) return null
  const normal = scaled(way, 1 / size)
  return { corners, plane: { normal, height: dot(normal, a) } }
}

type Split = { front: Face[]; back: Face[]; same: Face[]; opposite: Face[] }
function split(plane: Plane, face: Face, into: Split): void {
  const heights = face.corners.map((corner) => dot(plane.normal, corner) - plane.height)
  const [above, below] = [heights.some((h) => h > FLAT), heights.some((h) => h < -FLAT)]
  if (!above && !below) (dot(plane.normal, face.plane.normal) > 0 ? into.same : into.opposite).push(face)
  else if (!below) into.front.push(face)
  else if (!above) into.back.push(face)
  else {
    const [front, back]: [Vec[], Vec[]] = [[], []]
    for (const [i, corner] of face.corners.entries()) {
      const [next, h] = [(i + 1) % face.corners.length, heights[i] ?? 0]
      const [other, g] = [face.corners[next] ?? corner, heights[next] ?? 0]
      if (h >= -FLAT) front.push(corner)
      if (h <= FLAT) back.push(corner)
      if ((h > FLAT && g < -FLAT) || (h < -FLAT && g > FLAT)) {
        const place = add(scaled(corner, g / (g - h)), other, -h / (g - h))
        front.push(place)
        back.push(place)
      }
    }
    if (front.length > 2) into.front.push({ corners: front, plane: face.plane })
    if (back.length > 2) into.back.push({ corners: back, plane: face.plane })
  }
}

type Tree = { readonly plane: Plane; readonly front: Tree; readonly back: Tree } | null
/** Space divided by the planes of the faces: behind the last of them is inside. */
function treeOf(faces: readonly Face[]): Tree {
  const [first] = faces
  if (!first) return null
  const into: Split = { front: [], back: [], same: [], opposite: [] }
  for (const face of faces) split(first.plane, face, into)
  return { plane: first.plane, front: treeOf(into.front), back: treeOf(into.back) }
}

/** What of the faces is not inside. A face on the surface that looks the same way counts as outside. */
function outsideOf(tree: Tree, faces: readonly Face[]): Face[] {
  if (!tree) return [...faces]
  const into: Split = { front: [], back: [], same: [], opposite: [] }
  for (const face of faces) split(tree.plane, face, into)
  const back = [...into.back, ...into.opposite]
  return [...outsideOf(tree.front, [...into.front, ...into.same]), ...(tree.back ? outsideOf(tree.back, back) : [])]
}

const turned = (faces: readonly Face[]): Face[] =>
  faces.map(({ corners, plane }) => ({
    corners: [...corners].reverse(),
    plane: { normal: scaled(plane.normal, -1), height: -plane.height },
  }))

/** Both, each without what lies inside the other; a face that both have is kept once. */
function together(a: readonly Face[], b: readonly Face[]): Face[] {
  const tree = treeOf(a)
  const rest = turned(outsideOf(tree, turned(outsideOf(tree, b))))
  return [...outsideOf(treeOf(b), a), ...rest]
}

/** Closed meshes combined: `Union`, `Difference` or `Intersection`. */
export function combinedMesh(first: Mesh, second: Mesh, operation: string): Mesh {
  const faces = (mesh: Mesh) => trianglesOf(mesh).flatMap((triangle) => faceOf(triangle) ?? [])
  const [a, b] = [faces(first), faces(second)]
  // What is not in the one or in the other is the inside of both turned out.
  const made =
    operation === 'Union' ? together(a, b) : turned(together(turned(a), operation === 'Difference' ? b : turned(b)))
  return meshOf(
    made.flatMap(({ corners }) =>
      corners.slice(2).map((corner, i): Triangle => [corners[0] ?? corner, corners[i + 1] ?? corner, corner]),
    ),
  )
}
