// Keys of the inbox: next and previous ticket, approve, deny.
import { ArrowDown, ArrowUp, Check, X } from 'lucide-react'
import { useEffect } from 'react'
import type { Action } from '../../shell/actions.ts'
import { usePageActions } from '../../shell/page-actions.ts'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import type { Deciding } from './DecideDialog.tsx'

export function useTicketKeys(
  step: (by: 1 | -1) => void,
  decide: ((verb: Deciding['verb']) => void) | undefined,
): void {
  const actions: readonly Action[] = [
    { title: 'Next ticket', icon: ArrowDown, keys: 'j', run: () => step(1) },
    { title: 'Previous ticket', icon: ArrowUp, keys: 'k', run: () => step(-1) },
    ...(decide
      ? [
          { title: 'Approve the open ticket', icon: Check, keys: 'a', run: () => decide('approve') },
          { title: 'Deny the open ticket', icon: X, keys: 'd', run: () => decide('reject') },
        ]
      : []),
  ]
  useShortcuts(actions)
  useEffect(() => {
    usePageActions.setState({ title: 'Approvals', actions })
  })
  useEffect(() => () => usePageActions.setState({ title: '', actions: [] }), [])
}
