// The failure of a call whose backend could not be reached; with the remedy where its name may have moved.

import { failed } from '../../outcome/failed.ts'
import type { Failed } from '../../outcome/outcome.ts'
import type { Backend } from '../../registry/backend.ts'
import { remedyFor } from '../../registry/pinned-name.ts'

export function unreachable(backend: Pick<Backend, 'name' | 'pins' | 'input'>, why: string): Failed {
  const message = `Could not reach ${backend.name}: ${why}`
  const found = remedyFor(backend, why)
  if (!found) return failed('network', message, true)
  const details = { reason: 'pinned_address_unreachable', remedy: found.remedy }
  return failed('network', `${message}. ${found.text}`, true, { details })
}
