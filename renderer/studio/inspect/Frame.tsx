// The edges of a box in space.
import { useMemo } from 'react'
import * as THREE from 'three'
import type { Box } from './points.ts'

export function Frame({ box: { min, max }, colour }: { readonly box: Box; readonly colour: string }) {
  const lines = useMemo(() => {
    const bounds = new THREE.Box3(new THREE.Vector3(...min), new THREE.Vector3(...max))
    return new THREE.Box3Helper(bounds, colour)
  }, [min, max, colour])
  return <primitive object={lines} />
}
