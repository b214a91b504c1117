// Amounts in messages: whole numbers with their unit.

/** What is left of a deadline is a fraction; nobody reads its decimals. */
export const milliseconds = (ms: number): string => `${Math.round(ms)} ms`

export const byteCount = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`
