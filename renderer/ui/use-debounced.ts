// Debounces a value: a search starts 200 ms after the last key.
import { useEffect, useState } from 'react'

const REST_MS = 200

export function useDebounced<T>(value: T): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
