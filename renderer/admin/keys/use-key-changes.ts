// The changes to keys; each leaves the list true, also when it was refused.
import type { KeyRecord } from '#contract'
import { api } from '../../api/api.ts'
import { useInvalidate } from '../../api/use-invalidate.ts'
import { notifyDone } from '../../ui/notify.ts'

type Input = NonNullable<Parameters<typeof api.mcpKeys.create>[0]['body']>

export function useKeyChanges() {
  const { settled } = useInvalidate('keys', 'overview')
  const paramsOf = ({ id }: Pick<KeyRecord, 'id'>) => ({ params: { id: String(id) } })
  const setEnabled = (key: KeyRecord, enabled: boolean) =>
    settled(api.mcpKeys.update({ ...paramsOf(key), body: { enabled, revision: key.revision } }))
  return {
    create: (body: Input) => settled(api.mcpKeys.create({ body })),
    rotate: (key: KeyRecord, graceMs: number) => settled(api.mcpKeys.rotate({ ...paramsOf(key), body: { graceMs } })),
    async setEnabledWithUndo(key: KeyRecord, enabled: boolean): Promise<void> {
      const changed = await setEnabled(key, enabled)
      notifyDone(`“${key.label}” switched ${enabled ? 'on' : 'off'}`, () => setEnabled(changed, !enabled))
    },
    async revoke(key: KeyRecord): Promise<void> {
      await settled(api.mcpKeys.revoke({ ...paramsOf(key), body: {} }))
      notifyDone(`“${key.label}” was revoked`)
    },
    async remove(key: KeyRecord): Promise<void> {
      await settled(api.mcpKeys.delete(paramsOf(key)))
      notifyDone(`“${key.label}” was deleted`)
    },
  }
}
