// A backend and a tool as in the registry, without configuration.
import type { Backend, Tool } from './backend.ts'

const AT = '2026-01-01T00:00:00.000Z'

export const someBackend = (given: Pick<Backend, 'name' | 'baseUrl' | 'pins'> & Partial<Backend>): Backend => ({
  id: 1,
  kind: 'rest',
  source: 'manual',
  input: 'tools',
  enabled: true,
  description: null,
  registration: null,
  healthUrl: null,
  pinnedAt: null,
  credentialOrigins: null,
  identity: null,
  guards: null,
  canary: null,
  lb: null,
  tags: [],
  teamId: null,
  tools: new Map(),
  discoveredAt: AT,
  revision: 1,
  createdAt: AT,
  updatedAt: AT,
  createdBy: null,
  ...given,
})

export const someTool = (
  given: Pick<Tool, 'name' | 'client'> & Partial<Tool>,
  definition: Partial<Tool['definition']> = {},
): Tool => ({
  id: 1,
  sourceName: given.name,
  definition: {
    name: given.name,
    sourceName: given.name,
    description: `About ${given.name}`,
    inputSchema: { type: 'object', properties: {} },
    places: {},
    ...definition,
  },
  config: {},
  tags: [],
  schemaHash: '',
  missingSince: null,
  revision: 1,
  updatedAt: AT,
  ...given,
})
