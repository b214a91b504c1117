// Points as boxes, or as shapes that stand for their meshes: one instanced mesh for each shape.
import { useThree } from '@react-three/fiber'
import { useEffect, useMemo, useRef } from 'react'
import * as THREE from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import type { Boxes } from './boxes.ts'
import type { StandIn } from './stand-ins.ts'

/** Shapes of size 1 around their centre, as the boxes of points are. */
const SHAPES: Readonly<Record<StandIn, () => THREE.BufferGeometry>> = {
  tree: () =>
    joined(
      new THREE.CylinderGeometry(0.07, 0.1, 0.3, 6).translate(0, -0.35, 0),
      new THREE.ConeGeometry(0.5, 0.5, 9).translate(0, -0.02, 0),
      new THREE.ConeGeometry(0.36, 0.5, 9).translate(0, 0.25, 0),
    ),
  bush: () => new THREE.IcosahedronGeometry(0.5, 1).scale(1, 0.9, 1),
  rock: () => new THREE.DodecahedronGeometry(0.55, 0).scale(1, 0.85, 0.9),
  post: () => new THREE.CylinderGeometry(0.4, 0.5, 1, 10),
  wall: () =>
    joined(
      new THREE.BoxGeometry(1, 0.7, 0.6).translate(0, -0.15, 0),
      ...[-0.44, 0, 0.44].map((x) => new THREE.BoxGeometry(0.1, 1, 1).translate(x, 0, 0)),
    ),
  ball: () => new THREE.SphereGeometry(0.5, 14, 10),
  box: () => new THREE.BoxGeometry(),
}

function joined(...parts: readonly THREE.BufferGeometry[]): THREE.BufferGeometry {
  return mergeGeometries(parts.map((part) => part.toNonIndexed()))
}

const LIGHT = new THREE.Vector3(-0.4, 0.5, 0.77)
/** Upright, with the brightness of its faces as colours: the view has no lights. */
function shaded(shape: StandIn): THREE.BufferGeometry {
  const made = SHAPES[shape]().rotateX(Math.PI / 2)
  const plain = made.index ? made.toNonIndexed() : made
  plain.computeVertexNormals()
  const normals = plain.getAttribute('normal')
  const brightness = new Float32Array(normals.count * 3)
  for (let at = 0; at < normals.count; at += 1) {
    const facing = new THREE.Vector3().fromBufferAttribute(normals, at).dot(LIGHT)
    brightness.fill(0.72 + 0.28 * facing, at * 3, at * 3 + 3)
  }
  plain.setAttribute('color', new THREE.BufferAttribute(brightness, 3))
  return plain
}

type Props = {
  readonly boxes: Boxes
  readonly colours: Uint8Array
  /** The shape of each row. */
  readonly shapes: readonly StandIn[] | null
}

export function Instances({ boxes, colours, shapes }: Props) {
  const groups = useMemo(() => {
    const rows = Array.from({ length: boxes.halves.length / 3 }, (_, row) => row)
    return [...Map.groupBy(rows, (row): StandIn => shapes?.[row] ?? 'box')]
  }, [boxes, shapes])
  return groups.map(([shape, rows]) => (
    <OfShape key={`${shape} ${rows.length}`} shape={shape} rows={rows} boxes={boxes} colours={colours} />
  ))
}

type OfShapeProps = Omit<Props, 'shapes'> & { readonly shape: StandIn; readonly rows: readonly number[] }

function OfShape({ shape, rows, boxes: { halves, middles, turns }, colours }: OfShapeProps) {
  const mesh = useRef<THREE.InstancedMesh>(null)
  const invalidate = useThree((state) => state.invalidate)
  const geometry = useMemo(() => shaded(shape), [shape])
  useEffect(() => () => geometry.dispose(), [geometry])
  useEffect(() => {
    const drawn = mesh.current
    if (!drawn) return
    const [matrix, middle, turn, size] = [
      new THREE.Matrix4(),
      new THREE.Vector3(),
      new THREE.Quaternion(),
      new THREE.Vector3(),
    ]
    const colour = new THREE.Color()
    rows.forEach((row, at) => {
      const part = (axis: number): number => (colours[row * 3 + axis] ?? 0) / 255
      middle.fromArray(middles, row * 3)
      turn.fromArray(turns, row * 4)
      size.fromArray(halves, row * 3).multiplyScalar(2)
      drawn.setMatrixAt(at, matrix.compose(middle, turn, size))
      drawn.setColorAt(at, colour.setRGB(part(0), part(1), part(2)))
    })
    drawn.instanceMatrix.needsUpdate = true
    if (drawn.instanceColor) drawn.instanceColor.needsUpdate = true
    invalidate()
  }, [halves, middles, turns, colours, rows, invalidate])
  return (
    <instancedMesh ref={mesh} args={[geometry, undefined, rows.length]} frustumCulled={false}>
      <meshBasicMaterial vertexColors />
    </instancedMesh>
  )
}
