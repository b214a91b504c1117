// What a graph reads beside the level: tables and pictures of the project, as plain data that crosses to the worker.
import { isRecord } from '../../editor/settings.ts'

export type TableSource = {
  readonly kind: 'table'
  readonly rows: readonly { readonly name: string; readonly cells: Readonly<Record<string, unknown>> }[]
}
export type PictureSource = {
  readonly kind: 'picture'
  readonly width: number
  readonly height: number
  /** Red, green, blue, alpha, a byte each, row by row from the top. */
  readonly pixels: Uint8Array
}
/** By lower-case content path; the digest stands for the content where plans are compared. */
export type Sources = Readonly<Record<string, { readonly digest: string; readonly data: TableSource | PictureSource }>>

/** Rows as the real editor exports them: a list of records, each with its name as `Name`. */
export function parseTable(given: unknown): TableSource | null {
  if (!Array.isArray(given) || !given.every(isRecord)) return null
  return {
    kind: 'table',
    rows: given.map(({ Name: name, ...cells }, row) => ({
      name: typeof name === 'string' ? name : String(row),
      cells,
    })),
  }
}

const SETTINGS = { table: 'DataTable', picture: 'Texture' } as const
/** The content paths that the nodes of a graph name, with what should be there. */
export function sourcesNamed(nodes: readonly { readonly properties: Readonly<Record<string, unknown>> }[]) {
  return nodes.flatMap(({ properties }) =>
    (['table', 'picture'] as const).flatMap((kind) => {
      const path = properties[SETTINGS[kind]]
      return typeof path === 'string' && path !== '' ? [{ kind, path: sourceKey(path) }] : []
    }),
  )
}

/** `/Game/A/B`, `/Game/A/B.B` and `DataTable'/Game/A/B.B'` are one asset. */
export function sourceKey(path: string): string {
  const bare = /^\w*'([^']*)'$/.exec(path)?.[1] ?? path
  return bare.replace(/\.[^./]*$/, '').toLowerCase()
}
