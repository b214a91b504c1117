// The meshes of a spawner as rows, read from and written to its selector; fields that a row does not show are kept. Pure.
import { isRecord } from './properties.ts'

export type MeshRow = { readonly mesh: string; readonly weight: number }

const entriesIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] => {
  const entries = isRecord(value) ? value['MeshEntries'] : undefined
  return Array.isArray(entries) ? entries.filter(isRecord) : []
}

export function meshRows(value: unknown): readonly MeshRow[] {
  return entriesIn(value).map(({ Descriptor, Mesh, Weight }) => {
    const mesh = isRecord(Descriptor) ? Descriptor['StaticMesh'] : Mesh
    return { mesh: typeof mesh === 'string' ? mesh : '', weight: typeof Weight === 'number' ? Weight : 1 }
  })
}

/** `from[n]` is the place of the n-th row before the change; -1 for a new one. */
export function withMeshRows(value: unknown, rows: readonly MeshRow[], from: readonly number[]): object {
  const before = entriesIn(value)
  const entries = rows.map(({ mesh, weight }, at) => {
    const { Mesh: _short, ...entry } = before[from[at] ?? -1] ?? {}
    const descriptor = isRecord(entry['Descriptor']) ? entry['Descriptor'] : {}
    return { ...entry, Descriptor: { ...descriptor, StaticMesh: mesh }, Weight: weight }
  })
  return { ...(isRecord(value) ? value : {}), MeshEntries: entries }
}
