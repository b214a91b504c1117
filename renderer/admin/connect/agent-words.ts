// Labels and actions for an agent's state. Pure.
import type { AgentChange, AgentConnection, AgentPlan, AgentStatus } from '#contract'
import type { Tone } from '../../ui/Badge.tsx'

type Words = { readonly tone: Tone; readonly label: string; readonly about: string | null }

const STATES: Readonly<Record<Exclude<AgentConnection['state'], 'connected'>, Words>> = {
  'old-address': { tone: 'warn', label: 'Old address', about: 'It uses the gateway’s previous address.' },
  'no-key': {
    tone: 'bad',
    label: 'No working key',
    about: 'Its key is unknown or revoked. Disconnect it, then connect it again.',
  },
  foreign: { tone: 'neutral', label: 'Another gateway', about: 'It points to another gateway.' },
}

/** Connected means that the key was used. */
export function wordsOf({ state, lastUsedAt }: AgentConnection, { restart }: AgentStatus): Words {
  if (state !== 'connected') return STATES[state]
  return lastUsedAt === null
    ? { tone: 'info', label: 'Waiting for a first call', about: restart }
    : { tone: 'ok', label: 'Connected', about: null }
}

export const isMovable = ({ state }: AgentConnection): boolean => state === 'old-address'
/** Entries of other gateways are not removed. */
export const isOurs = ({ state }: AgentConnection): boolean => state !== 'foreign'

/** A connection with the gateway's old address. */
export type Moved = { readonly agent: AgentStatus; readonly name: string }
export const movedIn = (agents: readonly AgentStatus[]): readonly Moved[] =>
  agents.flatMap((agent) => agent.connections.filter(isMovable).map(({ name }) => ({ agent, name })))

/** The changed lines of a plan. */
export const linesOf = ({ diff }: Pick<AgentPlan, 'diff'>): string =>
  JSON.stringify(diff.filter(({ kind }) => kind !== 'same'))

const DEEDS = {
  connect: { title: 'Connect', submit: 'Connect', done: 'is connected' },
  move: { title: 'Give the new address to', submit: 'Change the address', done: 'has the new address' },
  disconnect: { title: 'Disconnect', submit: 'Disconnect', done: 'is disconnected; its key is revoked' },
} as const

export const deedOf = (change: AgentChange['do']): (typeof DEEDS)[AgentChange['do']] => DEEDS[change]

/** Found ones first, each group in table order. */
export const inOrder = (agents: readonly AgentStatus[]): readonly AgentStatus[] => [
  ...agents.filter(isThere),
  ...agents.filter((agent) => !isThere(agent)),
]
export const isThere = ({ installed, connections }: AgentStatus): boolean => installed || connections.length > 0
