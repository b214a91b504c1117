// The changes to keys.
import type { KeyRecord } from '#contract'
import { api } from '../../api/api.ts'
import { useChanges } from '../../api/use-records.ts'

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
      run(
        api.mcpKeys.update({ ...paramsOf(key), body: { ...body, revision: key.revision } }),
        ({ label }) => `“${label}” was changed`,
      ),
    rotate: (key: KeyRecord, graceMs: number) => settled(api.mcpKeys.rotate({ ...paramsOf(key), body: { graceMs } })),
    setEnabled: (key: KeyRecord, enabled: boolean) =>
      run(setEnabled(key, enabled), `“${key.label}” switched ${enabled ? 'on' : 'off'}`, (now) =>
        setEnabled(now, !enabled),
      ),
    revoke: (key: KeyRecord) => run(api.mcpKeys.revoke({ ...paramsOf(key), body: {} }), `“${key.label}” was revoked`),
    remove: (key: KeyRecord) => run(api.mcpKeys.delete(paramsOf(key)), `“${key.label}” was deleted`),
  }
}
