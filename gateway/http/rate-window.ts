// One rate limiter: an exact rolling minute per key, in bounded memory, that no caller can flush to get a fresh budget.
export const WINDOW_MS = 60_000

export type Verdict =
  | { readonly allowed: true; readonly remaining: number }
  | { readonly allowed: false; readonly retryAfterMs: number }

export type RateWindow = ReturnType<typeof createRateWindow>

export type RateWindowOptions = {
  readonly maxBuckets: number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly onEvicted?: () => void
}

/**
 * Accepted requests of the last minute, as runs `[ms, count, ms, count, …]` from `head` on: at most 60,000 runs
 * the limit. Buckets are linked in the order of their last accepted request, so the first is the first to be full again.
 */
type Bucket = {
  readonly key: string
  runs: number[]
  head: number
  total: number
  older: Bucket | undefined
  newer: Bucket | undefined
}

const ALLOWED_LAST: Verdict = { allowed: true, remaining: 0 }
const NO_RUNS: number[] = []

function newBucket(key: string): Bucket {
  return { key, runs: NO_RUNS, head: 0, total: 0, older: undefined, newer: undefined }
}

function expire(bucket: Bucket, nowMs: number): void {
  const { runs } = bucket
  while (bucket.head < runs.length && nowMs - (runs[bucket.head] ?? 0) >= WINDOW_MS) {
    bucket.total -= runs[bucket.head + 1] ?? 0
    bucket.head += 2
  }
  if (bucket.head === runs.length) {
    bucket.runs = NO_RUNS
    bucket.head = 0
  } else if (bucket.head > 512 && bucket.head * 2 > runs.length) {
    bucket.runs = runs.slice(bucket.head)
    bucket.head = 0
  }
}

const lastOf = (bucket: Bucket): number => bucket.runs.at(-2) ?? -Infinity

function record(bucket: Bucket, atMs: number): void {
  const { runs } = bucket
  bucket.total += 1
  if (lastOf(bucket) === atMs) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1
  // A literal reserves exactly its room, a first push seventeen places; and most of many buckets hold one run.
  else if (runs.length === 0) bucket.runs = [atMs, 1]
  else runs.push(atMs, 1)
}

export function createRateWindow({ maxBuckets, monotonic, onEvicted }: RateWindowOptions) {
  const buckets = new Map<string, Bucket>()
  /** Who comes while every bucket is in use shares this one: strict, but no way to a fresh budget. */
  const newcomers = newBucket('')
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
  const isFull = (bucket: Bucket, nowMs: number): boolean => nowMs - lastOf(bucket) >= WINDOW_MS
  const drop = (bucket: Bucket): void => {
    unlink(bucket)
    buckets.delete(bucket.key)
  }
  const bucketFor = (key: string, nowMs: number): Bucket => {
    const known = buckets.get(key)
    if (known) return known
    if (buckets.size >= maxBuckets) {
      if (oldest === undefined || !isFull(oldest, nowMs)) return newcomers
      drop(oldest)
      onEvicted?.()
    }
    return newBucket(key)
  }

  const refused = (bucket: Bucket, nowMs: number): Verdict => {
    const first = bucket.runs[bucket.head] ?? nowMs
    return { allowed: false, retryAfterMs: Math.max(1, first + WINDOW_MS - nowMs) }
  }

  return {
    /** What `take` would say now; nothing is spent. */
    look: (key: string, limit: number): Verdict => {
      const nowMs = Math.floor(monotonic())
      const bucket = buckets.get(key) ?? newBucket(key)
      expire(bucket, nowMs)
      return bucket.total >= limit ? refused(bucket, nowMs) : { allowed: true, remaining: limit - bucket.total }
    },
    /** Spends one from the key's budget. A refused request spends nothing. */
    take: (key: string, limit: number): Verdict => {
      const exact = monotonic()
      // Rounded apart, so that two requests a hair under a minute from each other never count as a minute apart.
      const nowMs = Math.floor(exact)
      const bucket = bucketFor(key, nowMs)
      expire(bucket, nowMs)
      if (bucket.total >= limit) return refused(bucket, nowMs)
      record(bucket, Math.ceil(exact))
      if (bucket !== newcomers && bucket !== newest) {
        if (buckets.get(key) === bucket) unlink(bucket)
        else buckets.set(key, bucket)
        linkNewest(bucket)
      }
      const remaining = limit - bucket.total
      return remaining === 0 ? ALLOWED_LAST : { allowed: true, remaining }
    },
    /** Forgets keys whose budget is full again. */
    sweep: (): void => {
      const nowMs = Math.floor(monotonic())
      for (let first = oldest; first !== undefined && isFull(first, nowMs); first = oldest) drop(first)
    },
    size: (): number => buckets.size,
  }
}
