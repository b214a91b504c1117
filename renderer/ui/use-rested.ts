// A value once it has stayed the same for a moment: what is typed asks the gateway when the typing rests.
import { useEffect, useState } from 'react'

const REST_MS = 200

export function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
