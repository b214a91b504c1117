// The tools that the steps of a composite call: input schemas for their forms, output schemas for references.
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import type { StepDraft } from './draft.ts'

const toolOf = ({ client, tool }: Pick<StepDraft, 'client' | 'tool'>) =>
  queryOptions({
    queryKey: ['tools', 'one', client, tool],
    queryFn: () => api.tools.get({ params: { name: client, tool } }),
    enabled: tool !== '',
  })

export const useStepTool = (step: StepDraft) => useQuery(toolOf(step))
export type StepTool = NonNullable<ReturnType<typeof useStepTool>['data']>

/** The output schema of a step's tool, once it is known. */
export function useOutputSchemas(steps: readonly StepDraft[]): (step: StepDraft) => unknown {
  const schemas = new Map(steps.map((step) => [`${step.client}__${step.tool}`, step]))
  const found = useQueries({
    queries: [...schemas.values()].map(toolOf),
    combine: (results) => results.map(({ data }) => data?.outputSchema),
  })
  const byTool = new Map([...schemas.keys()].map((key, at) => [key, found[at]]))
  return ({ client, tool }) => byTool.get(`${client}__${tool}`)
}
