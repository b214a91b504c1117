// A JSON object with unknown content.
import { isExactNumber } from '../text/exact-json.ts'

export type JsonRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
