// The 3D view of points: rendered on demand, coloured by an attribute, selectable by click.
import { Canvas, useThree } from '@react-three/fiber'
import { Boxes as BoxesIcon } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import * as THREE from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import type { Boxes } from './boxes.ts'
import { Frame } from './Frame.tsx'
import { Instances } from './Instances.tsx'
import { LevelShapes } from './LevelShapes.tsx'
import type { Level } from './level.ts'
import { type Box, boxOf, nearest } from './points.ts'
import type { StandIn } from './stand-ins.ts'

export type Shown = {
  readonly positions: Float32Array<ArrayBuffer>
  readonly colours: Uint8Array<ArrayBuffer>
  /** The boxes, if points are drawn as boxes or meshes. */
  readonly boxes: Boxes | null
  /** The shapes that stand for meshes, if they are drawn. */
  readonly shapes: readonly StandIn[] | null
  /** Bounds of the generating volume, already mirrored. */
  readonly volume: Box | null
  readonly level: Level | null
  /** Points of the run before, in grey. */
  readonly ghost: Float32Array<ArrayBuffer> | null
}
type Props = {
  readonly shown: Shown
  readonly top: boolean
  readonly picked: number | null
  readonly onPick: (row: number | null) => void
}

const canDraw = (): boolean => document.createElement('canvas').getContext('webgl2') !== null

export function Viewport({ shown, top, picked, onPick }: Props) {
  const [able] = useState(canDraw)
  /** A lost WebGL context is not restored; a new canvas replaces it. */
  const [life, setLife] = useState(0)
  const [lost, setLost] = useState(false)
  const frame = useMemo(() => framing(shown), [shown])
  if (!able)
    return (
      <EmptyState
        icon={BoxesIcon}
        title={t('No 3D view')}
        about={t('This browser has no WebGL 2: the table shows the same data.')}
      />
    )
  if (lost)
    return (
      <EmptyState
        icon={BoxesIcon}
        title={t('The 3D view was lost')}
        about={t('The browser lost the graphics context, for example after sleep or a driver crash.')}
        action={
          <Button
            onClick={() => {
              setLost(false)
              setLife(life + 1)
            }}
          >
            {t('Draw again')}
          </Button>
        }
      />
    )
  return (
    <Canvas
      key={`${life} ${top}`}
      frameloop="demand"
      // Colours are used without conversion.
      linear
      flat
      orthographic={top}
      dpr={[1, 2]}
      gl={{ antialias: true, powerPreference: 'high-performance' }}
      camera={
        top
          ? { position: frame.above, up: [0, 1, 0], near: 1, far: frame.far }
          : { position: frame.diagonal, up: [0, 0, 1], near: 1, far: frame.far }
      }
      onCreated={({ gl, camera, size }) => {
        if (camera instanceof THREE.OrthographicCamera) {
          camera.zoom = Math.min(size.width, size.height) / (frame.radius * 2.2)
          camera.updateProjectionMatrix()
        }
        gl.domElement.addEventListener('webglcontextlost', (event) => {
          event.preventDefault()
          // Releases the WebGL context when the canvas is unmounted.
          if (gl.domElement.isConnected) setLost(true)
        })
      }}
    >
      <Controls frame={frame} top={top} />
      {shown.boxes ? (
        <Instances boxes={shown.boxes} colours={shown.colours} shapes={shown.shapes} />
      ) : (
        <PointCloud shown={shown} frame={frame} />
      )}
      {shown.ghost && <Ghost positions={shown.ghost} />}
      {shown.level && <LevelShapes level={shown.level} />}
      {shown.volume && <Frame box={shown.volume} colour="#8b93a7" />}
      <axesHelper args={[frame.radius * 0.25]} scale={[1, -1, 1]} />
      {picked !== null && <Picked positions={shown.positions} row={picked} size={frame.radius / 40} />}
      <Picking positions={shown.positions} onPick={onPick} />
    </Canvas>
  )
}

type Frame = {
  readonly centre: readonly [number, number, number]
  readonly radius: number
  readonly far: number
  readonly diagonal: [number, number, number]
  readonly above: [number, number, number]
}

function framing({ positions, volume }: Shown): Frame {
  const { min, max } = volume ?? boxOf(positions)
  const middle = (axis: number): number => ((min[axis] ?? 0) + (max[axis] ?? 0)) / 2
  const half = (axis: number): number => ((max[axis] ?? 0) - (min[axis] ?? 0)) / 2
  const [x, y, z] = [middle(0), middle(1), middle(2)]
  const radius = Math.max(100, Math.hypot(half(0), half(1), half(2)))
  return {
    centre: [x, y, z],
    radius,
    far: radius * 40,
    diagonal: [x - radius * 1.1, y - radius * 1.1, z + radius * 0.9],
    above: [x, y, z + radius * 4],
  }
}

function Controls({ frame, top }: { readonly frame: Frame; readonly top: boolean }) {
  const { camera, gl, invalidate } = useThree()
  useEffect(() => {
    const controls = new OrbitControls(camera, gl.domElement)
    controls.target.set(...frame.centre)
    controls.enableRotate = !top
    controls.addEventListener('change', () => invalidate())
    controls.update()
    invalidate()
    return () => controls.dispose()
  }, [camera, gl, invalidate, frame, top])
  return null
}

function PointCloud({ shown: { positions, colours }, frame }: { readonly shown: Shown; readonly frame: Frame }) {
  const count = positions.length / 3
  // Many points are drawn smaller, so that they do not hide each other.
  const size = Math.max(2, Math.min(7, 900 / Math.sqrt(Math.max(1, count))))
  return (
    <points key={`${frame.radius} ${count}`} frustumCulled={false}>
      <bufferGeometry>
        <bufferAttribute attach="attributes-position" args={[positions, 3]} />
        <bufferAttribute key={colours.byteLength} attach="attributes-color" args={[colours, 3, true]} />
      </bufferGeometry>
      <pointsMaterial size={size} sizeAttenuation={false} vertexColors />
    </points>
  )
}

function Ghost({ positions }: { readonly positions: Float32Array<ArrayBuffer> }) {
  return (
    <points key={positions.length} frustumCulled={false}>
      <bufferGeometry>
        <bufferAttribute attach="attributes-position" args={[positions, 3]} />
      </bufferGeometry>
      <pointsMaterial size={3} sizeAttenuation={false} color="#9aa0ad" transparent opacity={0.7} />
    </points>
  )
}

function Picked({
  positions,
  row,
  size,
}: {
  readonly positions: Float32Array
  readonly row: number
  readonly size: number
}) {
  const [x = 0, y = 0, z = 0] = positions.subarray(row * 3, row * 3 + 3)
  return (
    <mesh position={[x, y, z]}>
      <sphereGeometry args={[size, 16, 12]} />
      <meshBasicMaterial color="#ff5c38" wireframe />
    </mesh>
  )
}

/** Hit-tests the arrays directly: ray casting through a million objects per pointer move is too slow. */
function Picking({ positions, onPick }: { readonly positions: Float32Array; readonly onPick: Props['onPick'] }) {
  const { camera, gl } = useThree()
  useEffect(() => {
    const canvas = gl.domElement
    let from = { x: 0, y: 0 }
    const down = ({ clientX: x, clientY: y }: PointerEvent): void => {
      from = { x, y }
    }
    const up = ({ clientX, clientY }: PointerEvent): void => {
      if (Math.hypot(clientX - from.x, clientY - from.y) > 4) return
      const { left, top, width, height } = canvas.getBoundingClientRect()
      const matrix = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse)
      onPick(nearest(positions, matrix.elements, { x: clientX - left, y: clientY - top, width, height }, 8))
    }
    canvas.addEventListener('pointerdown', down)
    canvas.addEventListener('pointerup', up)
    return () => {
      canvas.removeEventListener('pointerdown', down)
      canvas.removeEventListener('pointerup', up)
    }
  }, [camera, gl, positions, onPick])
  return null
}
