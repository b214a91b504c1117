// Values mapped one by one. Nothing new is made where nothing changes, which is nearly always.

type JsonRecord = Readonly<Record<string, unknown>>

export function mapValues(given: object, map: (value: unknown, key: string) => unknown): JsonRecord {
  const record = given as JsonRecord // read by its own keys only
  let changed: [string, unknown][] | undefined
  const keys = Object.keys(record)
  for (const [at, key] of keys.entries()) {
    const value = record[key]
    const next = map(value, key)
    if (next !== value) changed ??= keys.slice(0, at).map((before) => [before, record[before]])
    changed?.push([key, next])
  }
  return changed === undefined ? record : Object.fromEntries(changed)
}

export function mapList(list: readonly unknown[], map: (value: unknown) => unknown): readonly unknown[] {
  let changed: unknown[] | undefined
  for (const [at, value] of list.entries()) {
    const next = map(value)
    if (next !== value) changed ??= list.slice(0, at)
    changed?.push(next)
  }
  return changed ?? list
}
