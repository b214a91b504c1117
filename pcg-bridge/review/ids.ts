// Ids of nodes: the name in the editor, made safe for the text form, unique in any case.
import { INPUT, isEnd, OUTPUT } from './graph.ts'

export const ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/

function safe(name: string): string {
  const id = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 120)
  return ID.test(id) && !isEnd(id) ? id : `_${id}`
}

/** `wanted`, or the first `wanted_2`, `wanted_3` that is free. */
export function freeId(wanted: string, taken: ReadonlySet<string>): string {
  const stem = safe(wanted)
  let id = stem
  for (let n = 2; taken.has(id.toLowerCase()); n++) id = `${stem}_${n}`
  return id
}

/** By name. Names that differ by case only get different ids. */
export function idsOf(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set([INPUT, OUTPUT].map((end) => end.toLowerCase()))
  const ids = new Map<string, string>()
  for (const name of names) {
    const id = freeId(name, taken)
    taken.add(id.toLowerCase())
    ids.set(name, id)
  }
  return ids
}
