// Ops over a JSON value: set, remove, rename, copy. The value given is never written into. Contract 8.9.

import type { Op } from '../contract/admin/shaping-features.ts'
import { byteCount } from '../text/amounts.ts'
import { asList, NOTHING, put, read, without } from './json-path.ts'

type Step = (value: unknown) => unknown
export type Transformation = Step & {
  /** What it was made of. */
  readonly ops: readonly Op[]
  readonly mostBytes: number
}

/** Copies can make of a small value one that no memory holds. */
export class Overgrown extends Error {}

/** Deeper than any answer that is read, and safe for recursive readers. */
const MOST_DEPTH = 200

const orAsItWas = (after: unknown, before: unknown): unknown => (after === NOTHING ? before : after)

function stepOf(op: Op): Step {
  switch (op.op) {
    case 'set': {
      const path = op.path.split('.')
      return (value) => orAsItWas(put(value, path, op.value), value)
    }
    case 'remove': {
      const path = op.path.split('.')
      return (value) => (read(value, path) === NOTHING ? value : without(value, path))
    }
    case 'rename':
    case 'copy': {
      const [from, to] = [op.from.split('.'), op.to.split('.')]
      return (value) => {
        const found = read(value, from)
        if (found === NOTHING) return value
        // What cannot be put where it should go stays where it was.
        return orAsItWas(put(op.op === 'copy' ? value : without(value, from), to, found), value)
      }
    }
  }
}

/** Throws what the value would weigh as text, roughly, when that is too much; what is shared counts every time. */
function weigh(value: unknown, most: number): void {
  let left = most
  const walk = (inner: unknown, depth: number): void => {
    left -= typeof inner === 'string' ? inner.length + 2 : 1
    if (left < 0) throw new Overgrown(`larger than ${byteCount(most)}`)
    if (typeof inner !== 'object' || inner === null) return
    if (depth === MOST_DEPTH) throw new Overgrown(`deeper than ${MOST_DEPTH} levels`)
    const list = asList(inner)
    if (list) {
      for (const each of list) walk(each, depth + 1)
      return
    }
    for (const [key, each] of Object.entries(inner)) {
      left -= key.length + 3
      walk(each, depth + 1)
    }
  }
  walk(value, 0)
}

/** Of JSON values. What comes out is at most so large, or the transformation throws. */
export function transformation(ops: readonly Op[] | undefined, mostBytes: number): Transformation | undefined {
  if (ops === undefined || ops.length === 0) return undefined
  const steps = ops.map(stepOf)
  const change: Step = (value) => {
    const after = steps.reduce<unknown>((before, step) => step(before), value)
    if (after !== value) weigh(after, mostBytes)
    return after
  }
  return Object.assign(change, { ops, mostBytes })
}
