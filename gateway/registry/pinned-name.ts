// Advice for an unreachable pinned backend: its name may have new addresses, which pins do not follow.
import { isIP } from 'node:net'
import type { Backend } from './backend.ts'

/** Connection failures, as named by the outbound door. */
const BEFORE_AN_ANSWER: ReadonlySet<string> = new Set([
  'connection refused',
  'connection timed out',
  'host unreachable',
  'TLS failed',
])

export type Remedy = { readonly remedy: 'rediscover' | 'set_base_url'; readonly text: string }

/** What an administrator can do if the addresses of an unreachable backend have changed. */
export function remedyFor({ pins, input }: Pick<Backend, 'pins' | 'input'>, why: string): Remedy | undefined {
  if (pins === null || isIP(pins.base.hostname) !== 0 || !BEFORE_AN_ANSWER.has(why)) return undefined
  const changed = 'Its addresses are pinned: if they have changed, an administrator can'
  // Hand-written tools have no source to re-discover.
  return input === 'tools' || input === 'curl_input'
    ? { remedy: 'set_base_url', text: `${changed} set its base URL again` }
    : { remedy: 'rediscover', text: `${changed} re-discover it` }
}
