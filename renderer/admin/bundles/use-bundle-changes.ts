// The changes to bundles.
import type { BundleDetail } from '#contract'
import { api } from '../../api/api.ts'
import { type RecordKind, useRecords } from '../../api/use-records.ts'

type Input = NonNullable<Parameters<typeof api.bundles.create>[0]['body']>

const BUNDLES: RecordKind<BundleDetail, Input> = {
  keys: ['bundles', 'overview'],
  nameOf: ({ name }) => name,
  create: (body) => api.bundles.create({ body }),
  // The name of a bundle stays.
  update: ({ name, revision }, { name: _name, ...change }) =>
    api.bundles.update({ params: { name }, body: { ...change, revision } }),
  remove: ({ name }) => api.bundles.delete({ params: { name } }),
}

export function useBundleChanges() {
  const records = useRecords(BUNDLES)
  return {
    ...records,
    clone: (from: string, name: string) =>
      records.settled(api.bundles.clone({ params: { name: from }, body: { name } })),
  }
}
