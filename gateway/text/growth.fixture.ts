// Measures cost growth in processor time of this thread, unaffected by other load.

const MOST_ROUNDS = 20
/** The minimum measurable cost. */
const LEAST_MICROSECONDS = 500

/** The clock may tick only every few milliseconds: short work is repeated for this long, or this many times. */
const ENOUGH_MICROSECONDS = 20_000
const MOST_TIMES = 50

function costOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  let spent = 0
  let times = 0
  while (spent < ENOUGH_MICROSECONDS && times < MOST_TIMES) {
    work()
    times += 1
    const { user, system } = process.threadCpuUsage(before)
    spent = user + system
  }
  return spent / times
}

/**
 * The least cost of the long input in units of the short one's. Measured in turns, because a compiler and a collector
 * add to some rounds, never to all; ends as soon as the growth is below `most`. Each call gets its own number, for
 * inputs the engine has not seen: it remembers what it found in a string.
 */
export function growthOf(short: (round: number) => unknown, long: (round: number) => unknown, most: number): number {
  let [ofShort, ofLong] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let number = 0
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    ofShort = Math.min(
      ofShort,
      costOf(() => short(number++)),
    )
    ofLong = Math.min(
      ofLong,
      costOf(() => long(number++)),
    )
    // The first round warms up.
    if (round > 0 && ofLong < most * Math.max(LEAST_MICROSECONDS, ofShort)) break
  }
  return ofLong / Math.max(LEAST_MICROSECONDS, ofShort)
}
