// The agents of this computer, for the window: connected through the admin API of our own gateway.
import { type AgentsAnswer, type AgentsAsk, API, ApiError, createClient } from '#contract'
import { AgentFault, type Connections, createConnections, type Machine, VERSION } from '#gateway-shell'
import type { Services } from './services.ts'

type Parts = {
  readonly services: Pick<Services, 'adminRequest' | 'status'>
  readonly machine: Machine
  /** For backups and the bridge. */
  readonly folder: string
  /** The text of the bridge program. */
  readonly bridge: () => string
}

export type AskAgents = (asked: AgentsAsk) => Promise<AgentsAnswer>

export function createAgents({ services, machine, folder, bridge }: Parts): AskAgents {
  const api = createClient(API, services.adminRequest)
  const address = (): string | null => services.status().url
  const connections = createConnections({ api, machine, address, folder, bridge })
  return async (asked) => {
    try {
      return await answerOf(connections, asked)
    } catch (error) {
      if (error instanceof AgentFault)
        return { answer: 'fault', code: error.code, message: error.message, requestId: '' }
      if (error instanceof ApiError)
        return { answer: 'fault', code: error.code, message: error.message, requestId: error.requestId }
      throw error
    }
  }
}

async function answerOf(connections: Connections, asked: AgentsAsk): Promise<AgentsAnswer> {
  switch (asked.ask) {
    case 'list':
      return { answer: 'list', agents: await connections.list() }
    case 'plan':
      return { answer: 'plan', plan: await connections.plan(asked.change) }
    case 'apply':
      return { answer: 'apply', ...(await connections.apply(asked.change, asked.version)) }
    case 'undo':
      await connections.undo(asked.ticket)
      return { answer: 'undo' }
    case 'extension':
      return { answer: 'extension', ...(await connections.extension(asked.name, asked.target, VERSION)) }
  }
}
