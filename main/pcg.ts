// The PCG bridge of the desktop: the embedded editor as a backend of the gateway.
import path from 'node:path'
import type { Loaded, LocalBackend } from '#gateway'
import { openLocalPcg } from '#pcg-bridge'

type Settings = Pick<Loaded['settings'], 'PCG_ENABLED' | 'PCG_QUEUE_MAX' | 'PCG_CALL_TIMEOUT_MS' | 'DATA_DIR'>

export async function localBackends({
  PCG_ENABLED,
  PCG_QUEUE_MAX,
  PCG_CALL_TIMEOUT_MS,
  DATA_DIR,
}: Settings): Promise<readonly LocalBackend[]> {
  if (!PCG_ENABLED || DATA_DIR === null) return []
  return [
    await openLocalPcg({
      projectDir: path.join(DATA_DIR, 'pcg-project'),
      queueMax: PCG_QUEUE_MAX,
      callTimeoutMs: PCG_CALL_TIMEOUT_MS,
    }),
  ]
}
