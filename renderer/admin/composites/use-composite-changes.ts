// The changes to composites and to the bundles that list them.
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { recordKind, useRecords } from '../../ui/use-records.ts'

const COMPOSITES = recordKind(api.composites, 'name', {
  keys: ['composites', 'bundles', 'overview'],
  fixed: ['name'],
})

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
        listed
          ? t('{bundle} lists {composite}', { bundle, composite })
          : t('{bundle} no longer lists {composite}', { bundle, composite }),
        () => listIn(bundle, composite, !listed),
      ),
  }
}
