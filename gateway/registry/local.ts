// A backend inside the process, in the shape of every other backend: no address, no health loop, the same guards.
import type { Backend, LocalBackend, Tool } from './backend.ts'
import { schemaHash } from './tool-diff.ts'

export function localSnapshot(local: LocalBackend, at: string): Backend {
  const tools = local.tools.map(
    (tool, index): Tool => ({
      // Ids of stored tools are positive; these need only differ among themselves.
      id: -1 - index,
      client: local.name,
      name: tool.name,
      sourceName: tool.name,
      definition: {
        name: tool.name,
        sourceName: tool.name,
        title: tool.title,
        description: tool.description,
        inputSchema: tool.inputSchema,
        places: {},
        annotations: tool.annotations,
      },
      config: {},
      tags: [],
      schemaHash: schemaHash(tool.inputSchema),
      missingSince: null,
      revision: 1,
      updatedAt: at,
    }),
  )
  return {
    id: 0,
    name: local.name,
    kind: 'pcg',
    source: 'manual',
    input: null,
    enabled: true,
    description: local.description,
    registration: null,
    baseUrl: `gantry://${local.name}`,
    healthUrl: null,
    pins: null,
    pinnedAt: null,
    guards: null,
    tags: [],
    teamId: null,
    tools: new Map(tools.sort((a, b) => (a.name < b.name ? -1 : 1)).map((tool) => [tool.name, tool])),
    discoveredAt: at,
    revision: 1,
    createdAt: at,
    updatedAt: at,
    createdBy: 'system',
  }
}
