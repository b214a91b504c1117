// Measures cost growth in processor time of this thread, unaffected by other load.

const MOST_ROUNDS = 20
/** The minimum measurable cost. */
const LEAST_MICROSECONDS = 500

/** Where the clock ticks every few milliseconds, it takes this much, or this many times, to measure short work. */
const ENOUGH_MICROSECONDS = 20_000
const MOST_TIMES = 50

function costOf(work: (round: number) => unknown, round: number): number {
  const before = process.threadCpuUsage()
  let spent = 0
  let times = 0
  while (spent < ENOUGH_MICROSECONDS && times < MOST_TIMES) {
    work(round + times)
    times += 1
    const { user, system } = process.threadCpuUsage(before)
    spent = user + system
  }
  return spent / times
}

/**
 * The least cost of the long input in units of the short one's. Measured in turns, because a compiler and a collector
 * add to some rounds, never to all; ends as soon as the growth is below `most`. Each round gets its own number, for
 * inputs the engine has not seen: it remembers what it found in a string.
 */
export function growthOf(short: (round: number) => unknown, long: (round: number) => unknown, most: number): number {
  let [ofShort, ofLong] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    ofShort = Math.min(ofShort, costOf(short, round))
    ofLong = Math.min(ofLong, costOf(long, round))
    // The first round warms up.
    if (round > 0 && ofLong < most * Math.max(LEAST_MICROSECONDS, ofShort)) break
  }
  return ofLong / Math.max(LEAST_MICROSECONDS, ofShort)
}
