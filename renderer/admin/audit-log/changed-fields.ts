// The fields that differ between two records, as text. Pure.
export type ChangedField = {
  readonly name: string
  /** Undefined if the field was absent. */
  readonly was: string | undefined
  readonly is: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

const textOf = (fields: Fields, name: string): string | undefined => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : value === undefined ? undefined : JSON.stringify(value, null, 2)
}

export function fieldsOf(before: Fields, after: Fields): readonly ChangedField[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name) => ({ name, was: textOf(before, name), is: textOf(after, name) }))
    .filter(({ was, is }) => was !== is)
}
