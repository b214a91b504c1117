// The changes to bundles.
import { api } from '../../api/api.ts'
import { recordKind, useRecords } from '../../ui/use-records.ts'

const BUNDLES = recordKind(api.bundles, 'name', {
  keys: ['bundles', 'overview'],
  fixed: ['name'],
})

export function useBundleChanges() {
  const records = useRecords(BUNDLES)
  return {
    ...records,
    clone: (from: string, name: string) =>
      records.settled(api.bundles.clone({ params: { name: from }, body: { name } })),
  }
}
