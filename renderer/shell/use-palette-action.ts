// Runs a palette choice: opens the record, or applies the verb.
import { useNavigate } from '@tanstack/react-router'
import { useBackendChanges } from '../admin/backends/use-backend-changes.ts'
import { useActor } from '../api/session.ts'
import { notifyError } from '../ui/notify.ts'
import type { PaletteRecord } from './palette-records.ts'
import type { Verb } from './palette-verbs.ts'
import { noteRecent, type Recent } from './recent.ts'

export function usePaletteAction(): (record: PaletteRecord | Recent, verb?: Verb) => void {
  const navigate = useNavigate()
  const user = useActor().name
  const changes = useBackendChanges()
  const go = (to: string): void => {
    const { pathname, searchParams } = new URL(to, 'http://page')
    void navigate({ to: pathname, search: Object.fromEntries(searchParams) })
  }
  return ({ kind, name, to }, verb) => {
    const done = (work: Promise<unknown>): void => void work.catch(notifyError)
    switch (verb?.word) {
      case undefined:
        noteRecent({ user, kind, name, to })
        return go(to)
      case 'disable':
        return done(changes.setEnabledWithUndo([name], false))
      case 'enable':
        return done(changes.setEnabledWithUndo([name], true))
      case 'reset':
        return done(changes.resetBreaker({ name }))
      case 'check':
        return done(changes.checkHealth({ name }))
      case 'try':
        return go(`${to}?view=run`)
      case 'diagnose':
        return go(`${to}?view=diagnosis`)
      case 'connect':
        return go(`/connect?${new URLSearchParams({ to: `bundle:${name}` })}`)
    }
  }
}
