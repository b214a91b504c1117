// Redaction: replaces values of a JSON answer by path. Contract 8.4.
import { isExactNumber } from './exact-json.ts'

const REDACTED = '[REDACTED]'

export type Redaction = {
  /** Returns the same value if no path matches. */
  (value: unknown): unknown
  /** Whether the JSON text may contain a value to redact, also one hidden by a duplicate key. */
  readonly mayConcern: (text: string) => boolean
  /** The source paths. */
  readonly paths: readonly string[]
}

/** A position in a path; all paths are walked together, each value once, so that any number of `**` costs only its length. */
type Step = {
  readonly id: number
  readonly segment: string
  readonly index: number | undefined
  readonly next: Step | undefined
}

/** The effect of a key or index: descend, replace, or nothing. */
type Next = Place | typeof REDACTED | undefined

/** The state of all paths at a value. Transitions are cached, because answers are similar. */
type Place = {
  readonly steps: ReadonlySet<Step>
  readonly byKey: Map<string, Next>
  readonly byIndex: Map<number, Next>
  /** Keys that no step names share one transition, so that answers cannot grow the cache. */
  readonly named: ReadonlySet<string>
  readonly numbered: ReadonlySet<number>
  otherKey: { readonly next: Next } | undefined
  otherIndex: { readonly next: Next } | undefined
}

const MOST_PLACES = 200

/** `a.b`, `*` = every element or value, `**` = any depth; a named segment on an array applies to each element. */
export function redaction(paths: readonly string[] | undefined): Redaction | undefined {
  if (!paths || paths.length === 0) return undefined
  const known = made.get(paths)
  if (known) return known
  const fresh = compiled(paths)
  made.set(paths, fresh)
  return fresh
}

/** A tool's paths are replaced when they change, never mutated. */
const made = new WeakMap<readonly string[], Redaction>()

function compiled(paths: readonly string[]): Redaction {
  let ids = 0
  const stepsOf = (path: string): Step | undefined =>
    path.split('.').reduceRight<Step | undefined>(
      (next, segment) =>
        // Two in a row equal one.
        segment === '**' && next?.segment === '**'
          ? next
          : { id: ids++, segment, index: /^\d{1,9}$/.test(segment) ? Number(segment) : undefined, next },
      undefined,
    )
  const starts = new Set<Step>()
  for (const path of paths) {
    const first = stepsOf(path)
    if (first) starts.add(first)
  }
  const places = createPlaces()
  const start = places.of(starts)
  const names = paths.map((path) => path.split('.').filter((segment) => !/^(?:\*{1,2}|\d{1,9})$/.test(segment)))
  return Object.assign((value: unknown) => lead(value, start, places), {
    paths,
    // An escape can spell any key.
    mayConcern: (text: string) =>
      text.includes('\\') || names.some((every) => every.every((name) => text.includes(name))),
  })
}

type Places = {
  of(steps: ReadonlySet<Step>): Next
  key(place: Place, key: string): Next
  element(place: Place, index: number): Next
}

function createPlaces(): Places {
  const known = new Map<string, Next>()

  function of(given: ReadonlySet<Step>): Next {
    const steps = opened(given)
    if (steps === undefined) return REDACTED
    const id = [...steps].map((step) => step.id).join()
    const found = known.get(id)
    if (found) return found
    // Some paths have many step sets; the cache is limited.
    if (known.size >= MOST_PLACES) known.clear()
    const place: Place = {
      steps,
      byKey: new Map(),
      byIndex: new Map(),
      named: new Set([...steps].map(({ segment }) => segment)),
      numbered: new Set([...steps].flatMap(({ index }) => index ?? [])),
      otherKey: undefined,
      otherIndex: undefined,
    }
    known.set(id, place)
    return place
  }

  function moved({ steps }: Place, move: (step: Step) => Moved): Next {
    let below: Set<Step> | undefined
    for (const step of steps) {
      const to = move(step)
      if (to === 'off') continue
      if (to === 'next' && step.next === undefined) return REDACTED
      below ??= new Set()
      below.add(to === 'next' && step.next !== undefined ? step.next : step)
    }
    return below && of(below)
  }

  return {
    of,
    key(place, key) {
      if (!place.named.has(key)) return (place.otherKey ??= { next: moved(place, (step) => keyStep(step, key)) }).next
      if (!place.byKey.has(key))
        place.byKey.set(
          key,
          moved(place, (step) => keyStep(step, key)),
        )
      return place.byKey.get(key)
    },
    element(place, index) {
      const step = (each: Step): Moved => elementStep(each, index)
      if (!place.numbered.has(index)) return (place.otherIndex ??= { next: moved(place, step) }).next
      if (!place.byIndex.has(index)) place.byIndex.set(index, moved(place, step))
      return place.byIndex.get(index)
    },
  }
}

/** `undefined` if a path ends here. */
function opened(steps: ReadonlySet<Step>): ReadonlySet<Step> | undefined {
  let all: Set<Step> | undefined
  for (const step of steps) {
    if (step.segment !== '**') continue
    // `**` also matches zero levels.
    if (step.next === undefined) return undefined
    all ??= new Set(steps)
    all.add(step.next)
  }
  return all ?? steps
}

function walk(value: unknown, place: Place, places: Places): unknown {
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  if (Array.isArray(value)) return walkArray(value, place, places)
  let copy: object | undefined
  for (const key of Object.keys(value)) {
    const inner: unknown = value[key as keyof typeof value] // one of its own keys
    const after = lead(inner, places.key(place, key), places)
    if (after === inner) continue
    copy ??= { ...value }
    // Assigning a key `__proto__` would set the prototype.
    Object.defineProperty(copy, key, { value: after, enumerable: true, configurable: true, writable: true })
  }
  return copy ?? value
}

function walkArray(value: readonly unknown[], place: Place, places: Places): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let at = 0; at < value.length; at++) {
    const after = lead(value[at], places.element(place, at), places)
    if (after !== value[at]) (copy ??= [...value])[at] = after
  }
  return copy ?? value
}

const lead = (inner: unknown, next: Next, places: Places): unknown =>
  next === undefined ? inner : next === REDACTED ? REDACTED : walk(inner, next, places)

/** The step one level down: the next one, the same, or none. */
type Moved = 'next' | 'stay' | 'off'

const keyStep = ({ segment }: Step, key: string): Moved =>
  segment === '**' ? 'stay' : segment === '*' || segment === key ? 'next' : 'off'

const elementStep = ({ segment, index }: Step, at: number): Moved => {
  if (segment === '*') return 'next'
  if (segment === '**' || index === undefined) return 'stay'
  return index === at ? 'next' : 'off'
}
