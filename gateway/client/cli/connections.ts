// Connections of people to backends on the command line: who is connected, and how to end it.
import { type Command, table } from './command.ts'

export const CONNECTIONS: readonly Command[] = [
  {
    name: 'connection list',
    summary: 'List the connections of people to a backend',
    args: ['name'],
    async run({ api, tell, arg }) {
      const { items } = await api.identity.clientConnections({ params: { name: arg(0) } })
      tell(items, table(items, ['id', 'person', 'state', 'issuer', 'expiresAt', 'lastError']))
    },
  },
  {
    name: 'connection revoke',
    summary: 'End the connection of a person to a backend, here and at its provider',
    args: ['name', 'id'],
    async run({ api, tell, arg }) {
      await api.identity.revokeConnection({ params: { name: arg(0), id: arg(1) } })
      tell({ revoked: Number(arg(1)) }, `connection ${arg(1)} is revoked`)
    },
  },
]
