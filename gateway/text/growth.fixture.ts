// Measures cost growth in processor time of this thread, unaffected by other load.

const MOST_ROUNDS = 20
/** The minimum measurable cost. */
const LEAST_MICROSECONDS = 500

function costOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

/**
 * The least cost of the long input in units of the short one's. Measured in turns, because a compiler and a collector
 * add to some rounds, never to all; ends as soon as the growth is below `most`. Each round gets its own number, for
 * inputs the engine has not seen: it remembers what it found in a string.
 */
export function growthOf(short: (round: number) => unknown, long: (round: number) => unknown, most: number): number {
  let [ofShort, ofLong] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    ofShort = Math.min(
      ofShort,
      costOf(() => short(round)),
    )
    ofLong = Math.min(
      ofLong,
      costOf(() => long(round)),
    )
    // The first round warms up.
    if (round > 0 && ofLong < most * Math.max(LEAST_MICROSECONDS, ofShort)) break
  }
  return ofLong / Math.max(LEAST_MICROSECONDS, ofShort)
}
