// The examples of a tool, and the changes to them, with the way back.
import { useQuery } from '@tanstack/react-query'
import type { ToolDetail, ToolExample } from '#contract'
import { api } from '../../../api/api.ts'
import { useInvalidate } from '../../../api/use-invalidate.ts'
import { notifyDone } from '../../../ui/notify.ts'
import type { ExampleDraft } from './ExampleDialog.tsx'

export function useExampleChanges({ client, tool }: Pick<ToolDetail, 'client' | 'tool'>) {
  const { settled } = useInvalidate('tools')
  const params = { name: client, tool }
  const one = ({ id }: ToolExample) => ({ ...params, id: String(id) })
  const create = ({ label, args, force }: ExampleDraft) =>
    settled(api.toolExamples.create({ params, body: { label, args: { ...args }, force } }))
  const change = (example: ToolExample, { label, args }: Omit<ExampleDraft, 'force'>) =>
    settled(api.toolExamples.update({ params: one(example), body: { label, args: { ...args } } }))
  const remove = (example: ToolExample) => settled(api.toolExamples.delete({ params: one(example) }))
  return {
    async create(draft: ExampleDraft): Promise<void> {
      const made = await create(draft)
      notifyDone(`“${made.label}” is an example now`, () => remove(made))
    },
    async update(example: ToolExample, next: Omit<ExampleDraft, 'force'>): Promise<void> {
      await change(example, next)
      notifyDone(`“${next.label}” was changed`, () => change(example, example))
    },
    async remove(example: ToolExample): Promise<void> {
      await remove(example)
      // It was kept once, whatever the tool would say to it by now.
      notifyDone(`“${example.label}” was removed`, () => create({ ...example, force: true }))
    },
  }
}

/** As many as a tool may have. */
const ALL = '50'

/** All of a tool, for whoever wants them now. */
export const useExamples = ({ client, tool }: Pick<ToolDetail, 'client' | 'tool'>, wanted = true) =>
  useQuery({
    queryKey: ['tools', 'examples', client, tool],
    queryFn: () => api.toolExamples.list({ params: { name: client, tool }, query: { limit: ALL } }),
    enabled: wanted,
  })
