// Redaction: named values of a JSON answer are replaced before anybody sees them. Contract 8.4.
const REDACTED = '[REDACTED]'

export type Redaction = (value: unknown) => unknown

/** `a.b`, `*` = every element or value, `**` = any depth; a named segment on an array applies to each element. */
export function redaction(paths: readonly string[] | undefined): Redaction | undefined {
  if (!paths || paths.length === 0) return undefined
  const parsed = paths.map((path) => path.split('.'))
  return (value) => parsed.reduce<unknown>((current, segments) => redactAt(current, segments), value)
}

function redactAt(value: unknown, segments: readonly string[]): unknown {
  const [first, ...rest] = segments
  if (first === undefined) return REDACTED
  if (typeof value !== 'object' || value === null) return value
  if (first === '**') {
    const here = redactAt(value, rest)
    return mapInner(here, (inner) => redactAt(inner, segments))
  }
  if (first === '*') return mapInner(value, (inner) => redactAt(inner, rest))
  if (Array.isArray(value)) {
    const index = /^\d{1,9}$/.test(first) ? Number(first) : undefined
    return value.map((inner, at) =>
      index === undefined ? redactAt(inner, segments) : at === index ? redactAt(inner, rest) : inner,
    )
  }
  if (!Object.hasOwn(value, first)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === first ? redactAt(inner, rest) : inner]),
  )
}

function mapInner(value: unknown, change: (inner: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]))
}
