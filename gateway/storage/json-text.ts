// A value stored as text. `schema.ts` says once what each column holds; what was written with `jsonText` is read as that.
declare const holds: unique symbol

export type JsonText<T> = string & { readonly [holds]: T }

// The mark exists for the compiler only.
export const jsonText = <T>(value: T): JsonText<T> => JSON.stringify(value) as JsonText<T>

/** A list is the reader's own. */
type Read<T> = T extends readonly (infer Item)[] ? Item[] : T

/** What a column holds; null where it holds nothing. */
export function fromText<T>(text: JsonText<T>): Read<T>
export function fromText<T>(text: JsonText<T> | null | undefined): Read<T> | null
export function fromText(text: string | null | undefined): unknown {
  return text == null ? null : JSON.parse(text)
}
