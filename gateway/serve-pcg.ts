// The opt-in PCG bridge of the headless server, as a backend of the gateway.
import path from 'node:path'
import type { Loaded, LocalBackend } from '#gateway'

type Settings = Loaded['settings']

export async function localBackends({
  PCG_ENABLED,
  PCG_QUEUE_MAX,
  PCG_CALL_TIMEOUT_MS,
  DATA_DIR,
}: Settings): Promise<readonly LocalBackend[]> {
  if (!PCG_ENABLED || DATA_DIR === null) return []
  const { openLocalPcg } = await import('#pcg-bridge')
  return [
    await openLocalPcg({
      projectDir: path.join(DATA_DIR, 'pcg-project'),
      queueMax: PCG_QUEUE_MAX,
      callTimeoutMs: PCG_CALL_TIMEOUT_MS,
    }),
  ]
}
