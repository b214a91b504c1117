// Whether a change is under way, for controls that send a whole record: the next change waits for its answer.
import { useState } from 'react'
import { notifyError } from './notify.ts'

export function useBusy(): readonly [busy: boolean, during: (work: Promise<unknown>) => void] {
  const [busy, setBusy] = useState(false)
  const during = async (work: Promise<unknown>): Promise<void> => {
    setBusy(true)
    await work.catch(notifyError)
    setBusy(false)
  }
  return [busy, (work) => void during(work)]
}
