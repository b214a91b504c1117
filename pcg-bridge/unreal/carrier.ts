// What carries Python text to an editor and its log lines back. One text at a time; the connection above sees to that.

import type { UnrealDriver } from '../contract/index.ts'

export type Carrier = {
  readonly kind: Exclude<UnrealDriver, 'unreal-mcp'>
  /** Where it goes, for people. */
  readonly address: string
  /** The address is this machine's own: a shared folder can prove the peer. */
  readonly local: boolean
  /** Rejects at once when the editor goes away; has no deadline of its own, since a busy editor may still answer. */
  run(program: string): Promise<readonly string[]>
  close(): void
}

export const UNKNOWN_OUTCOME = 'The call may have taken effect: read back before repeating it'
