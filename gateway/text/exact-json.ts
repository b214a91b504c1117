// JSON with exact integers: those beyond a double's precision are kept as source text.

/** An integer as source text. `JSON.stringify` writes it as a number. */
export type ExactNumber = { readonly rawJSON: string }
type Exact = {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): ExactNumber
  isRawJSON(value: unknown): value is ExactNumber
}
const exact = JSON as unknown as Exact // ES2026, which Node 24 has and TypeScript does not declare yet

/** Digits that may exceed a double, other than of a fraction, which is rounded. Inside a string they only select the slower parser. */
const LONG_NUMBER = /(?:^|[^.\d])\d{16}/
const WHOLE = /^-?\d+$/

export const isExactNumber: (value: unknown) => value is ExactNumber = exact.isRawJSON

/** Throws a `SyntaxError` like `JSON.parse`. */
export function parseExact(text: string): unknown {
  return LONG_NUMBER.test(text) ? exact.parse(text, keepDigits) : (JSON.parse(text) as unknown)
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value
  return WHOLE.test(source) && String(value) !== source ? exact.rawJSON(source) : value
}
