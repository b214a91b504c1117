// The changes to composites and to the bundles that list them.
import type { CompositeDetail, CompositeInput } from '#contract'
import { api } from '../../api/api.ts'
import { type RecordKind, useRecords } from '../../api/use-records.ts'

const COMPOSITES: RecordKind<CompositeDetail, CompositeInput> = {
  keys: ['composites', 'bundles', 'overview'],
  nameOf: ({ name }) => name,
  create: (body) => api.composites.create({ body }),
  // The name of a composite stays.
  update: ({ name, revision }, { name: _name, ...change }) =>
    api.composites.update({ params: { name }, body: { ...change, revision } }),
  remove: ({ name, revision }) => api.composites.delete({ params: { name }, ifMatch: revision }),
}

async function listIn(bundle: string, composite: string, listed: boolean): Promise<void> {
  const { composites, revision } = await api.bundles.get({ params: { name: bundle } })
  const others = composites.filter((each) => each !== composite)
  await api.bundles.update({
    params: { name: bundle },
    body: { composites: listed ? [...others, composite] : others, revision },
  })
}

export function useCompositeChanges() {
  const records = useRecords(COMPOSITES)
  return {
    ...records,
    list: (bundle: string, composite: string, listed: boolean) =>
      records.run(
        listIn(bundle, composite, listed),
        `${bundle} ${listed ? 'lists' : 'no longer lists'} ${composite}`,
        () => listIn(bundle, composite, !listed),
      ),
  }
}
