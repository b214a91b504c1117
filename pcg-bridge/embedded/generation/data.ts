// What travels along the edges: data with the pin it left and its tags.
import type { HeightFieldDoc, HeightGridDoc } from '../../editor/document.ts'
import type { Curve } from './curve.ts'
import type { Mesh } from './mesh.ts'
import type { Laid } from './picture.ts'
import type { Points, Table } from './points.ts'
import type { Quat, Vec } from './rotation.ts'

/** A box in the world that may be turned. */
export type Solid = { readonly center: Vec; readonly half: Vec; readonly rotation: Quat }

export type Data =
  | { readonly kind: 'Point'; readonly points: Points }
  | { readonly kind: 'Param'; readonly table: Table }
  | { readonly kind: 'Landscape'; readonly field: HeightFieldDoc | HeightGridDoc; readonly solid: Solid }
  | { readonly kind: 'Surface'; readonly outline: Curve }
  | { readonly kind: 'Volume' | 'Primitive'; readonly solid: Solid; readonly actor: string }
  | { readonly kind: 'Spline'; readonly curve: Curve }
  /** The outer ring, then its holes: flat, seen from above. */
  | { readonly kind: 'Polygon2D'; readonly rings: readonly (readonly Vec[])[] }
  | { readonly kind: 'DynamicMesh'; readonly mesh: Mesh }
  | { readonly kind: 'Texture'; readonly laid: Laid }
  | {
      readonly kind: 'Composite'
      readonly op: 'Union' | 'Intersection' | 'Difference'
      readonly mode: string
      readonly parts: readonly Data[]
    }
export type Kind = Data['kind']

export type Tagged = { readonly data: Data; readonly pin: string; readonly tags: readonly string[] }

export const CLASS_OF: Readonly<Record<Kind, string>> = {
  Point: 'PCGPointData',
  Param: 'PCGParamData',
  Landscape: 'PCGLandscapeData',
  Surface: 'PCGSplineInteriorSurfaceData',
  Volume: 'PCGVolumeData',
  Primitive: 'PCGPrimitiveData',
  Spline: 'PCGSplineData',
  Polygon2D: 'PCGPolygon2DData',
  DynamicMesh: 'PCGDynamicMeshData',
  Texture: 'PCGTextureData',
  Composite: 'PCGCompositeData',
}

export function tableOf(data: Data): Table | undefined {
  if (data.kind === 'Point') return data.points
  return data.kind === 'Param' ? data.table : undefined
}

export function rowsOf(data: Data): number {
  return tableOf(data)?.count ?? 0
}

/** Whether a reader receives anything: a shape always counts, a table only with rows. */
export function isFilled(data: Data): boolean {
  const table = tableOf(data)
  return table === undefined || table.count > 0
}

/** The same data with another table: points keep their fields. */
export function withTable(data: Data, table: Table): Data {
  if (data.kind === 'Point') return { kind: 'Point', points: { ...data.points, ...table } }
  return data.kind === 'Param' ? { kind: 'Param', table } : data
}
