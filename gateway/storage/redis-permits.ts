// Permits in Redis or Valkey. One script takes every limit of a call on the server's clock, all or none.
import type { PermitAnswer, PermitStore } from './permits.ts'
import { LONGEST_HOLD_MS, PERMIT_WINDOW_MS } from './permits.ts'
import { type Redis, scriptOf } from './redis.ts'

/**
 * KEYS: of the refunds, then of the wants. ARGV: the time ('' is the server's own), the number of refunds, run and count of
 * each refund, limit, want and hold of each want. A value is the runs of `permits.ts`, and expires with its last run.
 */
export const PERMITS_SCRIPT = scriptOf(`
local now = tonumber(ARGV[1])
if now == nil then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local latest = now + ${PERMIT_WINDOW_MS + LONGEST_HOLD_MS}
local function load(key)
  local packed = redis.call('GET', key)
  local runs, total, first = {}, 0, math.huge
  if packed then
    local old = cmsgpack.unpack(packed)
    for at = 1, #old, 2 do
      local ends, count = math.min(old[at], latest), old[at + 1]
      if ends > now and count > 0 then
        runs[#runs + 1] = ends
        runs[#runs + 1] = count
        total = total + count
        first = math.min(first, ends)
      end
    end
  end
  return runs, total, first
end
local function save(key, runs)
  local last = 0
  for at = 1, #runs, 2 do
    if runs[at + 1] > 0 then last = math.max(last, runs[at]) end
  end
  if last > now then redis.call('SET', key, cmsgpack.pack(runs), 'PX', last - now) else redis.call('DEL', key) end
end
local refunds = tonumber(ARGV[2])
for at = 1, refunds do
  local run, count = tonumber(ARGV[1 + at * 2]), tonumber(ARGV[2 + at * 2])
  local runs = load(KEYS[at])
  for each = 1, #runs, 2 do
    if runs[each] == run then runs[each + 1] = math.max(0, runs[each + 1] - count) end
  end
  save(KEYS[at], runs)
end
local wants = #KEYS - refunds
local loaded, free = {}, {}
for at = 1, wants do
  local runs, total, first = load(KEYS[refunds + at])
  local limit = tonumber(ARGV[refunds * 2 + at * 3])
  if total >= limit then return {0, at - 1, math.max(1, first - now)} end
  loaded[at] = runs
  free[at] = limit - total
end
local answer = {1}
for at = 1, wants do
  local base = refunds * 2 + at * 3
  local count = math.min(tonumber(ARGV[base + 1]), free[at])
  local run = now + ${PERMIT_WINDOW_MS} + tonumber(ARGV[base + 2])
  local runs = loaded[at]
  if runs[#runs - 1] == run then
    runs[#runs] = runs[#runs] + count
  else
    runs[#runs + 1] = run
    runs[#runs + 1] = count
  end
  save(KEYS[refunds + at], runs)
  answer[#answer + 1] = count
  answer[#answer + 1] = run
end
return answer
`)

type ScriptCall = Parameters<PermitStore['take']>

export function permitArguments([wants, refunds]: ScriptCall, nowMs?: number): readonly [string[], string[]] {
  return [
    [...refunds, ...wants].map(({ key }) => key),
    [
      nowMs ?? '',
      refunds.length,
      ...refunds.flatMap(({ run, count }) => [run, count]),
      ...wants.flatMap(({ limit, want, holdMs }) => [limit, want, holdMs]),
    ].map(String),
  ]
}

export function permitAnswer(given: unknown): PermitAnswer {
  if (!Array.isArray(given) || !given.every((each) => typeof each === 'number'))
    throw new Error('Redis answered the script of shared limits with something else than numbers')
  const [ok, ...rest] = given
  if (ok !== 1) return { ok: false, index: rest[0] ?? 0, retryAfterMs: rest[1] ?? 1 }
  const grants: { count: number; run: number }[] = []
  for (let at = 0; at < rest.length; at += 2) grants.push({ count: rest[at] ?? 0, run: rest[at + 1] ?? 0 })
  return { ok: true, grants }
}

/** `prefix` separates gateways that share a Redis but no database. */
export const redisPermits = (redis: Redis, prefix: string): PermitStore => ({
  async take(wants, refunds) {
    const named = <T extends { readonly key: string }>(all: readonly T[]): T[] =>
      all.map((each) => ({ ...each, key: `${prefix}${each.key}` }))
    return permitAnswer(await redis.run(PERMITS_SCRIPT, ...permitArguments([named(wants), named(refunds)])))
  },
  up: redis.up,
  close: redis.close,
})
