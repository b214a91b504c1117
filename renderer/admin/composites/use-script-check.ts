// The problems, types and limits of a script as it is typed.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CheckInput, mayUse } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { isRecord } from '../../ui/form/shape.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { type CompositeDraft, jsonIn } from './draft.ts'

const NO_INPUT = { type: 'object', properties: {} }

const schemaIn = (text: string): Record<string, unknown> | undefined => {
  const found = jsonIn(text)?.value
  return isRecord(found) && found.type === 'object' ? { ...found } : undefined
}

export function useScriptCheck({ script, inputSchema, outputSchema, steps }: CompositeDraft) {
  const operates = mayUse(useActor(), 'operator')
  const tools = steps.filter(({ tool }) => tool !== '')
  const body: CheckInput = {
    source: script ?? '',
    inputSchema: schemaIn(inputSchema) ?? NO_INPUT,
    outputSchema: outputSchema === null ? null : (schemaIn(outputSchema) ?? null),
    tools: tools.map(({ client, tool }) => ({ targetClient: client, targetTool: tool })),
  }
  // As text, it is the same while nothing is typed.
  const given = useDebounced(JSON.stringify(body))
  return useQuery({
    queryKey: ['composites', 'check', given],
    queryFn: () => api.composites.check({ body: JSON.parse(given) as CheckInput }), // written above
    enabled: operates && body.source !== '',
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  })
}
export type ScriptChecked = ReturnType<typeof useScriptCheck>
