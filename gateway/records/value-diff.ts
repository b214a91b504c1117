// The differences of two JSON values by JSON pointer. Descends into objects; compares other values as a whole.
import { type DiffEntry, pointerPart } from '../contract/config-diff.ts'

const MOST_ENTRIES = 200
const DEPTH = 16

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function diffValues(before: unknown, after: unknown): DiffEntry[] {
  return [...differences('', before, after, 0)].slice(0, MOST_ENTRIES)
}

function* differences(path: string, before: unknown, after: unknown, depth: number): Generator<DiffEntry> {
  if (isFields(before) && isFields(after) && depth < DEPTH) {
    for (const key of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      const [had, has] = [own(before, key), own(after, key)]
      yield* differences(`${path}/${pointerPart(key)}`, had, has, depth + 1)
    }
    return
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  yield { path, kind, before: before ?? null, after: after ?? null }
}

const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined)
