// Counts of durations in buckets, mergeable: exact below 100 ms, above within 2 %.

/** How many calls took so long, in milliseconds. */
export type Durations = Map<number, number>

const EXACT_MS = 100
/** Each bucket is 2.5 % wider than the one before; its middle is at most 1.3 % off, and rounding adds 0.5 %. */
const GROWTH = 1.025
const LOG_GROWTH = Math.log(GROWTH)

export const bucketOf = (ms: number): number =>
  ms < EXACT_MS ? Math.max(0, Math.round(ms)) : EXACT_MS + Math.floor(Math.log(ms / EXACT_MS) / LOG_GROWTH)

/** The duration that stands for those of a bucket. */
const MIDDLES: number[] = []
export function middleOf(bucket: number): number {
  const known = MIDDLES[bucket]
  if (known !== undefined) return known
  const ms = bucket < EXACT_MS ? bucket : Math.round(EXACT_MS * GROWTH ** (bucket - EXACT_MS + 0.5))
  return (MIDDLES[bucket] = ms)
}

export const count = (durations: Durations, key: number, calls: number): void =>
  void durations.set(key, (durations.get(key) ?? 0) + calls)

/** Pairs of a bucket and a count, so that texts of several slots are merged when a query joins them. */
export function encode(buckets: Durations): string {
  let text = ''
  for (const [bucket, calls] of buckets) text += `${bucket.toString(36)}.${calls.toString(36)} `
  return text
}

const [DOT, SPACE, NINE, LETTERS] = [46, 32, 57, 87]

export function eachBucket(text: string, take: (bucket: number, calls: number) => void): void {
  let [bucket, value] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === DOT) [bucket, value] = [value, 0]
    else if (code === SPACE) {
      take(bucket, value)
      value = 0
    } else value = value * 36 + code - (code <= NINE ? 48 : LETTERS)
  }
}

/** The shortest duration that so many percent of the calls did not exceed. */
export function percentileOf(durations: Durations, percent: number): number {
  let calls = 0
  for (const many of durations.values()) calls += many
  let rest = Math.ceil((calls * percent) / 100)
  for (const ms of [...durations.keys()].sort((a, b) => a - b)) {
    rest -= durations.get(ms) ?? 0
    if (rest <= 0) return ms
  }
  return 0
}
