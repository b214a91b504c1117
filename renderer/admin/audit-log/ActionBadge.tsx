// An audit action, coloured by what it does to things.
import { Badge, type Tone } from '../../ui/Badge.tsx'

const DESTROYS = /(delete|revoke|purge|clear|failed|reject|teardown|evict|disable|expire|stop)/
const MAKES = /(create|register|enable|approve|restore|start|bootstrap)/

export function toneOfAction(action: string): Tone {
  const verb = action.slice(action.indexOf('.') + 1)
  return DESTROYS.test(verb) ? 'bad' : MAKES.test(verb) ? 'ok' : 'neutral'
}

export function ActionBadge({ action }: { readonly action: string }) {
  return (
    <Badge tone={toneOfAction(action)} className="font-mono">
      {action}
    </Badge>
  )
}
