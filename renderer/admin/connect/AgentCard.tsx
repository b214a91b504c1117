// An agent: its connections and actions.
import { Plug } from 'lucide-react'
import type { AgentConnection, AgentStatus } from '#contract'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { isMovable, isOurs, wordsOf } from './agent-words.ts'
import type { Wanted } from './ChangeDialog.tsx'

type Actions = { readonly onChange: (wanted: Wanted) => void; readonly onExtension: () => void }

export function AgentCard({ agent, onChange, onExtension }: { readonly agent: AgentStatus } & Actions) {
  const { label, file, problem, connections, bridged } = agent
  return (
    <section aria-label={label} className="card">
      <div className="flex items-center gap-3 px-5 py-3">
        <div className="min-w-0 grow">
          <h2 className="text-sm font-semibold">{label}</h2>
          <p className="truncate font-mono text-2xs text-ink-3" title={file}>
            {file}
          </p>
        </div>
        {bridged && (
          <Button size="sm" look="quiet" onClick={onExtension}>
            {t('Extension file…')}
          </Button>
        )}
        <Button
          size="sm"
          look={connections.length === 0 ? 'strong' : 'plain'}
          disabled={problem !== null}
          onClick={() => onChange({ do: 'connect', agent })}
        >
          <Plug />
          {connections.length === 0 ? t('Connect') : t('Connect to more')}
        </Button>
      </div>
      {problem && <p className="border-t border-line px-5 py-2.5 text-sm text-bad">{problem}</p>}
      {connections.length > 0 && (
        <ul aria-label={t('Connections of {label}', { label })} className="border-t border-line">
          {connections.map((connection) => (
            <Row key={connection.name} agent={agent} connection={connection} onChange={onChange} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Row({
  agent,
  connection,
  onChange,
}: {
  readonly agent: AgentStatus
  readonly connection: AgentConnection
  readonly onChange: (wanted: Wanted) => void
}) {
  const { name, target, lastUsedAt } = connection
  const { tone, label, about } = wordsOf(connection, agent)
  return (
    <li aria-label={name} className="flex items-center gap-3 border-line px-5 py-2.5 not-first:border-t">
      <div className="min-w-0 grow">
        <p className="flex items-center gap-2 text-sm">
          <span className="truncate font-medium">{name}</span>
          <Badge tone={tone} dot>
            {label}
          </Badge>
        </p>
        <p className="mt-0.5 text-xs text-ink-2">
          {target.scope === 'bundle'
            ? t('Bundle {name}', { name: target.name })
            : t('Backend {name}', { name: target.name })}
          {lastUsedAt && <> · {rich('last call {time}', { time: <RelativeTime at={lastUsedAt} /> })}</>}
          {about && <> · {about}</>}
        </p>
      </div>
      {isMovable(connection) && (
        <Button size="sm" look="strong" onClick={() => onChange({ do: 'move', agent, name })}>
          {t('Change the address')}
        </Button>
      )}
      {isOurs(connection) && (
        <Button size="sm" look="quiet-danger" onClick={() => onChange({ do: 'disconnect', agent, name })}>
          {t('Disconnect')}
        </Button>
      )}
    </li>
  )
}
