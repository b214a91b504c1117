// A pattern search in linear time for any pattern: a lazily built automaton.
import { type Assertion, type Matcher, type Node, readPattern, UnsafePattern } from './pattern-syntax.ts'

type Step =
  | { readonly op: 'char'; readonly matches: Matcher }
  | { readonly op: 'assert'; readonly assertion: Assertion }
  | { readonly op: 'split'; to: number[] }
  | { readonly op: 'match' }

const MOST_STEPS = 4_000
/** The state limit; the cache is then cleared, to bound memory. */
const MOST_STATES = 500

function compile(root: Node): Step[] {
  const steps: Step[] = []
  const push = (step: Step): number => {
    if (steps.length >= MOST_STEPS) throw new UnsafePattern('the pattern is too large; use smaller repeat counts')
    return steps.push(step) - 1
  }
  const emit = (node: Node): void => {
    switch (node.type) {
      case 'char':
        push({ op: 'char', matches: node.matches })
        return
      case 'assert':
        push({ op: 'assert', assertion: node.assertion })
        return
      case 'cat':
        for (const each of node.nodes) emit(each)
        return
      case 'alt':
        emitAlternatives(node.nodes)
        return
      case 'repeat':
        emitRepeat(node)
        return
    }
  }
  const emitAlternatives = (nodes: readonly Node[]): void => {
    const fork = { op: 'split' as const, to: [] as number[] }
    const ends: { op: 'split'; to: number[] }[] = []
    push(fork)
    for (const each of nodes) {
      fork.to.push(steps.length)
      emit(each)
      const end = { op: 'split' as const, to: [] as number[] }
      push(end)
      ends.push(end)
    }
    for (const end of ends) end.to.push(steps.length)
  }
  const emitRepeat = ({ node, min, max }: Extract<Node, { type: 'repeat' }>): void => {
    for (let count = 0; count < min; count++) emit(node)
    if (max === Number.POSITIVE_INFINITY) {
      const fork = { op: 'split' as const, to: [] as number[] }
      const start = push(fork)
      fork.to.push(start + 1)
      emit(node)
      push({ op: 'split', to: [start] })
      fork.to.push(steps.length)
      return
    }
    const forks: { to: number[] }[] = []
    for (let count = min; count < max; count++) {
      const fork = { op: 'split' as const, to: [] as number[] }
      fork.to.push(push(fork) + 1)
      emit(node)
      forks.push(fork)
    }
    for (const fork of forks) fork.to.push(steps.length)
  }
  emit(root)
  push({ op: 'match' })
  return steps
}

type Before = 'start' | 'word' | 'other'
type State = {
  readonly steps: readonly number[]
  readonly before: Before
  readonly ascii: (State | true | undefined)[]
  readonly beyond: Map<number, State | true>
  atEnd: boolean | undefined
}

const isWord = (codePoint: number): boolean =>
  (codePoint >= 48 && codePoint <= 57) ||
  (codePoint >= 65 && codePoint <= 90) ||
  codePoint === 95 ||
  (codePoint >= 97 && codePoint <= 122) ||
  codePoint === 0x17f ||
  codePoint === 0x212a

/** The remaining budget for building states, shared by all texts of a call. */
export type Budget = { left: number }
/** The budget in milliseconds; only patterns that keep building states exceed it. */
const MOST_WORK = 1_000_000
export const newBudget = (): Budget => ({ left: MOST_WORK })

export class PatternTooCostly extends Error {}

export type LinearPattern = {
  /** Throws `PatternTooCostly` when the budget is used up. */
  readonly test: (text: string, budget?: Budget) => boolean
}

/** Throws `UnsafePattern` with the reason. */
export function linearPattern(pattern: string, flags: 'iu' | 'u' = 'iu'): LinearPattern {
  const steps = compile(readPattern(pattern, flags))
  const states = new Map<string, State>()

  const stateOf = (list: readonly number[], before: Before): State => {
    const key = `${before}:${list.join()}`
    const known = states.get(key)
    if (known) return known
    if (states.size >= MOST_STATES) states.clear()
    const state: State = { steps: list, before, ascii: [], beyond: new Map(), atEnd: undefined }
    states.set(key, state)
    return state
  }

  /** Resolves assertions with the next character; `next` is undefined at the end of the text. */
  const reach = (
    state: State,
    next: number | undefined,
    budget: Budget,
  ): { readonly matched: boolean; readonly chars: readonly number[] } => {
    const wordBefore = state.before === 'word'
    const wordNext = next !== undefined && isWord(next)
    const holds = (assertion: Assertion): boolean => {
      if (assertion === 'start') return state.before === 'start'
      if (assertion === 'end') return next === undefined
      return (wordBefore !== wordNext) === (assertion === 'boundary')
    }
    const seen = new Set<number>()
    const chars: number[] = []
    // A match can start anywhere, so the first step is always included.
    const waiting = [...state.steps, 0]
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (seen.has(index)) continue
      seen.add(index)
      const step = steps[index]
      if (step?.op === 'match') return { matched: true, chars }
      if (step?.op === 'char') chars.push(index)
      else if (step?.op === 'split') waiting.push(...step.to)
      else if (step && holds(step.assertion)) waiting.push(index + 1)
    }
    budget.left -= seen.size
    if (budget.left < 0) throw new PatternTooCostly('the text takes too long to search')
    return { matched: false, chars }
  }

  const advance = (state: State, codePoint: number, budget: Budget): State | true => {
    const { matched, chars } = reach(state, codePoint, budget)
    if (matched) return true
    const next: number[] = []
    for (const index of chars) {
      const step = steps[index]
      if (step?.op === 'char' && step.matches(codePoint)) next.push(index + 1)
    }
    return stateOf(
      [...new Set(next)].sort((a, b) => a - b),
      isWord(codePoint) ? 'word' : 'other',
    )
  }

  return {
    test(text, budget = newBudget()) {
      let state = stateOf([], 'start')
      for (let at = 0; at < text.length; at++) {
        let code = text.charCodeAt(at)
        let next: State | true | undefined
        if (code < 128) {
          next = state.ascii[code] ??= advance(state, code, budget)
        } else {
          code = text.codePointAt(at) ?? code
          if (code > 0xffff) at += 1
          next = state.beyond.get(code)
          if (next === undefined) {
            next = advance(state, code, budget)
            // Scripts are large; limits the cache.
            if (state.beyond.size < 1_000) state.beyond.set(code, next)
          }
        }
        if (next === true) return true
        state = next
      }
      return (state.atEnd ??= reach(state, undefined, budget).matched)
    },
  }
}
