// Labels and actions for an agent's state. Pure.
import type { AgentChange, AgentConnection, AgentPlan, AgentStatus } from '#contract'
import { t } from '../../language/language.ts'
import type { Tone } from '../../ui/Badge.tsx'

type Words = { readonly tone: Tone; readonly label: string; readonly about: string | null }

const STATES: Readonly<Record<Exclude<AgentConnection['state'], 'connected'>, Words>> = {
  'old-address': { tone: 'warn', label: t('Old address'), about: t('It uses the gateway’s previous address.') },
  'no-key': {
    tone: 'bad',
    label: t('No working key'),
    about: t('Its key is unknown or revoked. Disconnect it, then connect it again.'),
  },
  foreign: { tone: 'neutral', label: t('Another gateway'), about: t('It points to another gateway.') },
}

/** Connected means that the key was used. */
export function wordsOf({ state, lastUsedAt }: AgentConnection, { restart }: AgentStatus): Words {
  if (state !== 'connected') return STATES[state]
  return lastUsedAt === null
    ? { tone: 'info', label: t('Waiting for a first call'), about: restart }
    : { tone: 'ok', label: t('Connected'), about: null }
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
  connect: { title: t('Connect'), submit: t('Connect'), done: t('is connected') },
  move: { title: t('Give the new address to'), submit: t('Change the address'), done: t('has the new address') },
  disconnect: { title: t('Disconnect'), submit: t('Disconnect'), done: t('is disconnected; its key is revoked') },
} as const

export const deedOf = (change: AgentChange['do']): (typeof DEEDS)[AgentChange['do']] => DEEDS[change]

/** Found ones first, each group in table order. */
export const inOrder = (agents: readonly AgentStatus[]): readonly AgentStatus[] => [
  ...agents.filter(isThere),
  ...agents.filter((agent) => !isThere(agent)),
]
export const isThere = ({ installed, connections }: AgentStatus): boolean => installed || connections.length > 0
