// How long a key or a link lasts: the choices of a form, and the moment each of them ends.
const DAY_MS = 86_400_000

/** By the number of days. */
export const LIFETIMES = {
  '1': 'One day',
  '7': 'One week',
  '30': '30 days',
  '90': '90 days',
  '365': 'One year',
  never: 'Never',
} as const

export const expiryOf = (lifetime: keyof typeof LIFETIMES, nowMs: number): string | null =>
  lifetime === 'never' ? null : new Date(nowMs + Number(lifetime) * DAY_MS).toISOString()
