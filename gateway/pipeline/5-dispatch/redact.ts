// Redaction: named values of a JSON answer are replaced before anybody sees them. Contract 8.4.
const REDACTED = '[REDACTED]'

/** Returns the value itself when no path leads anywhere in it. */
export type Redaction = (value: unknown) => unknown

/** One place in one path; all paths are walked together, each value once, so that no set of `**` costs more than its length. */
type Step = { readonly segment: string; readonly index: number | undefined; readonly next: Step | undefined }

function stepsOf(path: string): Step | undefined {
  return path.split('.').reduceRight<Step | undefined>(
    (next, segment) =>
      // Two in a row say nothing that one does not.
      segment === '**' && next?.segment === '**'
        ? next
        : { segment, index: /^\d{1,9}$/.test(segment) ? Number(segment) : undefined, next },
    undefined,
  )
}

/** `a.b`, `*` = every element or value, `**` = any depth; a named segment on an array applies to each element. */
export function redaction(paths: readonly string[] | undefined): Redaction | undefined {
  if (!paths || paths.length === 0) return undefined
  const starts = new Set<Step>()
  for (const path of paths) {
    const first = stepsOf(path)
    if (first) starts.add(first)
  }
  return (value) => walk(value, starts)
}

/** `undefined` when a path ends here. */
function opened(steps: ReadonlySet<Step>): ReadonlySet<Step> | undefined {
  let all: Set<Step> | undefined
  for (const step of steps) {
    if (step.segment !== '**') continue
    // `**` is also no level at all.
    if (step.next === undefined) return undefined
    all ??= new Set(steps)
    all.add(step.next)
  }
  return all ?? steps
}

function walk(value: unknown, given: ReadonlySet<Step>): unknown {
  const steps = opened(given)
  if (steps === undefined) return REDACTED
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((inner: unknown, at) => child(inner, steps, (step) => elementStep(step, at)))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  const before = Object.entries(value)
  const after = before.map(([key, inner]: [string, unknown]) => [
    key,
    child(inner, steps, (step) => keyStep(step, key)),
  ])
  return after.some(([, inner], at) => inner !== before[at]?.[1]) ? Object.fromEntries(after) : value
}

/** Where a step stands one level down: further, in place, or nowhere. */
type Moved = 'next' | 'stay' | 'off'

const keyStep = ({ segment }: Step, key: string): Moved =>
  segment === '**' ? 'stay' : segment === '*' || segment === key ? 'next' : 'off'

const elementStep = ({ segment, index }: Step, at: number): Moved => {
  if (segment === '*') return 'next'
  if (segment === '**' || index === undefined) return 'stay'
  return index === at ? 'next' : 'off'
}

function child(inner: unknown, steps: ReadonlySet<Step>, move: (step: Step) => Moved): unknown {
  let below: Set<Step> | undefined
  for (const step of steps) {
    const moved = move(step)
    if (moved === 'off') continue
    if (moved === 'next' && step.next === undefined) return REDACTED
    below ??= new Set()
    below.add(moved === 'next' && step.next !== undefined ? step.next : step)
  }
  return below === undefined ? inner : walk(inner, below)
}
