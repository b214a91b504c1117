// Points that are drawn by hand: the list of a Create Points node, and what a plan shows around them. Pure.
import type { InspectionOutput } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import type { Gesture } from '../editor/gestures.ts'
import type { NodePlace } from '../model/arrangement.ts'
import { isRecord } from '../model/properties.ts'

export const POINTS_CLASS = 'PCGCreatePointsSettings'
export type Place3 = readonly [x: number, y: number, z: number]
type Landscape = InspectionOutput<'get_pcg_level_shapes'>['landscapes'][number]

const triple = (value: unknown): Place3 => {
  const at = (axis: number): number => {
    const part: unknown = Array.isArray(value) ? value[axis] : undefined
    return typeof part === 'number' ? part : 0
  }
  return [at(0), at(1), at(2)]
}

export function placesIn(list: unknown): readonly Place3[] {
  return (Array.isArray(list) ? list : []).map((point: unknown) => {
    const transform = isRecord(point) ? point['Transform'] : undefined
    return triple(isRecord(transform) ? transform['location'] : undefined)
  })
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Other fields of the point stay. */
export function movedTo(list: unknown, at: number, location: Place3): readonly unknown[] {
  return listOf(list).map((point: unknown, index) => {
    if (index !== at) return point
    const fields = isRecord(point) ? point : {}
    const transform = isRecord(fields['Transform']) ? fields['Transform'] : {}
    return { ...fields, Transform: { ...transform, location: [...location] } }
  })
}
export const addedAt = (list: unknown, at: number, location: Place3): readonly unknown[] =>
  listOf(list).toSpliced(at, 0, { Transform: { location: [...location] } })
export const removedAt = (list: unknown, at: number): readonly unknown[] => listOf(list).toSpliced(at, 1)

/** The height of the ground, between its nearest samples; undefined beside it and in holes. */
export function groundHeight(landscapes: readonly Landscape[], x: number, y: number): number | undefined {
  for (const { min, max, columns, rows, heights } of landscapes) {
    const bytes = Uint8Array.from(atob(heights), (letter) => letter.charCodeAt(0))
    const height = new Float32Array(bytes.buffer, 0, columns * rows)
    const [u, v] = [
      ((x - (min[0] ?? 0)) / ((max[0] ?? 0) - (min[0] ?? 0))) * (columns - 1),
      ((y - (min[1] ?? 0)) / ((max[1] ?? 0) - (min[1] ?? 0))) * (rows - 1),
    ]
    if (!(u >= 0 && u <= columns - 1 && v >= 0 && v <= rows - 1)) continue
    const [column, row] = [Math.min(columns - 2, Math.floor(u)), Math.min(rows - 2, Math.floor(v))]
    const at = (right: number, below: number): number => height[(row + below) * columns + column + right] ?? Number.NaN
    const [s, t] = [u - column, v - row]
    const z = (at(0, 0) * (1 - s) + at(1, 0) * s) * (1 - t) + (at(0, 1) * (1 - s) + at(1, 1) * s) * t
    if (!Number.isNaN(z)) return z
  }
  return undefined
}

/** A Create Points node with its Create Spline; `made` gets the name of the first. */
export function newSpline(graph: string, place: NodePlace, made: (name: string) => void): Gesture {
  const at = { pcg_graph_path: graph }
  return {
    label: t('Add a spline to draw'),
    async edit(call) {
      const points = await call('add_pcg_node', { ...at, node_type: POINTS_CLASS })
      const spline = await call('add_pcg_node', { ...at, node_type: 'PCGCreateSplineSettings' })
      await call('connect_pcg_nodes', { ...at, from_node: points.node_name, to_node: spline.node_name })
      made(points.node_name)
      return { nodes: { [points.node_name]: place, [spline.node_name]: { x: place.x + 280, y: place.y } } }
    },
  }
}
