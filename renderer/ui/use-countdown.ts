// Counts a waiting time down to nothing, from the moment it was set.
import { useEffect, useState } from 'react'

export function useCountdown(waitMs: number | undefined, startedAtMs: number): number {
  const [nowMs, setNowMs] = useState(startedAtMs)
  const untilMs = waitMs === undefined ? 0 : startedAtMs + waitMs
  useEffect(() => {
    if (untilMs <= Date.now()) return undefined
    const timer = setInterval(() => {
      setNowMs(Date.now())
      if (Date.now() >= untilMs) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [untilMs])
  const leftMs = Math.max(0, untilMs - Math.max(nowMs, startedAtMs))
  return Math.ceil(leftMs / 1000) * 1000
}
