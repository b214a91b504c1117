// The changes to composites and to the bundles that list them; each leaves lists and details true, also when it was refused.
import type { CompositeDetail } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

type Change = NonNullable<Parameters<typeof api.composites.update>[0]['body']>
type Revised = Pick<CompositeDetail, 'name' | 'revision'>

export function useCompositeChanges() {
  const { settled } = useInvalidate('composites', 'bundles', 'overview')
  const update = ({ name, revision }: Revised, change: Change) =>
    settled(api.composites.update({ params: { name }, body: { ...change, revision } }))

  async function listIn(bundle: string, composite: string, listed: boolean): Promise<void> {
    const { composites, revision } = await api.bundles.get({ params: { name: bundle } })
    const others = composites.filter((each) => each !== composite)
    await api.bundles.update({
      params: { name: bundle },
      body: { composites: listed ? [...others, composite] : others, revision },
    })
  }

  return {
    update,
    create: (body: NonNullable<Parameters<typeof api.composites.create>[0]['body']>) =>
      settled(api.composites.create({ body })),
    async setEnabledWithUndo(composite: Revised, enabled: boolean): Promise<void> {
      const changed = await update(composite, { enabled })
      notifyDone(`${composite.name} ${enabled ? 'enabled' : 'disabled'}`, () => update(changed, { enabled: !enabled }))
    },
    async remove({ name, revision }: Revised): Promise<void> {
      await settled(api.composites.delete({ params: { name }, ifMatch: revision }))
      notifyDone(`${name} was deleted`)
    },
    async list(bundle: string, composite: string, listed: boolean): Promise<void> {
      await settled(listIn(bundle, composite, listed))
      notifyDone(`${bundle} ${listed ? 'lists' : 'no longer lists'} ${composite}`, () =>
        settled(listIn(bundle, composite, !listed)),
      )
    },
  }
}
