// An audit action with a dot for created, removed or changed.
import { Dot, type Tone } from '../../ui/Badge.tsx'

const TAKES = /delete|revoke|purge|clear|failed|reject|teardown|evict|disable|expire|stop|remove|lose/
const MAKES = /create|register|enable|approve|restore|start|bootstrap|add|acquire/

export function toneOfAction(action: string): Tone {
  const verb = action.slice(action.indexOf('.') + 1)
  return TAKES.test(verb) ? 'bad' : MAKES.test(verb) ? 'ok' : 'neutral'
}

export function ActionBadge({ action }: { readonly action: string }) {
  return (
    <span className="inline-flex items-center gap-2 font-mono text-xs">
      <Dot tone={toneOfAction(action)} />
      {action}
    </span>
  )
}
