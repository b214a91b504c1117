// What a person asked for is in view when it arrives: the panel is often shorter than its results.
import { type RefObject, useEffect, useRef } from 'react'

export function useIntoView<T extends HTMLElement>(result: unknown): RefObject<T | null> {
  const at = useRef<T>(null)
  useEffect(() => {
    if (result !== undefined) at.current?.scrollIntoView({ block: 'nearest' })
  }, [result])
  return at
}
