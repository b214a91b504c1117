// Measures patterns one after another. Announces each, so that the other side sees which one never returned.
import { parentPort, workerData } from 'node:worker_threads'
import { pumpsOf, textOf } from './worst-cases.ts'

export type Job = {
  readonly name: string
  readonly source: string
  readonly flags: string
  /** Of the longest text that it is run on, where that is known to be short. */
  readonly bound?: number
}
/** `cost`: in units of what a plain search of a text of 8 KiB costs. `growth`: of the cost of a character, in a longer text. */
export type Worst = { readonly pump: string; readonly cost: number; readonly growth: number }
export type Message =
  | { readonly kind: 'begins'; readonly name: string; readonly pump: string }
  | { readonly kind: 'done'; readonly name: string; readonly worst: Worst }

type Task = { readonly jobs: readonly Job[]; readonly longLength: number; readonly mostCost: number }
const { jobs, longLength, mostCost } = workerData as Task // set by patterns.test.ts
const SCREENED = 8_192
/** Below this cost, no growth up to the longest text would matter, nor could it be distinguished from noise. */
const CHEAP = 20
const ENOUGH = 2
const tell = (message: Message): void => parentPort?.postMessage(message)

/** A scanner stops where nothing fits. */
const STARTS = 4
/** As the product uses it: all matches where it asks for all, one after another where it is sticky, else the first. */
function run(pattern: RegExp, text: string): void {
  if (pattern.sticky) {
    for (let start = 0; start < STARTS; start += 1) {
      pattern.lastIndex = start
      while (pattern.exec(text)?.[0]);
    }
  } else if (pattern.global) text.replace(pattern, '')
  else pattern.test(text)
}

/** The least of some runs: another process on the same core lengthens most of them, and seldom all. */
function costOf(pattern: RegExp, text: string, runs: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < runs; count += 1) {
    const before = performance.now()
    run(pattern, text)
    least = Math.min(least, performance.now() - before)
  }
  return least
}

const unit = costOf(/[^\x00-\x7f]x/, textOf('a', SCREENED), 25)

function growthOf(pattern: RegExp, pump: string): number {
  const [shortText, longText] = [textOf(pump, SCREENED), textOf(pump, longLength)]
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 20; round += 1) {
    short = Math.min(short, costOf(pattern, shortText, 2))
    long = Math.min(long, costOf(pattern, longText, 1))
    if (long / short <= (ENOUGH * longLength) / SCREENED) break
  }
  return long / short / (longLength / SCREENED)
}

function worstOf({ name, source, flags, bound }: Job): Worst {
  const pattern = new RegExp(source, flags)
  let worst = { pump: '', cost: 0 }
  // A scanner reads the text from each of its starts.
  const plain = unit * (pattern.sticky ? STARTS : 1)
  for (const pump of pumpsOf(source)) {
    tell({ kind: 'begins', name, pump })
    const text = textOf(pump, bound ?? SCREENED)
    const limit = worst.cost * plain
    let cost = costOf(pattern, text, 1)
    if (cost > limit) cost = Math.min(cost, costOf(pattern, text, cost > mostCost * plain ? 12 : 2))
    if (cost > limit) worst = { pump, cost: cost / plain }
    if (worst.cost > mostCost) break
  }
  const isSlow = bound === undefined && worst.cost > CHEAP && worst.cost <= mostCost
  return { ...worst, growth: isSlow ? growthOf(pattern, worst.pump) : 1 }
}

for (const job of jobs) tell({ kind: 'done', name: job.name, worst: worstOf(job) })
