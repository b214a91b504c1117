// The time of day. It may be set back or forward: durations take `monotonic` instead.
export type Clock = { now(): number }
