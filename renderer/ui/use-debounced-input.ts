// A text input that writes its value 250 ms after the last key, and follows changes of that value from elsewhere.
import { useEffect, useEffectEvent, useState } from 'react'

const REST_MS = 250

export function useDebouncedInput(value: string, onChange: (value: string) => void) {
  const [draft, setDraft] = useState(value)
  const [known, setKnown] = useState(value)
  const [written, setWritten] = useState(value)
  if (known !== value) {
    setKnown(value)
    // The own writing comes back late, when more may have been typed: only a change from elsewhere is taken over.
    if (value !== written) setDraft(value)
  }
  const write = useEffectEvent((next: string) => {
    setWritten(next)
    onChange(next)
  })
  useEffect(() => {
    if (draft.trim() === value) return undefined
    const timer = setTimeout(() => write(draft.trim()), REST_MS)
    return () => clearTimeout(timer)
  }, [draft, value])
  return [draft, setDraft] as const
}
