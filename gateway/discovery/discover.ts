// One door for all sources: each kind is loaded when it is asked for.
import { forgetDescriptions } from './described.ts'
import { isRecord } from './record.ts'
import type { Discovery } from './tool.ts'

export type Source =
  | {
      readonly kind: 'openapi'
      readonly text: string
      readonly documentUrl?: string
      /** Documents that it refers to, by address. */
      readonly documents?: Readonly<Record<string, string>>
      readonly includeTags?: readonly string[]
      readonly excludeOperations?: readonly string[]
    }
  | { readonly kind: 'graphql'; readonly text: string; readonly includeMutations: boolean }
  | { readonly kind: 'collection'; readonly collection: unknown }
  /** Each entry as JSON: a long list is handed to another thread as text at a fraction of the cost. */
  | { readonly kind: 'mcp'; readonly entries: readonly string[]; readonly mayBeEmpty: boolean }
  | { readonly kind: 'curl'; readonly command: string }
  | { readonly kind: 'manual'; readonly tools: unknown }

export type DiscoveryLimits = {
  readonly maxTools: number
  readonly graphqlMaxTypes: number
  readonly graphqlSelectionMaxDepth: number
  readonly graphqlInputMaxDepth: number
}

export async function discover(source: Source, limits: DiscoveryLimits): Promise<Discovery> {
  try {
    return await read(source, limits)
  } finally {
    forgetDescriptions()
  }
}

async function read(source: Source, limits: DiscoveryLimits): Promise<Discovery> {
  const { maxTools } = limits
  switch (source.kind) {
    case 'openapi': {
      const [{ parseText }, { discoverOpenapi }] = await Promise.all([import('./parse.ts'), import('./openapi.ts')])
      const { text, kind: _kind, ...options } = source
      return discoverOpenapi(parseText(text).value, { ...options, maxTools })
    }
    case 'graphql': {
      const [{ parseText }, { discoverGraphql }] = await Promise.all([import('./parse.ts'), import('./graphql.ts')])
      const { value } = parseText(source.text)
      return discoverGraphql(isRecord(value) ? value : {}, {
        includeMutations: source.includeMutations,
        maxTypes: limits.graphqlMaxTypes,
        selectionMaxDepth: limits.graphqlSelectionMaxDepth,
        inputMaxDepth: limits.graphqlInputMaxDepth,
        maxTools,
      })
    }
    case 'collection':
      return (await import('./collection.ts')).discoverCollection(source.collection, maxTools)
    case 'mcp':
      return (await import('./mcp.ts')).discoverMcp(
        source.entries.map((entry) => JSON.parse(entry) as unknown),
        maxTools,
        source.mayBeEmpty,
      )
    case 'curl':
      return (await import('./curl.ts')).discoverCurl(source.command)
    case 'manual':
      return (await import('./manual.ts')).discoverManual(source.tools, maxTools)
  }
}
