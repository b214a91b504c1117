// The changes to bundles; each leaves lists and details true, also when it was refused.
import type { BundleDetail } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

type Change = NonNullable<Parameters<typeof api.bundles.update>[0]['body']>
type Revised = Pick<BundleDetail, 'name' | 'revision'>

export function useBundleChanges() {
  const { settled } = useInvalidate('bundles', 'overview')
  const update = ({ name, revision }: Revised, change: Change) =>
    settled(api.bundles.update({ params: { name }, body: { ...change, revision } }))
  return {
    update,
    async setEnabledWithUndo(bundle: Revised, enabled: boolean): Promise<void> {
      const changed = await update(bundle, { enabled })
      notifyDone(`${bundle.name} ${enabled ? 'enabled' : 'disabled'}`, () => update(changed, { enabled: !enabled }))
    },
    create: (name: string, description: string) =>
      settled(api.bundles.create({ body: { name, tools: [], ...(description ? { description } : {}) } })),
    clone: (from: string, name: string) => settled(api.bundles.clone({ params: { name: from }, body: { name } })),
    async remove(name: string): Promise<void> {
      await settled(api.bundles.delete({ params: { name } }))
      notifyDone(`${name} was deleted`)
    },
  }
}
