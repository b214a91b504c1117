// Amounts in messages: whole numbers with their unit.

/** Rounds: remaining times are fractions. */
export const milliseconds = (ms: number): string => `${Math.round(ms)} ms`

export const byteCount = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`
