// The failure of a call to an editor: its code, and a message that says what to do next.
import type { PcgCode } from '../contract/index.ts'

export class PcgError extends Error {
  readonly code: PcgCode
  constructor(code: PcgCode, message: string) {
    super(message)
    this.name = 'PcgError'
    this.code = code
  }
}
