// The time range of the overview: a preset that ends now, or a zoomed part. Pure.

import { t } from '../../language/language.ts'
import type { UrlParams } from '../../url-params.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const RANGES = [
  { value: '1h', label: t('Last hour'), lengthMs: HOUR },
  { value: '24h', label: t('Last 24 hours'), lengthMs: DAY },
  { value: '7d', label: t('Last 7 days'), lengthMs: 7 * DAY },
  { value: '30d', label: t('Last 30 days'), lengthMs: 30 * DAY },
] as const
const USUAL = RANGES[1]

export type Range =
  | { readonly kind: 'recent'; readonly value: (typeof RANGES)[number]['value']; readonly lengthMs: number }
  | { readonly kind: 'part'; readonly fromMs: number; readonly toMs: number }

/** The range in the URL; invalid ones give the default. */
export function rangeOf({ range, from, to }: UrlParams): Range {
  const [fromMs, toMs] = [Number(from ?? Number.NaN), Number(to ?? Number.NaN)]
  if (fromMs > 0 && toMs > fromMs && toMs < 8.64e15) return { kind: 'part', fromMs, toMs }
  const { value, lengthMs } = RANGES.find((each) => each.value === range) ?? USUAL
  return { kind: 'recent', value, lengthMs }
}

export const isChosen = ({ range, from, to }: UrlParams): boolean => Boolean(range || from || to)

/** By the calls of each of RANGES: the last hour where nothing is older, else the shortest from a day on with calls. */
export function rangeWithCalls(counts: readonly number[]): Range {
  const [hour = 0] = counts
  const longest = counts.at(-1) ?? 0
  const found = hour > 0 && hour === longest ? 0 : counts.findIndex((calls, at) => at > 0 && calls > 0)
  const { value, lengthMs } = RANGES[found] ?? USUAL
  return { kind: 'recent', value, lengthMs }
}

export const spanOf = (range: Range, nowMs: number): { readonly fromMs: number; readonly toMs: number } =>
  range.kind === 'part' ? { fromMs: range.fromMs, toMs: range.toMs } : { fromMs: nowMs - range.lengthMs, toMs: nowMs }

const WIDTHS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY]
const POINTS_MOST = 100

/** The slice length: short enough for shape, long enough to point at. */
export const bucketFor = (lengthMs: number): number =>
  WIDTHS.find((width) => lengthMs / width <= POINTS_MOST) ?? Math.ceil(lengthMs / POINTS_MOST / DAY) * DAY
