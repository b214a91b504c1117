// The calls as they happen, gathered so that a busy gateway draws a few times a second and not for each call.
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTopic } from '../../api/live.ts'
import { callOf, droppedOf, KEPT, type LiveCall, withNewest } from './tail.ts'

const GATHER_MS = 250

export type LiveCalls = {
  readonly calls: readonly LiveCall[]
  /** Came while paused. */
  readonly waiting: number
  readonly dropped: number
  readonly clear: () => void
}

export function useLiveCalls(paused: boolean): LiveCalls {
  const [calls, setCalls] = useState<readonly LiveCall[]>([])
  const [waiting, setWaiting] = useState(0)
  const [dropped, setDropped] = useState(0)
  const fresh = useRef<LiveCall[]>([])
  const came = useRef(0)
  const next = useRef(0)
  const flush = useEffectEvent(() => {
    if (fresh.current.length === 0) return
    if (paused) {
      setWaiting(came.current)
      return
    }
    const gathered = fresh.current.splice(0)
    came.current = 0
    setWaiting(0)
    setCalls((before) => withNewest(before, gathered))
  })
  useEffect(() => {
    const timer = setInterval(flush, GATHER_MS)
    return () => clearInterval(timer)
  }, [])
  useTopic('calls', ({ data }) => {
    next.current += 1
    const call = callOf(data, next.current)
    if (call) {
      came.current += 1
      fresh.current.push(call)
      // A list that stays paused must not grow for ever; the oldest would not be kept either.
      if (fresh.current.length > KEPT) fresh.current.shift()
    }
    const left = droppedOf(data)
    if (left > 0) setDropped((before) => before + left)
  })
  return {
    calls,
    waiting,
    dropped,
    clear: () => {
      fresh.current = []
      came.current = 0
      setCalls([])
      setWaiting(0)
      setDropped(0)
    },
  }
}
