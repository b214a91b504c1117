// The examples of a tool, and the changes to them.
import { useQuery } from '@tanstack/react-query'
import type { ToolDetail, ToolExample } from '#contract'
import { api } from '../../../api/api.ts'
import { t } from '../../../language/language.ts'
import { useChanges } from '../../../ui/use-records.ts'
import type { Arguments } from '../../../ui/without-secrets.ts'

export type ExampleDraft = { readonly label: string; readonly args: Arguments; readonly force: boolean }

export function useExampleChanges({ client, tool }: Pick<ToolDetail, 'client' | 'tool'>) {
  const { run } = useChanges('tools')
  const params = { name: client, tool }
  const one = ({ id }: ToolExample) => ({ ...params, id: String(id) })
  const create = ({ label, args, force }: ExampleDraft) =>
    api.toolExamples.create({ params, body: { label, args: { ...args }, force } })
  const change = (example: ToolExample, { label, args }: Omit<ExampleDraft, 'force'>) =>
    api.toolExamples.update({ params: one(example), body: { label, args: { ...args } } })
  const remove = (example: ToolExample) => api.toolExamples.delete({ params: one(example) })
  return {
    create: (draft: ExampleDraft) =>
      run(create(draft), ({ label }) => t('“{label}” is an example now', { label }), remove),
    update: (example: ToolExample, next: Omit<ExampleDraft, 'force'>) =>
      run(change(example, next), t('“{label}” was changed', { label: next.label }), () => change(example, example)),
    // It was stored before, even if the tool refuses it now.
    remove: (example: ToolExample) =>
      run(remove(example), t('“{label}” was removed', { label: example.label }), () =>
        create({ ...example, force: true }),
      ),
  }
}

/** The limit of examples per tool. */
const ALL = '50'

/** All examples of a tool. */
export const useExamples = ({ client, tool }: Pick<ToolDetail, 'client' | 'tool'>, wanted = true) =>
  useQuery({
    queryKey: ['tools', 'examples', client, tool],
    queryFn: () => api.toolExamples.list({ params: { name: client, tool }, query: { limit: ALL } }),
    enabled: wanted,
  })
