// The changes to keys.
import type { KeyRecord } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { useChanges } from '../../ui/use-records.ts'

type Input = NonNullable<Parameters<typeof api.mcpKeys.create>[0]['body']>
type Change = NonNullable<Parameters<typeof api.mcpKeys.update>[0]['body']>

export function useKeyChanges() {
  const { run, settled } = useChanges('keys', 'overview')
  const paramsOf = ({ id }: Pick<KeyRecord, 'id'>) => ({ params: { id: String(id) } })
  const setEnabled = (key: KeyRecord, enabled: boolean) =>
    api.mcpKeys.update({ ...paramsOf(key), body: { enabled, revision: key.revision } })
  return {
    create: (body: Input) => settled(api.mcpKeys.create({ body })),
    change: (key: KeyRecord, body: Change) =>
      run(api.mcpKeys.update({ ...paramsOf(key), body: { ...body, revision: key.revision } }), ({ label }) =>
        t('“{label}” was changed', { label }),
      ),
    rotate: (key: KeyRecord, graceMs: number) => settled(api.mcpKeys.rotate({ ...paramsOf(key), body: { graceMs } })),
    setEnabled: (key: KeyRecord, enabled: boolean) =>
      run(
        setEnabled(key, enabled),
        enabled ? t('“{label}” switched on', { label: key.label }) : t('“{label}” switched off', { label: key.label }),
        (now) => setEnabled(now, !enabled),
      ),
    revoke: (key: KeyRecord) =>
      run(api.mcpKeys.revoke({ ...paramsOf(key), body: {} }), t('“{label}” was revoked', { label: key.label })),
    remove: (key: KeyRecord) =>
      run(api.mcpKeys.delete(paramsOf(key)), t('“{label}” was deleted', { label: key.label })),
  }
}
