// Whether a tool lists the schema of its results: only where its results are what its source says. Amendment 14.
import type { JsonSchema } from '../discovery/tool.ts'
import type { Tool, ToolConfig } from '../registry/backend.ts'

/** Features that make another result of an answer. */
const CHANGING = ['mock', 'contextBudget', 'pagination', 'streaming', 'graphql', 'ws'] as const

function changesResults({ redactPaths, transform, ...config }: ToolConfig): boolean {
  if ((redactPaths?.length ?? 0) > 0) return true
  if (transform?.enabled && (transform.response?.length ?? 0) > 0) return true
  return CHANGING.some((name) => {
    const feature = config[name]
    return feature !== undefined && (!('enabled' in feature) || feature.enabled)
  })
}

/** `structured`: results of HTTP backends hold `structuredContent`. */
export function outputSchemaOf({ definition, config }: Tool, structured: boolean): JsonSchema | undefined {
  if (changesResults(config)) return undefined
  const { outputSchema, resultSchema } = definition
  if (resultSchema === undefined || !structured || config.listOutputSchema !== true) return outputSchema
  return JSON.parse(resultSchema) as JsonSchema // written by discovery
}
