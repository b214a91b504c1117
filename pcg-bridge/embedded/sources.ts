// Tables (`Content/Data/Trees.table.json`) and pictures (`Content/Maps/Density.png`) of the project that graphs read.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { GraphDoc } from '../editor/document.ts'
import { parseTable, type Sources, sourcesNamed } from './generation/sources.ts'
import { decodePng } from './png.ts'

const SUFFIX = { table: '.table.json', picture: '.png' } as const
const MOST_BYTES = 16 * 1024 * 1024

type Known = { readonly stamp: string; readonly found: Sources[string] | null }

/** The file of a content path, in any case. Does not follow links. */
function fileOf(directory: string, content: string, suffix: string): string | null {
  const [, game, ...segments] = content.split('/')
  if (game !== 'game' || segments.length === 0) return null
  let at = path.join(directory, 'Content')
  for (const [i, segment] of segments.entries()) {
    const last = i === segments.length - 1
    const wanted = last ? `${segment}${suffix}` : segment
    const entry = readdirSync(at, { withFileTypes: true }).find((one) => one.name.toLowerCase() === wanted)
    if (!entry || (last ? !entry.isFile() : !entry.isDirectory())) return null
    at = path.join(at, entry.name)
  }
  return at
}

function read(file: string, kind: keyof typeof SUFFIX): Sources[string] | null {
  const bytes = readFileSync(file)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const data = kind === 'table' ? parseTable(JSON.parse(bytes.toString('utf8'))) : decodePng(bytes)
  return data && { digest, data }
}

/** Reads a file again after a change. An unreadable file is missing: the node that names it warns. */
export function createSources(directory: string) {
  const known = new Map<string, Known>()
  function one(kind: keyof typeof SUFFIX, content: string): Sources[string] | null {
    try {
      const file = fileOf(directory, content, SUFFIX[kind])
      if (file === null) return null
      const { size, mtimeMs } = statSync(file)
      const stamp = `${size} ${mtimeMs}`
      const before = known.get(file)
      if (before?.stamp === stamp) return before.found
      const found = size > MOST_BYTES ? null : read(file, kind)
      known.set(file, { stamp, found })
      return found
    } catch {
      return null
    }
  }
  return (graphs: readonly GraphDoc[]): Sources =>
    Object.fromEntries(
      graphs
        .flatMap((graph) => sourcesNamed(graph.nodes))
        .flatMap(({ kind, path: content }) => {
          const found = one(kind, content)
          return found ? [[content, found] as const] : []
        }),
    )
}
