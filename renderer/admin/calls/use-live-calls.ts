// The newest calls of the log, then live ones, batched so that a busy gateway renders a few times per second.
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { api } from '../../api/api.ts'
import { useTopic } from '../../api/live.ts'
import { callOf, callOfRow, droppedOf, KEPT, type LiveCall, withNewest, withRead } from './tail.ts'

const GATHER_MS = 250
const READ = '200'

export type LiveCalls = {
  readonly calls: readonly LiveCall[]
  /** Arrived while paused. */
  readonly waiting: number
  readonly dropped: number
  /** The log is read again only after a disconnect. */
  readonly read: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>
  readonly clear: () => void
}

export function useLiveCalls(paused: boolean): LiveCalls {
  const [received, setReceived] = useState<readonly LiveCall[]>([])
  const [cleared, setCleared] = useState('')
  const read = useQuery({ queryKey: ['newest-calls'], queryFn: () => api.usage.calls({ query: { limit: READ } }) })
  const calls = useMemo(
    () => withRead(received, (read.data?.items ?? []).map(callOfRow), cleared),
    [received, read.data, cleared],
  )
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
    setReceived((before) => withNewest(before, gathered))
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
      // Limits a paused list; the oldest calls would be dropped anyway.
      if (fresh.current.length > KEPT) fresh.current.shift()
    }
    const left = droppedOf(data)
    if (left > 0) setDropped((before) => before + left)
  })
  return {
    calls,
    waiting,
    dropped,
    read,
    clear: () => {
      setCleared(calls[0]?.at ?? cleared)
      fresh.current = []
      came.current = 0
      setReceived([])
      setWaiting(0)
      setDropped(0)
    },
  }
}
