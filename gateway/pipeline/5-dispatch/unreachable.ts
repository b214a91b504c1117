// What is said of a backend that could not be reached: where its name is pinned to addresses, that these may be old.
import { isIP } from 'node:net'
import type { Backend } from '../../registry/backend.ts'

/** Failures of reaching it at all, as the outbound door names them. */
const BEFORE_AN_ANSWER: ReadonlySet<string> = new Set([
  'connection refused',
  'connection timed out',
  'host unreachable',
  'TLS failed',
])

export function couldNotReach({ name, pins }: Pick<Backend, 'name' | 'pins'>, why: string): string {
  const said = `Could not reach ${name}: ${why}`
  if (pins === null || isIP(pins.base.hostname) !== 0 || !BEFORE_AN_ANSWER.has(why)) return said
  // Pins never follow the name by themselves, and nobody would look for the reason here.
  return `${said}. Its addresses are pinned: if they have changed, an administrator can re-discover it`
}
