// The state of a backend, and of its breaker if not closed.
import type { ClientSummary } from '#contract'
import { t } from '../../language/language.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'

type State = { readonly tone: Tone; readonly text: string }

export function stateOf({ enabled, live, status }: Pick<ClientSummary, 'enabled' | 'live' | 'status'>): State {
  if (!enabled) return { tone: 'neutral', text: t('Disabled') }
  if (!live) return { tone: 'bad', text: t('Not live') }
  if (status === 'unreachable') return { tone: 'bad', text: t('Unreachable') }
  if (status === 'degraded') return { tone: 'warn', text: t('Degraded') }
  if (status === 'healthy') return { tone: 'ok', text: t('Healthy') }
  return { tone: 'neutral', text: t('Not checked yet') }
}

export function BackendState({ backend }: { readonly backend: ClientSummary }) {
  const { tone, text } = stateOf(backend)
  return (
    <Badge tone={tone} dot>
      {text}
    </Badge>
  )
}

const BREAKERS = {
  closed: { tone: 'neutral', text: t('Closed') },
  open: { tone: 'bad', text: t('Circuit open') },
  half_open: { tone: 'warn', text: t('Circuit half open') },
} as const satisfies Record<string, State>

export function BreakerState({ state }: { readonly state: ClientSummary['circuitBreakerState'] }) {
  if (state === null) return <span className="text-ink-3">–</span>
  const { tone, text } = BREAKERS[state]
  return state === 'closed' ? (
    <span className="text-ink-3">{text}</span>
  ) : (
    <Badge tone={tone} dot>
      {text}
    </Badge>
  )
}

export const KIND_NAMES: Readonly<Record<ClientSummary['kind'], string>> = {
  rest: 'REST',
  graphql: 'GraphQL',
  mcp: 'MCP',
  pcg: t('Editor'),
}
