// The level around the points: ground, splines and the boxes of actors. It hides no point.
import { useEffect, useMemo } from 'react'
import * as THREE from 'three'
import { Frame } from './Frame.tsx'
import type { Ground, Level } from './level.ts'

export function LevelShapes({ level: { grounds, lines, boxes } }: { readonly level: Level }) {
  return (
    <>
      {grounds.map((ground, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- grounds have no other identity
        <GroundMesh key={at} ground={ground} />
      ))}
      {lines.map((line, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- nor have lines
        <Line key={`${at} ${line.length}`} points={line} />
      ))}
      {boxes.map((box) => (
        <Frame key={`${box.min.join()} ${box.max.join()}`} box={box} colour="#b9815c" />
      ))}
    </>
  )
}

function GroundMesh({ ground: { positions, colours, triangles } }: { readonly ground: Ground }) {
  const geometry = useMemo(() => {
    const made = new THREE.BufferGeometry()
    made.setAttribute('position', new THREE.BufferAttribute(positions, 3))
    made.setAttribute('color', new THREE.BufferAttribute(colours, 3, true))
    made.setIndex(new THREE.BufferAttribute(triangles, 1))
    return made
  }, [positions, colours, triangles])
  useEffect(() => () => geometry.dispose(), [geometry])
  return (
    <mesh geometry={geometry} renderOrder={-1}>
      {/* Drawn first and without depth: the ground between two heights can lie above a point. */}
      <meshBasicMaterial vertexColors side={THREE.DoubleSide} depthWrite={false} />
    </mesh>
  )
}

function Line({ points }: { readonly points: Float32Array<ArrayBuffer> }) {
  const line = useMemo(() => {
    const geometry = new THREE.BufferGeometry()
    geometry.setAttribute('position', new THREE.BufferAttribute(points, 3))
    return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: '#e0559b' }))
  }, [points])
  useEffect(() => () => line.geometry.dispose(), [line])
  return <primitive object={line} />
}
