// One rate limiter: an exact rolling minute per key, in bounded memory, that nobody can flush to get a fresh budget.
export const WINDOW_MS = 60_000

export type Verdict =
  | { readonly allowed: true; readonly remaining: number }
  | { readonly allowed: false; readonly retryAfterMs: number }

export type RateWindow = {
  /** Spends one from the key's budget. A refused request spends nothing. */
  readonly take: (key: string, limit: number) => Verdict
  /** Forgets keys whose budget is full again. */
  readonly sweep: () => void
  readonly size: () => number
}

export type RateWindowOptions = {
  readonly maxBuckets: number
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly onEvicted?: () => void
}

/**
 * Accepted requests of the last minute, as runs of (millisecond, count): at most 60,000 runs whatever the limit.
 * Buckets are linked in the order of their last accepted request, so the first one is the first to be full again.
 */
type Bucket = {
  readonly key: string
  times: number[]
  counts: number[]
  head: number
  total: number
  older: Bucket | undefined
  newer: Bucket | undefined
}

const ALLOWED_LAST: Verdict = { allowed: true, remaining: 0 }

function newBucket(key: string): Bucket {
  return { key, times: [], counts: [], head: 0, total: 0, older: undefined, newer: undefined }
}

function expire(bucket: Bucket, nowMs: number): void {
  const { times, counts } = bucket
  while (bucket.head < times.length && nowMs - (times[bucket.head] ?? 0) >= WINDOW_MS) {
    bucket.total -= counts[bucket.head] ?? 0
    bucket.head += 1
  }
  if (bucket.head === times.length && bucket.head > 0) {
    bucket.times = []
    bucket.counts = []
    bucket.head = 0
  } else if (bucket.head > 256 && bucket.head * 2 > times.length) {
    bucket.times = times.slice(bucket.head)
    bucket.counts = counts.slice(bucket.head)
    bucket.head = 0
  }
}

function record(bucket: Bucket, atMs: number): void {
  const last = bucket.times.length - 1
  if (last >= bucket.head && bucket.times[last] === atMs) bucket.counts[last] = (bucket.counts[last] ?? 0) + 1
  else {
    bucket.times.push(atMs)
    bucket.counts.push(1)
  }
  bucket.total += 1
}

export function createRateWindow({ maxBuckets, now, onEvicted }: RateWindowOptions): RateWindow {
  const buckets = new Map<string, Bucket>()
  /** Who comes while every bucket is in use shares this one: strict, but no way to a fresh budget. */
  const crowd = newBucket('')
  let oldest: Bucket | undefined
  let newest: Bucket | undefined

  const unlink = (bucket: Bucket): void => {
    if (bucket.older) bucket.older.newer = bucket.newer
    else oldest = bucket.newer
    if (bucket.newer) bucket.newer.older = bucket.older
    else newest = bucket.older
  }
  const linkNewest = (bucket: Bucket): void => {
    bucket.older = newest
    bucket.newer = undefined
    if (newest) newest.newer = bucket
    else oldest = bucket
    newest = bucket
  }
  const isFull = (bucket: Bucket, nowMs: number): boolean => nowMs - (bucket.times.at(-1) ?? -Infinity) >= WINDOW_MS
  const drop = (bucket: Bucket): void => {
    unlink(bucket)
    buckets.delete(bucket.key)
  }
  const bucketFor = (key: string, nowMs: number): Bucket => {
    const known = buckets.get(key)
    if (known) return known
    if (buckets.size >= maxBuckets) {
      if (oldest === undefined || !isFull(oldest, nowMs)) return crowd
      drop(oldest)
      onEvicted?.()
    }
    return newBucket(key)
  }

  return {
    take: (key, limit) => {
      const exact = now()
      // Rounded apart, so that two requests a hair under a minute from each other never count as a minute apart.
      const nowMs = Math.floor(exact)
      const bucket = bucketFor(key, nowMs)
      expire(bucket, nowMs)
      if (bucket.total >= limit) {
        const first = bucket.times[bucket.head] ?? nowMs
        return { allowed: false, retryAfterMs: Math.max(1, first + WINDOW_MS - nowMs) }
      }
      record(bucket, Math.ceil(exact))
      if (bucket !== crowd && bucket !== newest) {
        if (buckets.get(key) === bucket) unlink(bucket)
        else buckets.set(key, bucket)
        linkNewest(bucket)
      }
      const remaining = limit - bucket.total
      return remaining === 0 ? ALLOWED_LAST : { allowed: true, remaining }
    },
    sweep: () => {
      const nowMs = Math.floor(now())
      for (let first = oldest; first !== undefined && isFull(first, nowMs); first = oldest) drop(first)
    },
    size: () => buckets.size,
  }
}
