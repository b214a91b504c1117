// A sheet of given numbers.
import type { Sheet } from './sheet.ts'

export const sheetOf = (columns: Readonly<Record<string, readonly number[]>>): Sheet => {
  const loaded = Math.max(0, ...Object.values(columns).map(({ length }) => length))
  return {
    total: loaded,
    loaded,
    summaries: [],
    columns: new Map(
      Object.entries(columns).map(([name, values]) => [
        name,
        { name, type: 'Double', values: new Float64Array(values) },
      ]),
    ),
  }
}
